import { webApi } from "@slack/bolt";
import { ChannelError, type ChannelErrorCode } from "../errors.ts";

const CODES: Partial<Record<ChannelErrorCode, string[]>> = {
  message_gone: ["message_not_found", "cant_update_message", "edit_window_closed", "cant_delete_message"],
  rate_limited: ["ratelimited", "rate_limited", "message_limit_exceeded"],
  bad_format: [
    "invalid_blocks",
    "invalid_blocks_format",
    "block_mismatch",
    "invalid_attachments",
    "invalid_metadata_format",
    "invalid_metadata_schema",
  ],
  too_long: ["msg_too_long", "msg_blocks_too_long", "too_many_attachments", "metadata_too_large"],
  thread_gone: [
    "thread_not_found",
    "invalid_thread_ts",
    "cannot_reply_to_message",
    "restricted_action_thread_locked",
    "thread_locked",
  ],
  chat_gone: [
    "channel_not_found",
    "is_archived",
    "channel_is_archived",
    "not_in_channel",
    "user_not_found",
    "user_disabled",
    "cannot_dm_bot",
    "messages_tab_disabled",
    "restricted_action",
    "restricted_action_read_only_channel",
    "restricted_action_non_threadable_channel",
    "restricted_action_thread_only_channel",
    "team_access_not_granted",
    "access_denied",
    "no_permission",
    "ekm_access_denied",
  ],
  auth: [
    "invalid_auth",
    "not_authed",
    "token_revoked",
    "token_expired",
    "account_inactive",
    "user_removed_from_team",
    "team_disabled",
    "not_allowed_token_type",
    "org_login_required",
    "app_uninstalled",
  ],
  unavailable: [
    "internal_error",
    "fatal_error",
    "service_unavailable",
    "request_timeout",
    "team_added_to_org",
    "external_channel_migrating",
  ],
  unchanged: ["already_reacted", "no_reaction"],
};

const BY_ERROR = new Map(
  Object.entries(CODES).flatMap(([code, errors]) => errors.map((error) => [error, code as ChannelErrorCode] as const)),
);

/** Slack says so when no header does. */
const DEFAULT_WAIT_MS = 30_000;

type Answer = webApi.WebAPIPlatformError["data"] & { needed?: unknown };

function refused(data: Answer, method: string): ChannelError {
  const { error } = data;
  // A proxy's HTML page arrives as the error "code" of a 200.
  if (!/^[a-z0-9_]{1,80}$/.test(error)) {
    return new ChannelError({
      code: "unavailable",
      message: `Slack answered ${method} with something that is not JSON.`,
    });
  }
  const code = BY_ERROR.get(error) ?? "refused";
  const needed = typeof data.needed === "string" ? ` (needs the scope ${data.needed})` : "";
  const retryAfterMs =
    code === "rate_limited" ? (data.response_metadata?.retryAfter ?? 0) * 1000 || DEFAULT_WAIT_MS : undefined;
  return new ChannelError({ code, message: `Slack refused ${method}: ${error}${needed}.`, retryAfterMs });
}

/** Every failure of the Slack client, by its class and code; `method` is named in the sentence for the operator. */
export function toChannelError(error: unknown, method: string): ChannelError {
  if (error instanceof ChannelError) return error;
  if (error instanceof webApi.WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter > 0 ? error.retryAfter * 1000 : DEFAULT_WAIT_MS;
    return new ChannelError({ code: "rate_limited", message: `Slack limits ${method}.`, retryAfterMs });
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    return refused(error.data, method);
  }
  if (error instanceof webApi.WebAPIHTTPError && error.statusCode < 500 && error.statusCode !== 408) {
    return new ChannelError({ code: "refused", message: `Slack answered ${method} with HTTP ${error.statusCode}.` });
  }
  const status = error instanceof webApi.WebAPIHTTPError ? `HTTP ${error.statusCode}` : "no answer";
  return new ChannelError({ code: "unavailable", message: `Slack gave ${status} to ${method}.`, cause: error });
}
