/** Posts, edits and small signs. Threads are started, reopened and found to be gone here. */
import { createHash } from "node:crypto";
import { Routes } from "discord.js";
import type { Address, Content, MessageRef, PostOptions } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api, Request } from "./api.ts";
import type { Interactions } from "./interactions.ts";
import { type Body, bodyOf, fileBody, split } from "./outbound.ts";
import type { Places } from "./places.ts";

const SEEN = encodeURIComponent("👀");
/** How far back a post is looked for after a crash. */
const LOOK_BACK = 20;
const MOST_NONCE = 25;

interface Sent {
  id: string;
  nonce?: string | number;
}

export class Sender {
  readonly #api: Api;
  readonly #places: Places;
  readonly #interactions: Interactions;

  constructor(api: Api, places: Places, interactions: Interactions) {
    this.#api = api;
    this.#places = places;
    this.#interactions = interactions;
  }

  async post(to: Address, content: Content, { nonce, onlyFor }: PostOptions = {}): Promise<MessageRef> {
    const hidden = await this.#interactions.answer(to, content, onlyFor);
    if (hidden) return hidden;
    const before = content.kind === "question" ? split(content.text).slice(0, -1) : [];
    for (const [index, text] of before.entries()) await this.#send(to, { kind: "markdown", text }, part(nonce, index));
    return this.#send(to, content, nonce);
  }

  async edit(ref: MessageRef, content: Content): Promise<void> {
    if (content.kind === "file") {
      throw new ChannelError({ code: "refused", message: "A file in Discord cannot be edited." });
    }
    const body = bodyOf(content);
    await this.#on(ref, (channel, inThread) =>
      this.#api.call("PATCH", Routes.channelMessage(channel, ref.id), { body, inThread }),
    );
  }

  async find(at: Address, nonce: string): Promise<MessageRef | undefined> {
    const { channel, at: where } = await this.#places.spot(at);
    const query = new URLSearchParams({ limit: String(LOOK_BACK) });
    const recent = await this.#api.call<Sent[]>("GET", Routes.channelMessages(channel), { query });
    const mine = recent.find((message) => message.nonce === nonce);
    return mine && { at: where, id: mine.id };
  }

  async react(ref: MessageRef, emoji: "seen" | "none"): Promise<void> {
    const method = emoji === "seen" ? "PUT" : "DELETE";
    await this.#on(ref, (channel) =>
      this.#api.call(method, Routes.channelMessageOwnReaction(channel, ref.id, SEEN), { isExtra: true }),
    );
  }

  async typing(at: Address, on: boolean): Promise<void> {
    if (on) await this.#api.call("POST", Routes.channelTyping(this.#places.near(at)), { isExtra: true });
  }

  async remove(ref: MessageRef): Promise<void> {
    await this.#on(ref, (channel) => this.#api.call("DELETE", Routes.channelMessage(channel, ref.id)));
  }

  async #send(to: Address, content: Content, nonce: string | undefined): Promise<MessageRef> {
    const request = await requestOf(content);
    const { channel, at, replyTo } = await this.#places.spot(to);
    const body = {
      ...request.body,
      // Discord gives back the message it has when the same nonce comes again within some minutes.
      ...(nonce === undefined ? {} : { nonce, enforce_nonce: true }),
      ...(replyTo === undefined ? {} : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
    };
    const { id } = await this.#inside(at, channel, (inThread) =>
      this.#api.call<Sent>("POST", Routes.channelMessages(channel), { ...request, body, inThread }),
    );
    return { at, id };
  }

  /** A request about a message of the past. */
  async #on(ref: MessageRef, ask: (channel: string, inThread: boolean) => Promise<unknown>): Promise<void> {
    const channel = this.#places.holds(ref);
    await this.#inside(ref.at, channel, (inThread) => ask(channel, inThread));
  }

  /** Reopened once if archived, remembered if it is gone. */
  async #inside<T>(at: Address, channel: string, ask: (inThread: boolean) => Promise<T>): Promise<T> {
    const inThread = channel === at.thread;
    try {
      return await this.#places.open(channel, () => ask(inThread));
    } catch (error) {
      if (error instanceof ChannelError && error.code === "thread_gone") this.#places.deleted(channel);
      throw error;
    }
  }
}

/** The first parts of a question too long for one message have nonces of their own. */
function part(nonce: string | undefined, index: number): string | undefined {
  return nonce && createHash("sha256").update(`${nonce}~${index}`).digest("base64url").slice(0, MOST_NONCE);
}

async function requestOf(content: Content): Promise<Request & { body: Body }> {
  if (content.kind !== "file") return { body: bodyOf(content) };
  return { ...(await fileBody(content.file, content.comment)), isExtra: true };
}
