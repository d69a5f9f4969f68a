/** What people do in the Discord emulator: they write, edit, delete, press, use commands, archive and kick. */
import type { Gateway } from "./discord-gateway.ts";
import { guildCreate } from "./discord-gateway.ts";
import type { Interaction, Interactions } from "./discord-interactions.ts";
import { attach, type RestDeps } from "./discord-rest.ts";
import { flatten } from "./discord-rules.ts";
import {
  CHANNEL,
  type Person,
  toUser,
  type UploadedFile,
  type WireAttachment,
  type WireChannel,
  type WireMessage,
} from "./discord-world.ts";

export interface Say {
  user?: Person;
  /** The message this one replies to. */
  replyTo?: string;
  /** A reply pings by default. */
  pingReply?: boolean;
  files?: { name: string; type?: string; data: string | Uint8Array }[];
  /** Text of a forwarded message. */
  forward?: string;
  webhook?: boolean;
  type?: number;
}

export class People {
  readonly #deps: RestDeps;
  readonly #gateway: Gateway;
  readonly #interactions: Interactions;
  readonly alice: Person;

  constructor(deps: RestDeps, gateway: Gateway, interactions: Interactions) {
    this.#deps = deps;
    this.#gateway = gateway;
    this.#interactions = interactions;
    this.alice = deps.world.person("alice");
  }

  say(channelId: string, text: string, options: Say = {}): WireMessage {
    const { world } = this.#deps;
    const channel = this.#channel(channelId);
    const user = options.user ?? this.alice;
    const reply = this.#reply(options);
    const { message } = world.add(user, channel, {
      content: text,
      ...mentionsIn(text, world.people, options.pingReply === false ? undefined : reply.repliesTo),
      ...reply.parts,
      ...(channel.guild_id ? { guild_id: channel.guild_id, member: memberOf(user) } : {}),
      ...(options.webhook ? { webhook_id: world.id() } : {}),
      ...(options.type === undefined ? {} : { type: options.type }),
      attachments: this.#files(options),
    });
    if (channel.thread_metadata?.archived) this.archive(channel.id, { archived: false });
    this.#gateway.dispatch("MESSAGE_CREATE", message);
    return message;
  }

  dm(text: string, options: Say = {}): WireMessage {
    return this.say(this.#deps.world.dmWith(options.user ?? this.alice).id, text, options);
  }

  edit(messageId: string, text: string): WireMessage {
    const message = this.#message(messageId);
    Object.assign(message, mentionsIn(text, this.#deps.world.people), { content: text });
    const before = Date.parse(message.edited_timestamp ?? message.timestamp);
    message.edited_timestamp = new Date(Math.max(Date.now(), before + 1)).toISOString();
    this.#gateway.dispatch("MESSAGE_UPDATE", message);
    return message;
  }

  /** A link preview arrives: an update without a change of the text. */
  unfurl(messageId: string): void {
    const message = this.#message(messageId);
    message.embeds = [{ type: "link", title: "Preview" }];
    this.#gateway.dispatch("MESSAGE_UPDATE", message);
  }

  remove(messageId: string): void {
    const message = this.#message(messageId);
    this.#deps.world.stored.delete(messageId);
    const { channel_id, guild_id } = message;
    this.#gateway.dispatch("MESSAGE_DELETE", { id: messageId, channel_id, guild_id });
  }

  /** `button`: its label or its custom id. */
  press(messageId: string, button: string, options: { user?: Person } = {}): Interaction {
    const message = this.#message(messageId);
    const found = flatten(message.components).find(
      ({ type, label, custom_id }) => type === 2 && (label === button || custom_id === button),
    );
    if (!found) throw new Error(`No button ${button} on message ${messageId}.`);
    const data = { component_type: 2, custom_id: found.custom_id, id: 1 };
    return this.#interactions.open(3, this.#channel(message.channel_id), options.user ?? this.alice, data, message);
  }

  slash(channelId: string, name: string, text?: string, options: { user?: Person } = {}): Interaction {
    const known = this.#interactions.commands.some((command) => command.name === name);
    if (!known) throw new Error(`The bot has not registered /${name}.`);
    const given = text === undefined ? {} : { options: [{ name: "text", type: 3, value: text }] };
    const data = { id: this.#deps.world.id(), name, type: 1, ...given };
    return this.#interactions.open(2, this.#channel(channelId), options.user ?? this.alice, data);
  }

  /** A person opens a thread, from a message or on its own. */
  startThread(channelId: string, name: string, options: { message?: string; user?: Person } = {}): WireChannel {
    const { message, user = this.alice } = options;
    const own = { owner: user.id, ...(message === undefined ? {} : { id: message }) };
    const thread = this.#deps.world.addThread(channelId, name, own);
    this.#gateway.dispatch("THREAD_CREATE", { ...thread, newly_created: true });
    return thread;
  }

  /** A forum post: the thread and its first message share the id. */
  forumPost(forumId: string, name: string, text: string, options: Say = {}): WireMessage {
    const thread = this.startThread(forumId, name);
    const message = this.say(thread.id, text, options);
    this.#deps.world.stored.delete(message.id);
    return message;
  }

  archive(threadId: string, change: { archived?: boolean; locked?: boolean } = { archived: true }): void {
    const thread = this.#channel(threadId);
    Object.assign(thread.thread_metadata ?? {}, change);
    this.#gateway.dispatch("THREAD_UPDATE", thread);
  }

  deleteChannel(id: string): void {
    const channel = this.#channel(id);
    this.#deps.world.channels.delete(id);
    const { guild_id, parent_id, type } = channel;
    this.#gateway.dispatch(type === CHANNEL.thread ? "THREAD_DELETE" : "CHANNEL_DELETE", {
      ...channel,
      id,
      guild_id,
      parent_id,
      type,
    });
  }

  kick(): void {
    this.#deps.world.kicked = true;
    this.#gateway.dispatch("GUILD_DELETE", { id: this.#deps.world.guildId });
  }

  invite(): void {
    this.#deps.world.kicked = false;
    this.#gateway.dispatch("GUILD_CREATE", guildCreate(this.#deps.world));
  }

  #channel(id: string): WireChannel {
    const channel = this.#deps.world.channels.get(id);
    if (!channel) throw new Error(`The emulator has no channel ${id}.`);
    return channel;
  }

  #message(id: string): WireMessage {
    const stored = this.#deps.world.stored.get(id);
    if (!stored) throw new Error(`The emulator has no message ${id}.`);
    return stored.message;
  }

  #reply({ replyTo, forward }: Say): { parts: Partial<WireMessage>; repliesTo?: Person } {
    const { people } = this.#deps.world;
    if (forward !== undefined) {
      const snapshot = { content: forward, attachments: [], mentions: [], embeds: [], timestamp: "", type: 0 };
      return { parts: { message_reference: { type: 1 }, message_snapshots: [{ message: snapshot }] } };
    }
    if (replyTo === undefined) return { parts: {} };
    const target = this.#message(replyTo);
    const reference = { type: 0, message_id: target.id, channel_id: target.channel_id };
    const repliesTo = people.get(target.author.id);
    const parts = { type: 19, message_reference: reference, referenced_message: target };
    return repliesTo ? { parts, repliesTo } : { parts };
  }

  #files({ files = [] }: Say): WireAttachment[] {
    return files.map(({ name, type = "text/plain", data }) => {
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
      const file: UploadedFile = { name, type, data: bytes };
      return attach(this.#deps, file);
    });
  }
}

function mentionsIn(text: string, people: Map<string, Person>, extra?: Person): Partial<WireMessage> {
  const named = [...text.matchAll(/<@!?(\d+)>/g)].flatMap(([, id = ""]) => people.get(id) ?? []);
  const all = new Set(extra ? [...named, extra] : named);
  return {
    mentions: [...all].map((person) => ({ ...toUser(person), member: memberOf(person) })),
    mention_roles: [...text.matchAll(/<@&(\d+)>/g)].map(([, id = ""]) => id),
    mention_everyone: /@(?:everyone|here)\b/.test(text),
  };
}

function memberOf({ roles, nick }: Person): { roles: string[]; nick: string | null } {
  return { roles, nick: nick ?? null };
}
