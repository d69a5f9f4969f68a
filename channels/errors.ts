/**
 * One error class for every platform. Adapters convert by code, once, at their boundary (`channels/<name>/errors.ts`);
 * the outbox decides by `code` alone.
 */
export type ChannelErrorCode =
  /** Wait `retryAfterMs`, then send the newest content. */
  | "rate_limited"
  /** The edit changes nothing: success. */
  | "unchanged"
  /** The message to edit is gone or can no longer be edited: post anew in the same thread. */
  | "message_gone"
  /** The thread or topic is gone; the chat may still be there. */
  | "thread_gone"
  /** The thread is archived and can be reopened. */
  | "thread_archived"
  /** Chat gone, bot kicked or blocked, or no right to write here: end runs for this chat. */
  | "chat_gone"
  /** The chat has a new id: `migratedTo`. */
  | "migrated"
  /** Body too long: split smaller. */
  | "too_long"
  /** The platform refused the formatting: send plain text instead. */
  | "bad_format"
  /** Token revoked or wrong: this channel is down until the operator acts. */
  | "auth"
  /** A second process uses the same bot (Telegram 409). */
  | "conflict"
  /** No answer, or the platform answered 5xx: try again later. */
  | "unavailable"
  /** Anything else the platform refused; permanent for this request. */
  | "refused";

export interface ChannelErrorInit {
  code: ChannelErrorCode;
  /** One sentence for the operator. No token, no message body. */
  message: string;
  retryAfterMs?: number | undefined;
  migratedTo?: string | undefined;
  cause?: unknown;
}

export class ChannelError extends Error {
  override name = "ChannelError";
  readonly code: ChannelErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly migratedTo: string | undefined;

  constructor(init: ChannelErrorInit) {
    super(init.message, { cause: init.cause });
    this.code = init.code;
    this.retryAfterMs = init.retryAfterMs;
    this.migratedTo = init.migratedTo;
  }
}
