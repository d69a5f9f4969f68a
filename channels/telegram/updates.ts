/** One update to the door. Resolves when it may be confirmed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelLog, Door } from "../channel.ts";
import { truncate } from "../markdown/text.ts";
import type { Api } from "./api.ts";
import { type Self, toEdit, toInbound, toMigration, toPress } from "./inbound.ts";
import type { TgCallback, TgMessage, TgUpdate } from "./wire.ts";

export interface UpdatesOptions {
  api: Api;
  door: Door;
  self(): Self;
  log: ChannelLog;
}

export interface Updates {
  handle(update: TgUpdate): Promise<void>;
  /** Tells the sender that we did not take the update. Never rejects. */
  giveUp(update: TgUpdate): Promise<void>;
}

/** People see a spinner on the button until the press is answered. */
const ANSWER_WITHIN_MS = 2000;
const MOST_ANSWER = 200;
const NOT_TAKEN = "I could not take this message because of a fault on my side. Please send it again later.";
const NOT_DONE = "That did not work because of a fault on my side. Please try again later.";

export function createUpdates({ api, door, self, log }: UpdatesOptions): Updates {
  async function message(body: TgMessage): Promise<void> {
    const migration = toMigration(body, self());
    if (migration) return door.migrated(migration);
    const inbound = toInbound(body, self());
    if (inbound) await door.accept(inbound);
  }

  async function edited(body: TgMessage): Promise<void> {
    const edit = toEdit(body, self());
    if (edit) await door.edited(edit);
  }

  async function pressed(callback: TgCallback): Promise<void> {
    const press = toPress(callback, self());
    if (!press) return answer(callback.id);
    const line = door.press(press);
    const early = await Promise.race([line, sleep(ANSWER_WITHIN_MS, undefined, { ref: false })]);
    await answer(callback.id, early);
    await line;
  }

  /** Too late or sent twice: nobody waits for it any more. */
  async function answer(id: string, text?: string): Promise<void> {
    try {
      const shown = text ? { text: truncate(text, MOST_ANSWER) } : {};
      await api.call("answerCallbackQuery", { callback_query_id: id, ...shown });
    } catch (error) {
      log.debug({ error: error instanceof Error ? error.message : "unknown" }, "telegram press not answered");
    }
  }

  return {
    async handle(update) {
      if (update.message) await message(update.message);
      if (update.edited_message) await edited(update.edited_message);
      if (update.callback_query) await pressed(update.callback_query);
    },
    async giveUp({ message: body, callback_query: callback }) {
      if (callback) return answer(callback.id, NOT_DONE);
      const inbound = body && toInbound(body, self());
      if (!inbound?.addressed) return;
      const { chat, thread } = inbound.at;
      const to = { chat_id: chat, ...(thread === undefined ? {} : { message_thread_id: Number(thread) }) };
      await api.call("sendMessage", { ...to, text: NOT_TAKEN }).catch((error: unknown) => {
        log.warn({ error: error instanceof Error ? error.message : "unknown" }, "telegram chat could not be told");
      });
    },
  };
}
