/** Posts, edits and small signs. Threads are started, reopened and found to be gone here. */
import { createHash } from "node:crypto";
import { Routes } from "discord.js";
import type { Address, Channel, Content, MessageRef, PostOptions } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api, Request } from "./api.ts";
import type { Interactions } from "./interactions.ts";
import { type Body, bodyOf, fileBody, split } from "./outbound.ts";
import type { Places } from "./places.ts";

export type Sender = Required<Pick<Channel, "post" | "edit" | "find" | "typing" | "react" | "remove">>;

const SEEN = encodeURIComponent("👀");
/** How far back a post is looked for after a crash. */
const LOOK_BACK = 20;

const MOST_NONCE = 25;

interface Sent {
  id: string;
  nonce?: string | number;
}

export function createSender(api: Api, places: Places, interactions: Interactions): Sender {
  /** A request in a channel or thread: reopened once if archived, remembered if it is gone. */
  async function inside<T>(at: Address, channel: string, ask: (inThread: boolean) => Promise<T>): Promise<T> {
    const inThread = channel === at.thread;
    try {
      return await places.open(channel, () => ask(inThread));
    } catch (error) {
      if (inThread && error instanceof ChannelError && error.code === "thread_gone") places.deleted(channel);
      throw error;
    }
  }

  async function post(to: Address, content: Content, options: PostOptions = {}): Promise<MessageRef> {
    const hidden = await interactions.answer(to, content, options.onlyFor);
    if (hidden) return hidden;
    const before = content.kind === "question" ? split(content.text).slice(0, -1) : [];
    for (const [index, text] of before.entries())
      await send(to, { kind: "markdown", text }, part(options.nonce, index));
    return send(to, content, options.nonce);
  }

  async function send(to: Address, content: Content, nonce: string | undefined): Promise<MessageRef> {
    const request = await requestOf(content);
    const { channel, at, replyTo } = await places.spot(to);
    const body = {
      ...(request.body as Body),
      // Discord gives back the message it has when the same nonce comes again within some minutes.
      ...(nonce === undefined ? {} : { nonce, enforce_nonce: true }),
      ...(replyTo === undefined ? {} : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
    };
    const route = Routes.channelMessages(channel);
    const { id } = await inside(at, channel, (inThread) =>
      api.call<Sent>("POST", route, { ...request, body, inThread }),
    );
    return { at, id };
  }

  async function edit(ref: MessageRef, content: Content): Promise<void> {
    if (content.kind === "file") {
      throw new ChannelError({ code: "refused", message: "A file in Discord cannot be edited." });
    }
    const body = bodyOf(content);
    const channel = places.holds(ref);
    const route = Routes.channelMessage(channel, ref.id);
    await inside(ref.at, channel, (inThread) => api.call("PATCH", route, { body, inThread }));
  }

  async function find(at: Address, nonce: string): Promise<MessageRef | undefined> {
    const { channel, at: where } = await places.spot(at);
    const query = new URLSearchParams({ limit: String(LOOK_BACK) });
    const recent = await api.call<Sent[]>("GET", Routes.channelMessages(channel), { query });
    const mine = recent.find((message) => message.nonce === nonce);
    return mine && { at: where, id: mine.id };
  }

  async function react(ref: MessageRef, emoji: "seen" | "none"): Promise<void> {
    const channel = places.holds(ref);
    const method = emoji === "seen" ? "PUT" : "DELETE";
    const route = Routes.channelMessageOwnReaction(channel, ref.id, SEEN);
    await inside(ref.at, channel, () => api.call(method, route, { isExtra: true }));
  }

  async function typing(at: Address, on: boolean): Promise<void> {
    if (on) await api.call("POST", Routes.channelTyping(places.near(at)));
  }

  async function remove(ref: MessageRef): Promise<void> {
    const channel = places.holds(ref);
    await inside(ref.at, channel, () => api.call("DELETE", Routes.channelMessage(channel, ref.id)));
  }

  return { post, edit, find, typing, react, remove };
}

/** A question too long for one message: its first parts have nonces of their own. */
function part(nonce: string | undefined, index: number): string | undefined {
  return nonce && createHash("sha256").update(`${nonce}~${index}`).digest("base64url").slice(0, MOST_NONCE);
}

async function requestOf(content: Content): Promise<Request> {
  if (content.kind !== "file") return { body: bodyOf(content) };
  return { ...(await fileBody(content.file, content.comment)), isExtra: true };
}
