/** Telegram's refusals and the network's failures as ChannelErrors. Nothing that leaves this file holds a token. */
import { ChannelError, type ChannelErrorCode } from "../errors.ts";

/** A Bot API answer with `ok: false`. */
export interface TelegramRefusal {
  error_code: number;
  description: string;
  parameters?: { retry_after?: number; migrate_to_chat_id?: number | string } | undefined;
}

/** Telegram answers most faults with 400 and tells them apart by its words only. The first match counts. */
const BY_WORDS: [RegExp, ChannelErrorCode][] = [
  [/message is not modified/i, "unchanged"],
  [
    /message (to (edit|delete|react|be replied|reply) not found|can't be (edited|deleted)|identifier is not specified)/i,
    "message_gone",
  ],
  [/MESSAGE_ID_INVALID|MESSAGE_EDIT_TIME_EXPIRED|message not found/i, "message_gone"],
  [/message thread not found|TOPIC_(DELETED|CLOSED|ID_INVALID)|topic (was )?(deleted|closed)/i, "thread_gone"],
  [/(message|text|caption) is too long|(MESSAGE|CAPTION)_TOO_LONG|file is too big/i, "too_long"],
  [/can't parse (entities|message text|caption)|ENTITY_BOUNDS_INVALID|must be encoded in utf-8/i, "bad_format"],
  [
    /chat not found|PEER_ID_INVALID|group (chat )?(was )?(deactivated|deleted)|chat was (deactivated|deleted)/i,
    "chat_gone",
  ],
  [/user is deactivated|USER_IS_(BLOCKED|DEACTIVATED)|bot (is not a member|was (blocked|kicked))/i, "chat_gone"],
  [/CHANNEL_PRIVATE|CHAT_(WRITE_FORBIDDEN|RESTRICTED|SEND_PLAIN_FORBIDDEN)/i, "chat_gone"],
  [/not enough rights|have no rights|need administrator rights|CHAT_ADMIN_REQUIRED/i, "chat_gone"],
];

/** A chat that refuses these can still be written to. */
const SIDE_METHODS = new Set(["deleteMessage", "setMessageReaction", "sendChatAction", "sendDocument", "sendPhoto"]);
const NO_RIGHTS = /rights|CHAT_ADMIN_REQUIRED/i;

export function codeOf(refusal: TelegramRefusal, method = ""): ChannelErrorCode {
  const { error_code: status, description, parameters } = refusal;
  if (parameters?.migrate_to_chat_id !== undefined) return "migrated";
  if (status === 429 || parameters?.retry_after !== undefined) return "rate_limited";
  if (status === 401) return "auth";
  // A token of the wrong shape is a wrong address to Telegram; later a 404 is a method this server lacks.
  if (status === 404 && method === "getMe") return "auth";
  if (status === 409) return "conflict";
  if (status >= 500) return "unavailable";
  if (NO_RIGHTS.test(description) && SIDE_METHODS.has(method)) return "refused";
  const match = BY_WORDS.find(([words]) => words.test(description))?.[1];
  return match ?? (status === 403 ? "chat_gone" : "refused");
}

export function fromRefusal(refusal: TelegramRefusal, method: string, hide: (text: string) => string): ChannelError {
  const { parameters, error_code: status, description } = refusal;
  const code = codeOf(refusal, method);
  return new ChannelError({
    code,
    message: hide(`Telegram ${method}: ${status} ${description}`),
    retryAfterMs: code === "rate_limited" ? (parameters?.retry_after ?? 1) * 1000 : undefined,
    migratedTo: code === "migrated" ? String(parameters?.migrate_to_chat_id) : undefined,
  });
}

/**
 * Any throw of the client. The original is dropped on purpose: its stack and its `on.payload` hold the token's URL
 * and the message text, and a `cause` is printed by every logger.
 */
export function toChannelError(error: unknown, method: string, hide: (text: string) => string): ChannelError {
  if (error instanceof ChannelError) return error;
  if (isRefusal(error)) return fromRefusal(error.response, method, hide);
  const code = errnoOf(error);
  if (code === "ENOENT" || code === "EACCES" || code === "EISDIR") {
    return new ChannelError({ code: "refused", message: `Telegram ${method}: the file cannot be read (${code})` });
  }
  const name = error instanceof Error ? error.name : "error";
  const what =
    name === "AbortError" || name === "TimeoutError" ? "no answer in time" : `no connection (${code ?? name})`;
  return new ChannelError({ code: "unavailable", message: `Telegram ${method}: ${what}` });
}

function isRefusal(error: unknown): error is { response: TelegramRefusal } {
  const response = (error as { response?: Partial<TelegramRefusal> } | null)?.response;
  return typeof response?.error_code === "number" && typeof response.description === "string";
}

function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z_0-9]+$/.test(code) ? code : undefined;
}
