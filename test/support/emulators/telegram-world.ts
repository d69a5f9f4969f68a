/** What the emulated Telegram knows: chats, members, messages with their edit history, files. */

import type { Json } from "./telegram.ts";
import type { UploadedFile } from "./telegram-http.ts";
import { FloodLimits } from "./telegram-limits.ts";
import type { UpdateQueue } from "./telegram-updates.ts";

export interface Bot {
  id: number;
  username: string;
  token: string;
  /** False = privacy mode: in groups only commands, mentions and replies arrive. */
  readsAll: boolean;
  queue: UpdateQueue;
  commands: Map<string, Json[]>;
}

export interface Person {
  id: number;
  first_name: string;
  username?: string;
  is_bot?: boolean;
}

export interface KeyboardButton {
  text: string;
  callback_data: string;
}

export interface StoredMessage {
  id: number;
  chat: string;
  /** Bot id or person id. */
  from: number;
  text: string;
  entities: Json[];
  keyboard: KeyboardButton[][];
  thread?: number | undefined;
  /** Every state it had, the first one included. */
  history: { text: string; keyboard: KeyboardButton[][]; at: number }[];
  deleted: boolean;
  reaction?: string | undefined;
  file?: { name: string; bytes: Uint8Array; as: "photo" | "document" } | undefined;
  previewsOff: boolean;
  /** As sent in updates. */
  raw: Json;
}

export interface EmulatedChat {
  id: string;
  type: "private" | "group" | "supergroup" | "channel";
  title: string;
  forum: boolean;
  topics: Map<number, string>;
  messages: Map<number, StoredMessage>;
  nextId: number;
  /** Why the bot may not write here, as Telegram words it. */
  refusal?: { status: number; description: string } | undefined;
  migratedTo?: string | undefined;
  actions: { action: string; thread?: number | undefined }[];
}

export interface Call {
  method: string;
  payload: Json;
  at: number;
  status: number;
}

export interface Failure {
  status: number;
  description?: string;
  parameters?: Json;
  /** Closes the connection without an answer. */
  drop?: boolean;
}

export interface World {
  bots: Map<string, Bot>;
  chats: Map<string, EmulatedChat>;
  files: Map<string, UploadedFile>;
  answers: { id: string; text?: string | undefined }[];
  openCallbacks: Set<string>;
  calls: Call[];
  failures: Map<string, { failure: Failure; times: number }>;
  limits: FloodLimits | undefined;
  now(): number;
}

export function createWorld(options: { rateLimits: boolean; now(): number }): World {
  return {
    bots: new Map(),
    chats: new Map(),
    files: new Map(),
    answers: [],
    openCallbacks: new Set(),
    calls: [],
    failures: new Map(),
    limits: options.rateLimits ? new FloodLimits() : undefined,
    now: options.now,
  };
}

export function addChat(world: World, chat: Pick<EmulatedChat, "id" | "type" | "title"> & { forum?: boolean }) {
  const made: EmulatedChat = {
    forum: false,
    topics: new Map(),
    messages: new Map(),
    // The first message of a supergroup tells of its creation; 1 is also the General topic's id.
    nextId: chat.type === "supergroup" ? 2 : 1,
    actions: [],
    ...chat,
  };
  world.chats.set(chat.id, made);
  return made;
}

export function chatJson(chat: EmulatedChat): Json {
  const name = chat.type === "private" ? { first_name: chat.title } : { title: chat.title };
  return { id: Number(chat.id), type: chat.type, ...name, ...(chat.forum ? { is_forum: true } : {}) };
}

export function botJson(bot: Bot): Json {
  return { id: bot.id, is_bot: true, first_name: bot.username, username: bot.username };
}

export interface NewMessage {
  from: Json;
  text?: string;
  entities?: Json[];
  keyboard?: KeyboardButton[][];
  thread?: number | undefined;
  extra?: Json;
  file?: StoredMessage["file"];
  previewsOff?: boolean;
  /** The text is a caption. */
  caption?: boolean;
}

export function store(world: World, chat: EmulatedChat, message: NewMessage): StoredMessage {
  const id = chat.nextId++;
  const { text = "", entities = [], keyboard = [], thread } = message;
  const words = message.caption ? { caption: text, caption_entities: entities } : { text, entities };
  const raw: Json = {
    message_id: id,
    date: Math.floor(world.now() / 1000),
    chat: chatJson(chat),
    from: message.from,
    ...(text ? words : {}),
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    ...(keyboard.length ? { reply_markup: { inline_keyboard: keyboard } } : {}),
    ...message.extra,
  };
  const stored: StoredMessage = {
    id,
    chat: chat.id,
    from: Number(message.from.id),
    text,
    entities,
    keyboard,
    thread,
    history: [{ text, keyboard, at: world.now() }],
    deleted: false,
    file: message.file,
    previewsOff: message.previewsOff ?? false,
    raw,
  };
  chat.messages.set(id, stored);
  return stored;
}

/** Sends an event of a chat to the bots that would see it. */
export function deliver(world: World, kind: string, body: Json, sees: (bot: Bot) => boolean): number | undefined {
  let id: number | undefined;
  for (const bot of world.bots.values()) if (sees(bot)) id = bot.queue.push(kind, body) ?? id;
  return id;
}
