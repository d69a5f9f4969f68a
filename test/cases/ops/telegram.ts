/** The field cases of Telegram, answered by the channel's own functions. */
import type { ChannelErrorCode } from "../../../channels/errors.ts";
import { fromRefusal, type TelegramRefusal } from "../../../channels/telegram/errors.ts";
import { plainText } from "../../../channels/telegram/format.ts";
import { addressOf, type Self, toInbound } from "../../../channels/telegram/inbound.ts";
import { targetOf } from "../../../channels/telegram/outbound.ts";
import type { TgMessage, TgUpdate } from "../../../channels/telegram/wire.ts";
import { redact } from "../../../src/redact.ts";
import { sessionKey } from "../../../src/sessions.ts";

type Op = (input: never, testCase: object) => unknown;

interface GateInput {
  self: { user_id: number; username: string };
  policy: { require_mention?: boolean; mention_on_reply?: boolean };
  event: TgUpdate;
}

const ACTIONS: Record<ChannelErrorCode, string> = {
  rate_limited: "wait",
  unchanged: "ok",
  message_gone: "repost",
  thread_gone: "send_without_thread",
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

const selfOf = ({ user_id, username }: GateInput["self"]): Self => ({ id: String(user_id), username });

function runs({ self, policy, event }: GateInput): string | undefined {
  const inbound = event.message ? toInbound(event.message, selfOf(self)) : null;
  if (!inbound) return undefined;
  const named = inbound.addressed && !(inbound.byReply && policy.mention_on_reply === false);
  return named || policy.require_mention === false ? inbound.id : undefined;
}

function addressIn(message: TgMessage) {
  return addressOf(message, { id: "555", username: "helper_bot" });
}

export const ops: Record<string, Op> = {
  "classify_error:telegram": ({ method, ...refusal }: TelegramRefusal & { method: string }) => {
    const error = fromRefusal(refusal, method, (text) => text);
    return {
      action: ACTIONS[error.code],
      ...(error.code === "message_gone" ? { in_thread: true } : {}),
      ...(error.migratedTo === undefined ? {} : { chat_id: Number(error.migratedTo) }),
      ...(error.code === "rate_limited" ? { seconds: (error.retryAfterMs ?? 0) / 1000, post_new: false } : {}),
    };
  },
  "gate:telegram": (input: GateInput) => ({ run: runs(input) !== undefined }),
  "dedupe:telegram": ({ events, ...rest }: Omit<GateInput, "event"> & { events: TgUpdate[] }) => {
    const ids = events.map((event) => runs({ ...rest, event })).filter((id) => id !== undefined);
    return { runs: new Set(ids).size };
  },
  "reply_target:telegram": (message: TgMessage) => {
    const target = targetOf(addressIn(message));
    return { chat_id: Number(target.chat_id), message_thread_id: target.message_thread_id ?? null };
  },
  "same_key:telegram": ({ a, b }: { a: TgMessage; b: TgMessage }) =>
    sessionKey(addressIn(a), "thread", "9") === sessionKey(addressIn(b), "thread", "9"),
  "plain_fallback:telegram": (markdown: string) => plainText(markdown),
  "redact:telegram": (input: string | { text: string }) => redact(typeof input === "string" ? input : input.text),
};
