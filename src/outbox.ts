/**
 * The only door to a channel's `post` and `edit`. Keeps the platform's pace, obeys 429, and sends the newest content:
 * callers hand in a function, evaluated when the request really goes out.
 */
import type { Address, Channel, Content, MessageRef, PostOptions } from "../channels/channel.ts";
import { ChannelError } from "../channels/errors.ts";
import type { Log } from "./log.ts";
import { chatKey } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import type { Store } from "./state/store.ts";

export type Urgency =
  /** Answers, questions, last words, replies to commands. */
  | "final"
  /** Plan edits: these wait for the others and leave room for them. */
  | "progress";

export interface SendOptions extends PostOptions {
  urgency?: Urgency;
  /** Gives up waiting; the request under way is not cut. */
  signal?: AbortSignal | undefined;
}

export interface Outbox {
  post(to: Address, content: () => Content, options?: SendOptions): Promise<MessageRef>;
  edit(ref: MessageRef, content: () => Content, options?: SendOptions): Promise<void>;
  find(at: Address, nonce: string): Promise<MessageRef | undefined>;
}

export interface OutboxDeps {
  channel(at: Address): Channel;
  store: Pick<Store, "take">;
  settings: Pick<Settings, "current">;
  log: Log;
  now(): number;
  /** How long an unreachable platform is tried for, milliseconds. */
  patienceMs?: number;
  /** Told when a token was refused: the channel is down until the operator acts. */
  onAuthFailure?(at: Address): void;
}

/** The share of a limit's places that progress leaves free: many runs may end at once. */
const RESERVED = 2 / 3;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
const PATIENCE_MS = 10 * 60_000;

export function createOutbox(deps: OutboxDeps): Outbox {
  const blockedUntil = new Map<string, number>();
  const urgent = new Map<string, number>();
  const patienceMs = deps.patienceMs ?? PATIENCE_MS;

  async function send<T>(to: Address, what: "post" | "edit", options: SendOptions, request: Request<T>): Promise<T> {
    const at = deps.settings.current(to, chatKey);
    const channel = deps.channel(at);
    const key = chatKey(at);
    const isFinal = options.urgency !== "progress";
    if (isFinal) urgent.set(key, (urgent.get(key) ?? 0) + 1);
    try {
      return await attempt(channel, at, what, options, request);
    } finally {
      if (isFinal) urgent.set(key, (urgent.get(key) ?? 1) - 1);
      if (urgent.get(key) === 0) urgent.delete(key);
    }
  }

  async function attempt<T>(
    channel: Channel,
    at: Address,
    what: "post" | "edit",
    options: SendOptions,
    request: Request<T>,
  ): Promise<T> {
    const giveUpAt = deps.now() + patienceMs;
    for (let failures = 0; ; ) {
      await turn(channel, at, what, options);
      try {
        return await request(channel, at);
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        const wait = waitAfter(error, failures, at, what, channel);
        if (error.code === "unavailable") failures += 1;
        if (wait === undefined || deps.now() + wait > giveUpAt) throw error;
        deps.log.warn({ channel: at.channel, code: error.code, waitMs: wait, what }, "platform asks to wait");
        await pause(wait, options.signal);
      }
    }
  }

  /** Milliseconds until another try makes sense; undefined = never. */
  function waitAfter(error: ChannelError, failures: number, at: Address, what: "post" | "edit", channel: Channel) {
    if (error.code === "rate_limited") {
      const wait = error.retryAfterMs ?? FIRST_RETRY_MS;
      // The narrowest limit: one chat's flood wait must not silence the others.
      const key = channel.pace(at, what).find(({ own }) => !own)?.key ?? chatKey(at);
      blockedUntil.set(key, deps.now() + wait);
      return wait;
    }
    if (error.code === "auth") deps.onAuthFailure?.(at);
    return error.code === "unavailable" ? Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS) : undefined;
  }

  /** Waits until every limit of this chat has room. */
  async function turn(channel: Channel, at: Address, what: "post" | "edit", options: SendOptions): Promise<void> {
    const progress = options.urgency === "progress";
    for (;;) {
      options.signal?.throwIfAborted();
      const wait = progress && urgent.has(chatKey(at)) ? 100 : await room(channel, at, what, progress);
      if (wait === 0) return;
      if (wait > patienceMs)
        throw new ChannelError({ code: "rate_limited", message: "asked to wait long", retryAfterMs: wait });
      await pause(wait, options.signal);
    }
  }

  /** Not found is an answer; not knowing is not, so an unreachable platform is asked again. */
  async function find(to: Address, nonce: string): Promise<MessageRef | undefined> {
    const at = deps.settings.current(to, chatKey);
    const channel = deps.channel(at);
    const giveUpAt = deps.now() + patienceMs;
    for (let failures = 0; ; failures++) {
      try {
        return await channel.find?.(at, nonce);
      } catch (error) {
        const wait = error instanceof ChannelError ? waitAfter(error, failures, at, "post", channel) : undefined;
        if (wait === undefined || deps.now() + wait > giveUpAt) throw error;
        await pause(wait);
      }
    }
  }

  async function room(channel: Channel, at: Address, what: "post" | "edit", progress: boolean): Promise<number> {
    const paces = channel.pace(at, what);
    const now = deps.now();
    const keys = [chatKey(at), ...paces.map(({ key }) => key)];
    const blocked = Math.max(0, ...keys.map((key) => (blockedUntil.get(key) ?? 0) - now));
    if (blocked > 0) return blocked;
    for (const { key, burst, perMs } of paces) {
      const reserve = progress ? Math.floor(burst * RESERVED) : 0;
      const wait = await deps.store.take(key, burst, perMs, now, reserve);
      if (wait > 0) return wait;
    }
    return 0;
  }

  return {
    post: (to, content, options = {}) =>
      send(to, "post", options, (channel, at) => channel.post(at, content(), pickPost(options))),
    edit: (ref, content, options = {}) =>
      send(ref.at, "edit", options, async (channel, at) => {
        try {
          await channel.edit({ ...ref, at }, content());
        } catch (error) {
          if (!(error instanceof ChannelError && error.code === "unchanged")) throw error;
        }
      }),
    find,
  };
}

type Request<T> = (channel: Channel, at: Address) => Promise<T>;

function pickPost({ nonce, onlyFor }: SendOptions): PostOptions {
  return { nonce, onlyFor };
}

/** Rejects with the signal's reason when it is aborted. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal?.removeEventListener("abort", cut);
      resolve();
    }
    function cut() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    if (signal?.aborted) cut();
    else signal?.addEventListener("abort", cut, { once: true });
  });
}
