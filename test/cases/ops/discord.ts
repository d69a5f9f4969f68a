/** The field cases of Discord, answered by the channel's own functions. */
import { ChannelType, DiscordAPIError, HTTPError, MessageType, RateLimitError } from "discord.js";
import { toChannelError } from "../../../channels/discord/errors.ts";
import { type Self, toEdit, toInbound } from "../../../channels/discord/inbound.ts";
import { bodyOf } from "../../../channels/discord/outbound.ts";
import type { RawMessage } from "../../../channels/discord/raw.ts";
import type { ChannelErrorCode } from "../../../channels/errors.ts";
import { sessionKey } from "../../../src/sessions.ts";

type Op = (input: never, testCase: object) => unknown;

interface Refused {
  method: string;
  status: number;
  code?: number;
  message?: string;
  /** Seconds. */
  retry_after?: number;
  in_thread?: boolean;
}

interface GateInput {
  self: { user_id: string; roles?: string[]; role_ids?: string[] };
  policy: { require_mention?: boolean; mention_on_reply?: boolean };
  /** Threads the bot already works in. */
  state?: { participated?: string[]; bot_roles?: string[] };
}

type RawEvent = Partial<RawMessage> & Pick<RawMessage, "id" | "channel_id" | "author"> & { parent_id?: string };

const ACTIONS: Record<ChannelErrorCode, string> = {
  rate_limited: "wait",
  unchanged: "ok",
  message_gone: "repost",
  thread_gone: "stop_chat",
  thread_archived: "unarchive_then_retry",
  chat_gone: "stop_chat",
  migrated: "migrate",
  too_long: "post_split",
  bad_format: "plain_text",
  auth: "stop_chat",
  conflict: "retry_poll",
  unavailable: "wait",
  refused: "skip",
};

/** What the client library would reject with. */
function failure({ method, status, code = 0, message = "", retry_after = 0 }: Refused): Error {
  const [verb = "POST"] = method.split(" ");
  const body = { files: undefined, body: undefined };
  if (status >= 500) return new HTTPError(status, message, verb, "https://discord.com/api", body);
  if (status !== 429)
    return new DiscordAPIError({ code, message }, code, status, verb, "https://discord.com/api", body);
  return new RateLimitError({
    timeToReset: retry_after * 1000,
    limit: 5,
    method: verb,
    hash: "",
    url: "",
    route: "/channels/:id/messages",
    majorParameter: "",
    global: false,
    retryAfter: retry_after * 1000,
    sublimitTimeout: 0,
    scope: "user",
  });
}

function classify(refused: Refused) {
  const error = toChannelError(failure(refused), refused.method, { inThread: refused.in_thread });
  const action = ACTIONS[error.code];
  if (error.code === "message_gone") return { action, in_thread: true };
  if (error.code !== "rate_limited") return { action };
  return { action, seconds: (error.retryAfterMs ?? 0) / 1000, post_new: false };
}

function selfOf({ self, state }: Pick<GateInput, "self" | "state">): Self {
  const selfRoles = self.roles ?? self.role_ids ?? state?.bot_roles ?? [];
  return { selfId: self.user_id, selfRoles, role: () => undefined, channel: () => undefined };
}

function channelOf({ channel_id, guild_id, parent_id }: RawEvent) {
  if (!guild_id) return { id: channel_id, type: ChannelType.DM };
  const type = parent_id === undefined ? ChannelType.GuildText : ChannelType.PublicThread;
  return { id: channel_id, type, parent_id: parent_id ?? null };
}

function whole(event: RawEvent): RawMessage {
  return { type: MessageType.Default, timestamp: new Date(0).toISOString(), ...event };
}

/** The id of the run that this event starts, if it starts one. */
function runOf(event: RawEvent, { self, policy, state }: GateInput): string | undefined {
  const us = selfOf({ self, ...(state ? { state } : {}) });
  const message = whole(event);
  const inbound = toInbound(message, us, channelOf(event));
  // An edit is handed to the bridge as an edit; it never starts a run.
  if (!inbound || toEdit(message, us, channelOf(event))) return undefined;
  const known = (state?.participated ?? []).some((id) => id === event.channel_id);
  return inbound.addressed || known || policy.require_mention === false ? inbound.id : undefined;
}

function keyOf(place: Partial<RawEvent>): string | undefined {
  const event: RawEvent = { id: "1", channel_id: "10", author: { id: "7" }, ...place };
  const inbound = toInbound(whole(event), selfOf({ self: { user_id: "900" } }), channelOf(event));
  return inbound && sessionKey(inbound.at, "thread", event.author.id);
}

export const ops: Record<string, Op> = {
  "classify_error:discord": classify,
  "gate:discord": ({ event, ...input }: GateInput & { event: RawEvent }) => ({
    run: runOf(event, input) !== undefined,
  }),
  "dedupe:discord": ({ events, ...input }: GateInput & { events: RawEvent[] }) => ({
    runs: new Set(events.map((event) => runOf(event, input)).filter((id) => id !== undefined)).size,
  }),
  "payload:discord": (input: string | { text: string }) =>
    bodyOf({ kind: "markdown", text: typeof input === "string" ? input : input.text }),
  "same_key:discord": ({ a, b }: { a: Partial<RawEvent>; b: Partial<RawEvent> }) => keyOf(a) === keyOf(b),
};
