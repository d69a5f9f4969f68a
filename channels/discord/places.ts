/** Where a message goes: the channel, or the thread of an address, which is started when the first post needs it. */
import { ChannelType, RESTJSONErrorCodes as Code, Routes, ThreadAutoArchiveDuration } from "discord.js";
import type { Address, MessageRef } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { threadTitle } from "../markdown/title.ts";
import type { Api } from "./api.ts";
import { discordCode, toChannelError } from "./errors.ts";
import type { RawChannel } from "./raw.ts";
import { Recent } from "./recent.ts";

export interface Spot {
  /** The channel or thread to send to. */
  channel: string;
  /** The address under which the message will be found again. */
  at: Address;
  /** The message to reply to, where there can be no thread. */
  replyTo?: string;
}

/** More of a message is not looked at for a title. */
const TITLE_SOURCE = 400;

/** Answers to "start a thread" that mean: not in this channel. */
const NO_THREADS = new Set<number | undefined>([
  Code.MissingPermissions,
  Code.MissingAccess,
  Code.CannotExecuteActionOnThisChannelType,
  Code.MaximumActiveThreads,
]);

export class Places {
  readonly #api: Api;
  readonly #cached: (id: string) => RawChannel | undefined;
  readonly #asked = new Recent<RawChannel>();
  /** Beginnings of messages that a thread may start from. */
  readonly #starters = new Recent<string>();
  readonly #gone = new Recent<true>();
  /** Threads that could not be started: their messages are replies in the channel. */
  readonly #flat = new Recent<true>();
  readonly #opening = new Map<string, Promise<Spot>>();

  constructor(api: Api, cached: (id: string) => RawChannel | undefined) {
    this.#api = api;
    this.#cached = cached;
  }

  /** Type and parent of the channel of a message that just came. */
  async channel(id: string): Promise<RawChannel> {
    // Whoever speaks in a thread shows that it is there (a private one can come back).
    this.#gone.delete(id);
    const found = this.#known(id);
    if (found) return found;
    const fetched = await this.#api.call<RawChannel>("GET", Routes.channel(id));
    this.#asked.set(id, fetched);
    return fetched;
  }

  started(messageId: string, text: string): void {
    this.#starters.set(messageId, text.slice(0, TITLE_SOURCE));
  }

  deleted(threadId: string): void {
    this.#asked.delete(threadId);
    this.#gone.set(threadId, true);
  }

  /** Where a new message goes. Starts the thread if it must. */
  async spot(at: Address): Promise<Spot> {
    const { thread } = at;
    if (thread === undefined) return { channel: at.chat, at };
    if (this.#flat.has(thread)) return reply(at, thread);
    if (this.#gone.has(thread)) throw deletedThread();
    if (this.#known(thread)) return { channel: thread, at };
    // Two first posts at once are one thread.
    const running = this.#opening.get(thread) ?? this.#start(at, thread).finally(() => this.#opening.delete(thread));
    this.#opening.set(thread, running);
    return running;
  }

  /** The thread if it exists already, else the channel around it. */
  near(at: Address): string {
    return at.thread !== undefined && this.#known(at.thread) ? at.thread : at.chat;
  }

  /** The channel id that holds an existing message. */
  holds({ at, id }: MessageRef): string {
    // The message a thread started from stays in the channel; only a forum keeps it inside.
    const inChannel = at.thread === undefined || (at.thread === id && !isForum(this.#known(at.chat)));
    return inChannel ? at.chat : (at.thread ?? at.chat);
  }

  /** Does a request in a channel or thread; an archived thread is opened once. */
  async open<T>(channel: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ChannelError && error.code === "thread_archived")) throw error;
      await this.#api.call("PATCH", Routes.channel(channel), { body: { archived: false } });
      return request();
    }
  }

  #known(id: string): RawChannel | undefined {
    return this.#cached(id) ?? this.#asked.get(id);
  }

  async #start(at: Address, thread: string): Promise<Spot> {
    const fresh = this.#starters.get(thread);
    if (fresh === undefined && (await this.#exists(thread))) return { channel: thread, at };
    const name = threadTitle(fresh ?? (await this.#textOf(at.chat, thread)));
    const body = { name, auto_archive_duration: ThreadAutoArchiveDuration.OneWeek };
    try {
      this.#asked.set(thread, await this.#api.raw<RawChannel>("POST", Routes.threads(at.chat, thread), { body }));
      return { channel: thread, at };
    } catch (error) {
      return this.#afterRefusal(error, at, thread);
    }
  }

  #afterRefusal(error: unknown, at: Address, thread: string): Spot {
    const code = discordCode(error);
    // Another worker, or a person, was faster.
    if (code === Code.ThreadAlreadyCreatedForMessage) {
      this.#asked.set(thread, { id: thread, type: ChannelType.PublicThread, parent_id: at.chat });
      return { channel: thread, at };
    }
    // The question was deleted: the answer must not land in the open channel.
    if (code === Code.UnknownMessage) throw deletedThread();
    if (!NO_THREADS.has(code)) throw toChannelError(error, "the start of a thread");
    this.#flat.set(thread, true);
    return reply(at, thread);
  }

  async #exists(thread: string): Promise<boolean> {
    try {
      this.#asked.set(thread, await this.#api.raw<RawChannel>("GET", Routes.channel(thread)));
      return true;
    } catch (error) {
      if (discordCode(error) === Code.UnknownChannel) return false;
      throw toChannelError(error, "the look-up of a thread");
    }
  }

  async #textOf(chat: string, message: string): Promise<string> {
    try {
      return (await this.#api.raw<{ content: string }>("GET", Routes.channelMessage(chat, message))).content;
    } catch (error) {
      if (discordCode(error) === Code.UnknownMessage) throw deletedThread();
      throw toChannelError(error, "the look-up of a message");
    }
  }
}

function reply(at: Address, message: string): Spot {
  const { thread: _, ...channel } = at;
  return { channel: at.chat, at: channel, replyTo: message };
}

function deletedThread(): ChannelError {
  return new ChannelError({
    code: "thread_gone",
    message: "The Discord thread, or the message it starts from, is gone.",
  });
}

function isForum(channel: RawChannel | undefined): boolean {
  return channel?.type === ChannelType.GuildForum || channel?.type === ChannelType.GuildMedia;
}
