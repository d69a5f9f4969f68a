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

const RETRY_MS = [250, 750, 2000];
const NOT_TAKEN = "I could not take this message, so nothing will happen. Please send it again in a minute.";

export class Intake {
  readonly #deps: IntakeDeps;
  readonly #closing = new AbortController();
  /** One line per channel, so that messages keep their order while one of them is tried again. */
  readonly #lines = new Map<string, Promise<void>>();
  readonly #lastEdit = new Recent<string>();

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  created(message: RawMessage): void {
    this.#inLine(message.channel_id, () => this.#take(message));
  }

  updated(message: RawMessage): void {
    if (message.author && message.edited_timestamp) this.#inLine(message.channel_id, () => this.#change(message));
  }

  /** No more events; resolves when those under way are done. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#lines.values());
  }

  #inLine(channel: string, work: () => Promise<void>): void {
    if (this.#closing.signal.aborted) return;
    const next = (this.#lines.get(channel) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => this.#deps.log.error({ channel, error: String(error) }, "event not handled"))
      .finally(() => {
        if (this.#lines.get(channel) === next) this.#lines.delete(channel);
      });
    this.#lines.set(channel, next);
  }

  async #take(message: RawMessage): Promise<void> {
    const self = this.#deps.self(message.guild_id);
    // Bots talk a lot: look before asking for the channel.
    if (!toInbound(message, self, { id: message.channel_id, type: ChannelType.DM })) return;
    try {
      await this.#persist(() => this.#accept(message, self));
    } catch (error) {
      this.#deps.log.error({ message: message.id, error: String(error) }, "message not taken");
      await this.#sayNotTaken(message);
    }
  }

  async #accept(message: RawMessage, self: Self): Promise<void> {
    const channel = await this.#channelOf(message);
    const inbound = toInbound(message, self, channel);
    if (!inbound) return;
    if (inbound.at.thread === message.id && !isThread(channel)) this.#deps.places.started(message.id, inbound.text);
    await this.#deps.door.accept(inbound);
  }

  async #change(message: RawMessage): Promise<void> {
    const edit = toEdit(message, this.#deps.self(message.guild_id), await this.#channelOf(message));
    // A link preview repeats the last edit.
    if (!edit || this.#lastEdit.get(message.id) === message.edited_timestamp) return;
    this.#lastEdit.set(message.id, message.edited_timestamp ?? "");
    await this.#persist(() => this.#deps.door.edited(edit));
  }

  async #channelOf({ guild_id, channel_id }: RawMessage): Promise<RawChannel> {
    return guild_id ? this.#deps.places.channel(channel_id) : { id: channel_id, type: ChannelType.DM };
  }

  async #persist(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        const wait = RETRY_MS[tries];
        if (wait === undefined || signal.aborted) throw error;
        this.#deps.log.warn({ error: String(error), waitMs: wait }, "the bridge did not take an event; trying again");
        await sleep(wait, undefined, { signal }).catch(() => undefined); // stopping: one last try at once
      }
    }
  }

  async #sayNotTaken({ channel_id, id }: RawMessage): Promise<void> {
    const { api, log } = this.#deps;
    const body = {
      ...bodyOf({ kind: "notice", text: NOT_TAKEN }),
      message_reference: { message_id: id, fail_if_not_exists: false },
    };
    await api
      .call("POST", Routes.channelMessages(channel_id), { body })
      .catch((error: unknown) => log.error({ channel: channel_id, error: String(error) }, "could not say so"));
  }
}
