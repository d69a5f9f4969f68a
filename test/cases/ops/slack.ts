/** The field cases of Slack, answered by the channel's own functions. */
import { webApi } from "@slack/bolt";
import type { ChannelErrorCode } from "../../../channels/errors.ts";
import { bodies, fitsEdit, splitForSlack } from "../../../channels/slack/blocks.ts";
import { toChannelError } from "../../../channels/slack/errors.ts";
import { type Self, toInbound } from "../../../channels/slack/inbound.ts";
import type { RawBody, RawMessage } from "../../../channels/slack/raw.ts";
import { sessionKey } from "../../../src/sessions.ts";

type Op = (input: never, testCase: object) => unknown;

interface GateInput {
  self: { user_id: string; bot_id: string };
  policy: { require_mention?: boolean };
  /** Threads the bot already works in: team, channel, thread. */
  state?: { participated?: [string, string, string][] };
}

interface Refused {
  method: string;
  error: string;
  status?: number;
  headers?: Record<string, string>;
}

interface Place {
  team: string;
  channel: string;
  thread_ts?: string;
  ts?: string;
  channel_type?: string;
  user?: string;
}

const ACTIONS: Record<ChannelErrorCode, string> = {
  rate_limited: "wait",
  unchanged: "ok",
  message_gone: "repost",
  thread_gone: "stop_chat",
  thread_archived: "unarchive_then_retry",
  chat_gone: "stop_chat",
  migrated: "migrate",
  too_long: "post_split",
  bad_format: "retry_without_blocks",
  auth: "stop_chat",
  conflict: "retry_poll",
  unavailable: "wait",
  refused: "skip",
};

/** What the client library would reject with. */
function failure({ error, status, headers }: Refused): Error {
  const seconds = Number(headers?.["retry-after"] ?? Number.NaN);
  if (Number.isFinite(seconds)) return new webApi.WebAPIRateLimitedError(seconds);
  if (status !== undefined && status >= 400) return new webApi.WebAPIHTTPError(status, "", {});
  return new webApi.WebAPIPlatformError({ ok: false, error });
}

function classify(refused: Refused) {
  const error = toChannelError(failure(refused), refused.method);
  const action = ACTIONS[error.code];
  if (error.code === "message_gone") return { action, in_thread: true };
  if (error.code !== "rate_limited") return { action };
  return { action, seconds: (error.retryAfterMs ?? 0) / 1000, post_new: false };
}

/** The id of the run that this event starts, if it starts one. */
function runOf(body: RawBody, { self, policy, state }: GateInput): string | undefined {
  const us: Self = { userId: self.user_id, botId: self.bot_id, team: body.event?.team ?? "T1" };
  const inbound = toInbound({ team_id: body.team_id ?? us.team, ...body }, us);
  if (inbound === undefined) return undefined;
  const known = (state?.participated ?? []).some(
    ([team, channel, thread]) =>
      team === inbound.at.account && channel === inbound.at.chat && thread === inbound.at.thread,
  );
  return inbound.addressed || known || policy.require_mention === false ? inbound.id : undefined;
}

function keyOf(place: Place): string | undefined {
  const { team, channel, thread_ts, ts = "100.1", channel_type = "channel", user = "U1" } = place;
  const event: RawMessage = {
    type: "message",
    channel_type,
    channel,
    user,
    ts,
    text: "hi",
    ...(thread_ts && { thread_ts }),
  };
  const inbound = toInbound({ team_id: team, event }, { userId: "U0BOT", botId: "B0BOT", team });
  return inbound && sessionKey(inbound.at, "thread", user);
}

/** The texts of every message that an answer, and a question, of this length becomes. */
function blockTexts(text: string): string[][] {
  const answers = splitForSlack(text).map((piece) => bodies({ kind: "markdown", text: piece }, "1"));
  const all = [...answers, bodies({ kind: "question", text, buttons: [] }, "1")];
  return all.map(([body]) => {
    const sections = (body?.blocks ?? []).map((block) => (block.type === "section" ? (block.text?.text ?? "") : ""));
    return sections.length > 0 ? sections : [body?.text ?? ""];
  });
}

export const ops: Record<string, Op> = {
  "classify_error:slack": classify,
  "gate:slack": ({ event, ...input }: GateInput & { event: RawMessage }) => ({
    run: runOf({ event }, input) !== undefined,
  }),
  "dedupe:slack": ({ events, ...input }: GateInput & { events: RawBody[] }) => {
    const ids = events.map((body) => runOf(body, input)).filter((id) => id !== undefined);
    return { runs: new Set(ids).size };
  },
  "same_key:slack": ({ a, b }: { a: Place; b: Place }) => keyOf(a) === keyOf(b),
  "fits_edit:slack": ({ text }: { text: string }) => fitsEdit({ kind: "markdown", text }),
  "split:slack": ({ text, limit }: { text: string; limit: number }) => splitForSlack(text, limit),
  "blocks:slack": ({ text }: { text: string }) => blockTexts(text),
};
