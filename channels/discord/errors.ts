/** Every failure of the Discord client becomes a ChannelError here, by code. */
import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from "discord.js";
import { ChannelError, type ChannelErrorCode } from "../errors.ts";

const BY_CODE: Partial<Record<number | string, ChannelErrorCode>> = {
  [RESTJSONErrorCodes.UnknownMessage]: "message_gone",
  [RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser]: "message_gone",
  // Too many edits of a message older than an hour.
  [RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached]: "message_gone",
  [RESTJSONErrorCodes.InvalidActionOnArchivedThread]: "thread_archived",
  [RESTJSONErrorCodes.UnknownChannel]: "chat_gone",
  [RESTJSONErrorCodes.UnknownGuild]: "chat_gone",
  [RESTJSONErrorCodes.MissingAccess]: "chat_gone",
  [RESTJSONErrorCodes.MissingPermissions]: "chat_gone",
  [RESTJSONErrorCodes.CannotSendMessagesToThisUser]: "chat_gone",
  [RESTJSONErrorCodes.ThreadLocked]: "chat_gone",
  // A reaction that is not there any more.
  [RESTJSONErrorCodes.UnknownEmoji]: "unchanged",
  [RESTJSONErrorCodes.InvalidToken]: "auth",
  [RESTJSONErrorCodes.APIResourceOverloaded]: "unavailable",
};

/** Discord names the rule that a form field broke; the flattened message keeps that name. */
const TOO_LONG = /BASE_TYPE_MAX_LENGTH|or fewer in length/;
const DEFAULT_WAIT_MS = 5000;

export interface Refusal {
  /** Discord's own code; 0 or absent when only the status tells. */
  code?: number | string | undefined;
  status: number;
  message?: string | undefined;
}

export interface Setting {
  /** An unknown channel is then a thread that was deleted. */
  inThread?: boolean | undefined;
  /** Needs a right of its own (reactions, files): without it the chat can still be written to. */
  isExtra?: boolean | undefined;
}

export function codeOf({ code, status, message = "" }: Refusal, { inThread, isExtra }: Setting): ChannelErrorCode {
  if (status === 401) return "auth";
  if (status === 429) return "rate_limited";
  if (status >= 500) return "unavailable";
  if (Number(code) === RESTJSONErrorCodes.InvalidFormBodyOrContentType && TOO_LONG.test(message)) return "too_long";
  if (inThread && Number(code) === RESTJSONErrorCodes.UnknownChannel) return "thread_gone";
  if (isExtra && Number(code) === RESTJSONErrorCodes.MissingPermissions) return "refused";
  return BY_CODE[code ?? 0] ?? "refused";
}

/** `what` names the request for the operator. */
export function toChannelError(error: unknown, what: string, setting: Setting = {}): ChannelError {
  if (error instanceof ChannelError) return error;
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(error.retryAfter, error.timeToReset, 0) || DEFAULT_WAIT_MS;
    return new ChannelError({ code: "rate_limited", message: `Discord limits ${what}.`, retryAfterMs });
  }
  // Not kept as the cause: these errors carry the message's body.
  if (error instanceof DiscordAPIError) {
    const code = codeOf(error, setting);
    const [reason = ""] = error.message.split("\n");
    const retryAfterMs = code === "rate_limited" ? DEFAULT_WAIT_MS : undefined;
    return new ChannelError({ code, message: `Discord refused ${what}: ${reason} (${error.code}).`, retryAfterMs });
  }
  if (error instanceof HTTPError) {
    return new ChannelError({ code: "unavailable", message: `Discord answered ${what} with HTTP ${error.status}.` });
  }
  return new ChannelError({ code: "unavailable", message: `Discord gave no answer to ${what}.`, cause: error });
}

/** Discord's own number of a refusal, where a caller must tell refusals apart. */
export function discordCode(error: unknown): number | undefined {
  return error instanceof DiscordAPIError ? Number(error.code) : undefined;
}
