/** What people do in the emulated Telegram. Each action becomes the update a real bot would get. */
import { randomUUID } from "node:crypto";
import type { Json } from "./telegram.ts";
import type { Bot, EmulatedChat, Person, StoredMessage, World } from "./telegram-world.ts";
import { addChat, deliver, store } from "./telegram-world.ts";

export interface Say {
  text?: string;
  from?: Person;
  /** In a private chat: whose bot. Default: the first. */
  bot?: Bot;
  replyTo?: number;
  thread?: number;
  /** Replaces the entities found in the text. */
  entities?: Json[];
  /** Anything else of a Message: forward_origin, quote, sender_chat, ... */
  extra?: Json;
  file?: { name: string; bytes: Uint8Array; type?: string; as?: "document" | "photo" | "voice" };
}

export interface Users {
  ann: Person;
  group(options?: { id?: number; title?: string; type?: "group" | "supergroup"; forum?: boolean }): EmulatedChat;
  topic(chat: EmulatedChat, name: string): number;
  /** A number or id text without a chat of that name opens a private chat. */
  say(chat: number | string, say: Say | string): StoredMessage;
  editMessage(chat: number | string, id: number, text: string): void;
  deleteMessage(chat: number | string, id: number | string): void;
  /** Presses the button with this label (or data); returns the callback id. */
  press(chat: number | string, id: number | string, button: string, from?: Person): string;
  /** Turns a group into a supergroup; returns the new id. */
  migrate(chat: number | string): string;
  /** The bot may not write here any more. */
  block(chat: number | string, how?: "blocked" | "kicked" | "rights" | undefined): void;
  unblock(chat: number | string): void;
  /** What the bot answered to button presses. */
  answers: { id: string; text?: string | undefined }[];
}

const REFUSALS = {
  blocked: { status: 403, description: "Forbidden: bot was blocked by the user" },
  kicked: { status: 403, description: "Forbidden: bot was kicked from the supergroup chat" },
  rights: { status: 400, description: "Bad Request: not enough rights to send text messages to the chat" },
};

export function createUsers(world: World, firstBot: Bot): Users {
  const ann: Person = { id: 9, first_name: "Ann", username: "ann", is_bot: false };
  let nextGroup = 1;

  function chatOf(id: number | string): EmulatedChat {
    const known = world.chats.get(String(id));
    return known ?? addChat(world, { id: String(id), type: "private", title: "Ann" });
  }

  function find(chat: number | string, id: number | string): StoredMessage {
    const message = chatOf(chat).messages.get(Number(id));
    if (!message) throw new Error(`no message ${id} in chat ${chat}`);
    return message;
  }

  function say(id: number | string, input: Say | string): StoredMessage {
    const said: Say = typeof input === "string" ? { text: input } : input;
    const chat = chatOf(id);
    const entities = said.entities ?? entitiesOf(said.text ?? "");
    const message = store(world, chat, {
      from: { is_bot: false, ...(said.from ?? { ...ann, id: chat.type === "private" ? Number(chat.id) : ann.id }) },
      text: said.text ?? "",
      entities,
      caption: said.file !== undefined,
      thread: said.thread,
      extra: { ...replyJson(chat, said), ...fileJson(world, said), ...said.extra },
    });
    deliver(world, "message", message.raw, (bot) => sees(world, chat, message, bot, said.bot ?? firstBot));
    return message;
  }

  return {
    ann,
    answers: world.answers,
    say,
    group(options = {}) {
      const id = String(options.id ?? (options.type === "group" ? -100 - nextGroup : -1_001_000_000_000 - nextGroup));
      nextGroup += 1;
      const forum = options.forum ?? false;
      return addChat(world, { id, type: options.type ?? "supergroup", title: options.title ?? "Team", forum });
    },
    topic(chat, name) {
      const extra = { forum_topic_created: { name, icon_color: 0 } };
      const root = store(world, chat, { from: { ...ann }, extra });
      Object.assign(root.raw, { message_thread_id: root.id, is_topic_message: true });
      chat.topics.set(root.id, name);
      return root.id;
    },
    editMessage(chat, id, text) {
      const message = find(chat, id);
      const entities = entitiesOf(text);
      Object.assign(message, { text, entities });
      message.history.push({ text, keyboard: [], at: world.now() });
      Object.assign(message.raw, { text, entities, edit_date: Math.floor(world.now() / 1000) });
      deliver(world, "edited_message", { ...message.raw }, (bot) => sees(world, chatOf(chat), message, bot, firstBot));
    },
    deleteMessage(chat, id) {
      find(chat, id).deleted = true;
    },
    press(chat, id, label, from = ann) {
      const message = find(chat, id);
      const button = message.keyboard.flat().find(({ text, callback_data }) => [text, callback_data].includes(label));
      if (!button) throw new Error(`no button "${label}" on message ${id}`);
      const callback = randomUUID();
      world.openCallbacks.add(callback);
      const person = { is_bot: false, ...from };
      const body = { id: callback, from: person, message: message.raw, chat_instance: "1", data: button.callback_data };
      deliver(world, "callback_query", body, (bot) => bot.id === message.from);
      return callback;
    },
    migrate(id) {
      const old = chatOf(id);
      const to = String(-1_002_000_000_000 - nextGroup);
      nextGroup += 1;
      const fresh = addChat(world, { id: to, type: "supergroup", title: old.title });
      old.migratedTo = to;
      const from = { ...ann };
      const leaving = store(world, old, { from, extra: { migrate_to_chat_id: Number(to) } });
      const arriving = store(world, fresh, { from, extra: { migrate_from_chat_id: Number(old.id) } });
      for (const message of [leaving, arriving]) deliver(world, "message", message.raw, () => true);
      return to;
    },
    block(chat, how = "blocked") {
      chatOf(chat).refusal = REFUSALS[how];
    },
    unblock(chat) {
      chatOf(chat).refusal = undefined;
    },
  };
}

/** Private chats reach one bot; groups all, unless privacy mode hides the message. */
function sees(world: World, chat: EmulatedChat, message: StoredMessage, bot: Bot, own: Bot): boolean {
  if (chat.type === "private") return bot === own;
  if (bot.readsAll || message.text.startsWith("/")) return true;
  if (message.text.toLowerCase().includes(`@${bot.username.toLowerCase()}`)) return true;
  const answered = message.raw.reply_to_message as { from?: { id: number } } | undefined; // Built by replyJson.
  const named = message.entities.some((entity) => (entity.user as { id?: number } | undefined)?.id === bot.id);
  return named || answered?.from?.id === bot.id || [...world.bots.values()].some(({ id }) => id === message.from);
}

function replyJson(chat: EmulatedChat, said: Say): Json {
  const to = said.replyTo ?? said.thread;
  const target = to === undefined ? undefined : chat.messages.get(to);
  if (!target) return {};
  const { reply_to_message: _, ...raw } = target.raw;
  // In a group without topics a reply carries a thread id all the same, but is no topic message.
  const pseudo = said.thread === undefined && chat.type === "supergroup" ? { message_thread_id: target.id } : {};
  return { reply_to_message: raw, ...pseudo };
}

function fileJson(world: World, { file }: Say): Json {
  if (!file) return {};
  const id = `F${randomUUID().replaceAll("-", "")}`;
  const type = file.type ?? "application/octet-stream";
  world.files.set(id, { name: file.name, type, bytes: file.bytes });
  const facts = { file_id: id, file_unique_id: `u${id}`, file_size: file.bytes.length };
  if (file.as === "photo") {
    const small = { ...facts, file_id: `${id}-s`, width: 90, height: 60, file_size: 100 };
    return { photo: [small, { ...facts, width: 900, height: 600 }] };
  }
  if (file.as === "voice") return { voice: { ...facts, duration: 3, mime_type: "audio/ogg" } };
  return { document: { ...facts, file_name: file.name, mime_type: type } };
}

/** The entities that Telegram's own parser finds; text is not changed. */
function entitiesOf(text: string): Json[] {
  const found: Json[] = [];
  for (const match of text.matchAll(/(?<![\w/@])(?:@\w{3,}|\/\w{1,32}(?:@\w{3,})?)/g)) {
    const type = match[0].startsWith("@") ? "mention" : "bot_command";
    found.push({ type, offset: match.index, length: match[0].length });
  }
  return found;
}
