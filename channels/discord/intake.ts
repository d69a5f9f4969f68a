/** From gateway event to the bridge's door. The gateway has no acknowledgements, so a failed accept is tried again here. */
import { setTimeout as sleep } from "node:timers/promises";
import { ChannelType, Routes } from "discord.js";
import type { ChannelLog, Door } from "../channel.ts";
import type { Api } from "./api.ts";
import { isThread, type Self, toEdit, toInbound } from "./inbound.ts";
import { bodyOf } from "./outbound.ts";
import type { Places } from "./places.ts";
import type { RawChannel, RawMessage } from "./raw.ts";
import { Recent } from "./recent.ts";

export interface IntakeDeps {
  api: Api;
  places: Places;
  log: ChannelLog;
  door: Door;
  self(guild: string | null | undefined): Self;
}

export interface Intake {
  created(message: RawMessage): void;
  updated(message: RawMessage): void;
  /** No more events; resolves when those under way are done. */
  close(): Promise<void>;
}

const RETRY_MS = [250, 750, 2000];
const NOT_TAKEN = "I could not take this message, so nothing will happen. Please send it again in a minute.";

export function createIntake({ api, places, log, door, self }: IntakeDeps): Intake {
  const closing = new AbortController();
  /** One line per channel, so that messages keep their order while one of them is tried again. */
  const lines = new Map<string, Promise<void>>();
  const lastEdit = new Recent<string>();

  function inLine(channel: string, work: () => Promise<void>): void {
    if (closing.signal.aborted) return;
    const next = (lines.get(channel) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => log.error({ channel, error: String(error) }, "event not handled"))
      .finally(() => {
        if (lines.get(channel) === next) lines.delete(channel);
      });
    lines.set(channel, next);
  }

  async function take(message: RawMessage): Promise<void> {
    const me = self(message.guild_id);
    // Most messages are nobody's business: look before asking for the channel.
    if (!toInbound(message, me, { id: message.channel_id, type: 0 })) return;
    try {
      await persist(async () => {
        const channel = await channelOf(message);
        const inbound = toInbound(message, me, channel);
        if (!inbound) return;
        if (inbound.at.thread === message.id && !isThread(channel)) places.started(message.id, inbound.text);
        await door.accept(inbound);
      });
    } catch (error) {
      log.error({ message: message.id, error: String(error) }, "message not taken");
      await sayNotTaken(message);
    }
  }

  async function channelOf({ guild_id, channel_id }: RawMessage): Promise<RawChannel> {
    return guild_id ? places.channel(channel_id) : { id: channel_id, type: ChannelType.DM };
  }

  async function change(message: RawMessage): Promise<void> {
    const me = self(message.guild_id);
    const channel = await channelOf(message);
    const edit = toEdit(message, me, channel);
    if (!edit || lastEdit.get(message.id) === message.edited_timestamp) return;
    lastEdit.set(message.id, message.edited_timestamp ?? "");
    await persist(() => door.edited(edit));
  }

  async function persist(work: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        const wait = RETRY_MS[tries];
        if (wait === undefined || closing.signal.aborted) throw error;
        log.warn({ error: String(error), waitMs: wait }, "the bridge did not take an event; trying again");
        await sleep(wait, undefined, { signal: closing.signal }).catch(() => undefined); // one last try at the end
      }
    }
  }

  async function sayNotTaken({ channel_id, id }: RawMessage): Promise<void> {
    const body = {
      ...bodyOf({ kind: "notice", text: NOT_TAKEN }),
      message_reference: { message_id: id, fail_if_not_exists: false },
    };
    await api
      .call("POST", Routes.channelMessages(channel_id), { body })
      .catch((error: unknown) => log.error({ channel: channel_id, error: String(error) }, "could not say so"));
  }

  return {
    created: (message) => inLine(message.channel_id, () => take(message)),
    updated: (message) => {
      if (message.author && message.edited_timestamp) inLine(message.channel_id, () => change(message));
    },
    async close() {
      closing.abort();
      await Promise.all(lines.values());
    },
  };
}
