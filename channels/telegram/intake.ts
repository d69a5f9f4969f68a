/** Hands updates to the door, at least once each, without getting stuck on one that never works. */
import type { ChannelLog } from "../channel.ts";
import type { TgUpdate } from "./wire.ts";

export interface IntakeOptions {
  handle(update: TgUpdate): Promise<void>;
  /** Tells the chat that its message was not taken. */
  giveUp(update: TgUpdate): Promise<void>;
  log: ChannelLog;
  tries: number;
  /** A hanging store counts as a failure after this. */
  timeoutMs: number;
}

export interface Intake {
  /**
   * False: not taken, Telegram must deliver it again. Updates of one chat stay in order, so those behind a failed one
   * come again with it; other chats do not wait.
   */
  take(update: TgUpdate): Promise<boolean>;
}

export function createIntake(options: IntakeOptions): Intake {
  const failures = new Map<number, number>();
  /** The last update of each chat that is being handed on. */
  const lanes = new Map<string, Promise<boolean>>();

  async function failed(update: TgUpdate, error: unknown): Promise<boolean> {
    const tries = (failures.get(update.update_id) ?? 0) + 1;
    failures.set(update.update_id, tries);
    const facts = { update: update.update_id, tries, error: nameOf(error) };
    if (tries < options.tries) {
      options.log.warn(facts, "telegram update not taken, it will be delivered again");
      return false;
    }
    failures.delete(update.update_id);
    options.log.error(facts, "telegram update given up");
    await options.giveUp(update);
    return true;
  }

  async function attempt(update: TgUpdate): Promise<boolean> {
    try {
      await within(options.timeoutMs, options.handle(update));
      failures.delete(update.update_id);
      return true;
    } catch (error) {
      return failed(update, error);
    }
  }

  return {
    take(update) {
      const lane = laneOf(update);
      const before = lanes.get(lane) ?? Promise.resolve(true);
      const turn = before.then((ok) => ok && attempt(update));
      lanes.set(lane, turn);
      return turn.finally(() => lanes.get(lane) === turn && lanes.delete(lane));
    },
  };
}

function laneOf(update: TgUpdate): string {
  const message = update.message ?? update.edited_message ?? update.callback_query?.message;
  return String(message?.chat.id ?? `update ${update.update_id}`);
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("took too long")), ms);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The message of a foreign error may quote a person's text or a URL; its kind is enough here. */
function nameOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : error instanceof Error ? error.name : "unknown";
}
