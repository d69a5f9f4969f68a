/**
 * Long polling with our own loop instead of telegraf's `launch`: theirs confirms a batch although a handler failed,
 * waits five seconds after every network fault and ends at the first 409.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelStatus } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";
import { type Intake, laneOf } from "./intake.ts";
import { ALLOWED_UPDATES, type TgUpdate } from "./wire.ts";

export interface PollingOptions {
  api: Api;
  intake: Intake;
  report(state: ChannelStatus["state"], detail?: string): void;
  /** Seconds a poll is held. */
  holdSeconds: number;
  /** First pause after a failure, milliseconds; doubles. */
  pauseMs: number;
}

const LONGEST_CONFLICT_MS = 30_000;
const LONGEST_FAULT_MS = 10_000;
const AUTH_MS = 60_000;
/** Between deliveries of an update that could not be taken: other chats wait for it too. */
const LONGEST_REDELIVERY_MS = 2000;

export class Polling {
  readonly #options: PollingOptions;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  /** Updates at or above the offset that are done already. */
  readonly #taken = new Set<number>();
  #running: Promise<void> | undefined;
  #offset = 0;
  #confirmed = 0;
  /** Failed polls, and rounds that left an update undelivered, in a row. */
  #faults = 0;
  #undelivered = 0;
  /** After a failure a poll that is not held tells at once whether all is well again. */
  #probing = true;

  constructor(options: PollingOptions) {
    this.#options = options;
  }

  /** Resolves when the first poll has succeeded or failed. */
  start(): Promise<void> {
    this.#running ??= this.#loop();
    return this.#first.promise;
  }

  /** Waits for what is being handed on, then confirms it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#first.resolve();
    await this.#running;
    if (this.#offset <= this.#confirmed) return;
    this.#confirmed = this.#offset;
    const payload = { offset: this.#offset, limit: 1, timeout: 0 };
    // What stays unconfirmed comes again after the restart and is dropped there as seen.
    await this.#options.api.call("getUpdates", payload, { timeoutMs: 5000 }).catch(() => undefined);
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const wait = await this.#round();
      this.#first.resolve();
      if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns the pause before the next round, milliseconds. */
  async #round(): Promise<number> {
    try {
      const updates = await this.#poll(this.#probing ? 0 : this.#options.holdSeconds);
      this.#confirmed = this.#offset;
      this.#options.report("up");
      // A probe succeeds beside a rival too; only a poll that was held shows that we are alone.
      if (!this.#probing) this.#faults = 0;
      this.#probing = false;
      return await this.#hand(updates);
    } catch (error) {
      return this.#stopping.signal.aborted ? 0 : this.#afterFailure(error);
    }
  }

  #poll(hold: number): Promise<TgUpdate[]> {
    const payload = { offset: this.#offset, limit: 100, timeout: hold, allowed_updates: ALLOWED_UPDATES };
    const options = { signal: this.#stopping.signal, timeoutMs: (hold + 15) * 1000 };
    return this.#options.api.call("getUpdates", payload, options);
  }

  /** The next poll's offset confirms everything below it, so it stops at the first update that was not taken. */
  async #hand(updates: TgUpdate[]): Promise<number> {
    const fresh = updates.filter(({ update_id }) => !this.#taken.has(update_id));
    await Promise.all([...Map.groupBy(fresh, laneOf).values()].map((lane) => this.#inOrder(lane)));
    const open = updates.find(({ update_id }) => !this.#taken.has(update_id));
    const last = updates.at(-1);
    this.#offset = open?.update_id ?? (last ? last.update_id + 1 : this.#offset);
    for (const id of this.#taken) if (id < this.#offset) this.#taken.delete(id);
    this.#undelivered = open ? this.#undelivered + 1 : 0;
    return open ? Math.min(this.#options.pauseMs * 2 ** (this.#undelivered - 1), LONGEST_REDELIVERY_MS) : 0;
  }

  async #inOrder(updates: TgUpdate[]): Promise<void> {
    for (const update of updates) {
      if (!(await this.#options.intake.take(update))) return;
      this.#taken.add(update.update_id);
    }
  }

  #afterFailure(error: unknown): number {
    const { code, message, retryAfterMs } = asChannelError(error);
    const { report, pauseMs } = this.#options;
    this.#probing = true;
    this.#faults += 1;
    const grown = pauseMs * 2 ** Math.min(this.#faults - 1, 16);
    if (code === "auth") {
      report("down", "Telegram refuses the bot token; set a valid channels.telegram.bot_token and restart");
      return AUTH_MS;
    }
    if (code === "conflict") {
      report("reconnecting", conflictOf(message));
      return Math.min(grown, LONGEST_CONFLICT_MS);
    }
    report("reconnecting", message);
    return retryAfterMs ?? Math.min(grown, LONGEST_FAULT_MS);
  }
}

function conflictOf(message: string): string {
  if (/webhook/i.test(message)) return "a webhook was set for this bot elsewhere; restart to take it away";
  return "a second process polls with this bot's token; stop one of them";
}

function asChannelError(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error;
  return new ChannelError({ code: "unavailable", message: "Telegram getUpdates: unexpected answer" });
}
