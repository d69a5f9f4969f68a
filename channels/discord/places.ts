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

export interface Places {
  spot(at: Address): Promise<Spot>;
  /** The channel id that holds an existing message. */
  holds(ref: MessageRef): string;
  /** The thread if it exists already, else the channel around it. */
  near(at: Address): string;
  /** Type and parent of a channel, by cache or by asking. */
  channel(id: string): Promise<RawChannel>;
  /** A message that a thread may start from. */
  started(messageId: string, text: string): void;
  deleted(threadId: string): void;
  /** Does a request in a thread; an archived one is opened once. */
  open<T>(channel: string, request: () => Promise<T>): Promise<T>;
}

/** Answers to "start a thread" that mean: not in this channel. */
const NO_THREADS = new Set<number | undefined>([
  Code.MissingPermissions,
  Code.MissingAccess,
  Code.CannotExecuteActionOnThisChannelType,
  Code.MaximumActiveThreads,
]);

export function createPlaces(api: Api, cached: (id: string) => RawChannel | undefined): Places {
  const asked = new Recent<RawChannel>();
  const starters = new Recent<string>();
  const gone = new Recent<true>();
  /** Threads that could not be started: their messages are replies in the channel. */
  const flat = new Recent<true>();
  const opening = new Map<string, Promise<Spot>>();

  const known = (id: string) => cached(id) ?? asked.get(id);

  async function channel(id: string): Promise<RawChannel> {
    // Whoever speaks in a thread shows that it is there (a private one can come back).
    gone.delete(id);
    const found = known(id);
    if (found) return found;
    const fetched = await api.call<RawChannel>("GET", Routes.channel(id));
    asked.set(id, fetched);
    return fetched;
  }

  async function spot(at: Address): Promise<Spot> {
    const { thread } = at;
    if (thread === undefined) return { channel: at.chat, at };
    if (flat.has(thread)) return reply(at, thread);
    if (gone.has(thread)) throw deletedThread();
    if (known(thread)) return { channel: thread, at };
    // Two first posts at once are one thread.
    const running = opening.get(thread) ?? start(at, thread).finally(() => opening.delete(thread));
    opening.set(thread, running);
    return running;
  }

  async function start(at: Address, thread: string): Promise<Spot> {
    const fresh = starters.get(thread);
    if (fresh === undefined && (await exists(thread))) return { channel: thread, at };
    const name = threadTitle(fresh ?? (await textOf(at.chat, thread)));
    const body = { name, auto_archive_duration: ThreadAutoArchiveDuration.OneWeek };
    try {
      asked.set(thread, await api.raw<RawChannel>("POST", Routes.threads(at.chat, thread), { body }));
      return { channel: thread, at };
    } catch (error) {
      return afterRefusal(error, at, thread);
    }
  }

  function afterRefusal(error: unknown, at: Address, thread: string): Spot {
    const code = discordCode(error);
    // Another worker, or a person, was faster.
    if (code === Code.ThreadAlreadyCreatedForMessage) {
      asked.set(thread, { id: thread, type: ChannelType.PublicThread, parent_id: at.chat });
      return { channel: thread, at };
    }
    // The question was deleted: the answer must not land in the open channel.
    if (code === Code.UnknownMessage) throw deletedThread();
    if (!NO_THREADS.has(code)) throw toChannelError(error, "the start of a thread");
    flat.set(thread, true);
    return reply(at, thread);
  }

  async function exists(thread: string): Promise<boolean> {
    try {
      asked.set(thread, await api.raw<RawChannel>("GET", Routes.channel(thread)));
      return true;
    } catch (error) {
      if (discordCode(error) === Code.UnknownChannel) return false;
      throw toChannelError(error, "the look-up of a thread");
    }
  }

  async function textOf(chat: string, message: string): Promise<string> {
    try {
      return (await api.raw<{ content: string }>("GET", Routes.channelMessage(chat, message))).content;
    } catch (error) {
      if (discordCode(error) === Code.UnknownMessage) throw deletedThread();
      throw toChannelError(error, "the look-up of a message");
    }
  }

  async function open<T>(id: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ChannelError && error.code === "thread_archived")) throw error;
      await api.call("PATCH", Routes.channel(id), { body: { archived: false } });
      return request();
    }
  }

  return {
    spot,
    channel,
    open,
    near: (at) => (at.thread !== undefined && known(at.thread) ? at.thread : at.chat),
    holds: ({ at, id }) => {
      // The message a thread started from stays in the channel; only a forum keeps it inside.
      const inChannel = at.thread === undefined || (at.thread === id && !isForum(known(at.chat)));
      return inChannel ? at.chat : (at.thread ?? at.chat);
    },
    started: (messageId, text) => starters.set(messageId, text),
    deleted(threadId) {
      asked.delete(threadId);
      gone.set(threadId, true);
    },
  };
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
