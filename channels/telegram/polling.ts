/**
 * Long polling with our own loop instead of telegraf's `launch`: theirs confirms a batch although a handler failed,
 * waits five seconds after every network fault and ends at the first 409.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelStatus } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";
import type { Intake } from "./intake.ts";
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
/** An empty answer before this comes from a server that does not hold polls; without a pause we would spin. */
const NOT_HELD_MS = 300;
/** How long polling waits for an update before it looks for those of other chats. */
const SLOW_MS = 250;
/** What is not done by then stays unconfirmed. */
const STOP_MS = 5000;
/** Between deliveries of an update that could not be taken: other chats wait for it too. */
const LONGEST_REDELIVERY_MS = 2000;

export class Polling {
  readonly #options: PollingOptions;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  /** Ids of the last answer, oldest first: known and not confirmed. */
  #known: number[] = [];
  /** Those of them that are done, and those being handed on. */
  readonly #taken = new Set<number>();
  readonly #underway = new Map<number, Promise<void>>();
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
    await this.#settled(STOP_MS);
    this.#advance();
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
    const began = performance.now();
    try {
      const updates = await this.#poll(this.#probing ? 0 : this.#options.holdSeconds);
      this.#confirmed = this.#offset;
      this.#options.report("up");
      // A probe succeeds beside a rival too; only a poll that was held shows that we are alone.
      const held = !this.#probing;
      if (held) this.#faults = 0;
      this.#probing = false;
      const tooQuick = held && updates.length === 0 && performance.now() - began < NOT_HELD_MS;
      return tooQuick ? NOT_HELD_MS : await this.#hand(updates);
    } catch (error) {
      return this.#stopping.signal.aborted ? 0 : this.#afterFailure(error);
    }
  }

  #poll(hold: number): Promise<TgUpdate[]> {
    const payload = { offset: this.#offset, limit: 100, timeout: hold, allowed_updates: ALLOWED_UPDATES };
    const options = { signal: this.#stopping.signal, timeoutMs: (hold + 15) * 1000 };
    return this.#options.api.call("getUpdates", payload, options);
  }

  /** Returns the pause before the next poll, which would bring what is not done at once again. */
  async #hand(updates: TgUpdate[]): Promise<number> {
    this.#known = updates.map(({ update_id }) => update_id);
    for (const update of updates) this.#begin(update);
    await this.#settled(SLOW_MS);
    const open = this.#advance();
    if (open === undefined) {
      this.#undelivered = 0;
      return 0;
    }
    if (this.#underway.size > 0) return SLOW_MS;
    this.#undelivered += 1;
    return Math.min(this.#options.pauseMs * 2 ** (this.#undelivered - 1), LONGEST_REDELIVERY_MS);
  }

  #begin(update: TgUpdate): void {
    const { update_id: id } = update;
    if (this.#taken.has(id) || this.#underway.has(id)) return;
    const work = this.#options.intake.take(update).then((ok) => {
      this.#underway.delete(id);
      if (ok) this.#taken.add(id);
    });
    this.#underway.set(id, work);
  }

  /** One slow chat must not make the others wait for its update. */
  async #settled(most: number): Promise<void> {
    const timer = new AbortController();
    const pause = sleep(most, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#underway.values()), pause]);
    timer.abort();
  }

  /** The next poll's offset confirms everything below it, so it stops at the first update that is not taken. */
  #advance(): number | undefined {
    const open = this.#known.find((id) => !this.#taken.has(id));
    const last = this.#known.at(-1);
    this.#offset = open ?? (last === undefined ? this.#offset : last + 1);
    for (const id of this.#taken) if (id < this.#offset) this.#taken.delete(id);
    this.#known = this.#known.filter((id) => id >= this.#offset);
    return open;
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
