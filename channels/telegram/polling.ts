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
  /** First pause after a failure; doubles. */
  pauseMs: number;
}

export interface Polling {
  /** Resolves when the first poll has succeeded or failed. */
  start(): Promise<void>;
  /** Confirms what was taken; nothing is handed on afterwards. */
  stop(): Promise<void>;
}

const LONGEST_CONFLICT_MS = 30_000;
const LONGEST_FAULT_MS = 10_000;
const AUTH_MS = 60_000;
/** Between deliveries of an update that could not be taken: other chats wait for it too. */
const LONGEST_REDELIVERY_MS = 2000;

export function createPolling(options: PollingOptions): Polling {
  const stopping = new AbortController();
  const taken = new Set<number>();
  const first = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;
  let offset = 0;
  let confirmed = 0;
  /** Failed polls and undelivered rounds in a row. */
  let faults = 0;
  let undelivered = 0;
  let probing = true;

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const wait = await round();
      first.resolve();
      if (wait > 0) await sleep(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /** Returns the pause before the next round, milliseconds. */
  async function round(): Promise<number> {
    try {
      const updates = await poll(probing ? 0 : options.holdSeconds);
      confirmed = offset;
      options.report("up");
      if (!probing) faults = 0;
      probing = false;
      return await hand(updates);
    } catch (error) {
      if (stopping.signal.aborted) return 0;
      return afterFailure(error);
    }
  }

  function poll(hold: number, limit = 100): Promise<TgUpdate[]> {
    const payload = { offset, limit, timeout: hold, allowed_updates: ALLOWED_UPDATES };
    return options.api.call("getUpdates", payload, { signal: stopping.signal, timeoutMs: (hold + 15) * 1000 });
  }

  /** The next poll's offset confirms everything below it, so it stops at the first update that was not taken. */
  async function hand(updates: TgUpdate[]): Promise<number> {
    const fresh = updates.filter(({ update_id }) => !taken.has(update_id));
    await Promise.all([...Map.groupBy(fresh, laneOf).values()].map(inOrder));
    const open = updates.find(({ update_id }) => !taken.has(update_id));
    const last = updates.at(-1);
    offset = open?.update_id ?? (last ? last.update_id + 1 : offset);
    for (const id of taken) if (id < offset) taken.delete(id);
    undelivered = open ? undelivered + 1 : 0;
    return open ? Math.min(options.pauseMs * 2 ** (undelivered - 1), LONGEST_REDELIVERY_MS) : 0;
  }

  async function inOrder(updates: TgUpdate[]): Promise<void> {
    for (const update of updates) {
      if (!(await options.intake.take(update))) return;
      taken.add(update.update_id);
    }
  }

  function afterFailure(error: unknown): number {
    const { code, message, retryAfterMs } = asChannelError(error);
    probing = true;
    faults += 1;
    const grown = options.pauseMs * 2 ** Math.min(faults - 1, 16);
    if (code === "auth") {
      options.report("down", "Telegram refuses the bot token; set a valid channels.telegram.bot_token and restart");
      return AUTH_MS;
    }
    if (code === "conflict") {
      const webhook = /webhook/i.test(message) ? "a webhook was set for this bot elsewhere" : undefined;
      options.report("reconnecting", webhook ?? "a second process polls with this bot's token; stop one of them");
      return Math.min(grown, LONGEST_CONFLICT_MS);
    }
    options.report("reconnecting", message);
    return retryAfterMs ?? Math.min(grown, LONGEST_FAULT_MS);
  }

  return {
    start() {
      running ??= loop();
      return first.promise;
    },
    async stop() {
      stopping.abort();
      first.resolve();
      await running;
      if (offset <= confirmed) return;
      confirmed = offset;
      const payload = { offset, limit: 1, timeout: 0 };
      // Unconfirmed updates come again after the restart and are dropped there as seen.
      await options.api.call("getUpdates", payload, { timeoutMs: 5000 }).catch(() => undefined);
    },
  };
}

function asChannelError(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error;
  return new ChannelError({ code: "unavailable", message: "Telegram getUpdates: unexpected answer" });
}
