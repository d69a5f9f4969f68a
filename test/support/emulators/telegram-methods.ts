/** The Bot API methods, refusing what Telegram refuses, in Telegram's words. */

import type { Json } from "./telegram.ts";
import { ParseError, parseHtml } from "./telegram-html.ts";
import type { ApiRequest } from "./telegram-http.ts";
import type { Bot, EmulatedChat, KeyboardButton, StoredMessage, World } from "./telegram-world.ts";
import { botJson, chatJson, store } from "./telegram-world.ts";

export class Refusal extends Error {
  readonly status: number;
  readonly parameters: Json | undefined;

  constructor(status: number, description: string, parameters?: Json) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

export interface MethodContext {
  world: World;
  bot: Bot;
  request: ApiRequest;
  gone: AbortSignal;
}

type Method = (context: MethodContext) => unknown;

const MOST_TEXT = 4096;
const MOST_CAPTION = 1024;

export const methods: Record<string, Method> = {
  getMe: ({ bot }) => ({
    ...botJson(bot),
    can_join_groups: true,
    can_read_all_group_messages: bot.readsAll,
    supports_inline_queries: false,
  }),
  getUpdates: ({ bot, request, gone }) => bot.queue.poll(request.payload, gone),
  setWebhook({ bot, request: { payload } }) {
    const secret = payload.secret_token === undefined ? undefined : String(payload.secret_token);
    if (secret !== undefined && !/^[\w-]{1,256}$/.test(secret)) {
      throw new Refusal(400, "Bad Request: secret token contains unallowed characters");
    }
    bot.queue.allow(payload.allowed_updates);
    bot.queue.webhook = payload.url ? { url: String(payload.url), secret } : undefined;
    void bot.queue.pushAll();
    return true;
  },
  deleteWebhook({ bot, request: { payload } }) {
    bot.queue.webhook = undefined;
    if (payload.drop_pending_updates) bot.queue.pending.length = 0;
    return true;
  },
  getWebhookInfo: ({ bot: { queue } }) => ({
    url: queue.webhook?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: queue.pending.length,
    ...(queue.lastWebhookError ? { last_error_message: queue.lastWebhookError } : {}),
  }),
  sendMessage(context) {
    const { payload } = context.request;
    const chat = writable(context);
    const words = parsed(payload.text, payload.parse_mode, MOST_TEXT, "message is too long");
    if (!words.text) throw new Refusal(400, "Bad Request: message text is empty");
    return send(context, chat, { ...words, previewsOff: previewsOff(payload) }).raw;
  },
  sendDocument: (context) => sendFile(context, "document"),
  sendPhoto: (context) => sendFile(context, "photo"),
  editMessageText(context) {
    const { payload } = context.request;
    const chat = writable(context);
    const message = ownMessage(context, chat, "edit");
    const words = parsed(payload.text, payload.parse_mode, MOST_TEXT, "message is too long");
    if (!words.text) throw new Refusal(400, "Bad Request: message text is empty");
    return change(context, message, words.text, words.entities, keyboardOf(payload));
  },
  editMessageReplyMarkup(context) {
    const message = ownMessage(context, writable(context), "edit");
    return change(context, message, message.text, message.entities, keyboardOf(context.request.payload));
  },
  deleteMessage(context) {
    const message = ownMessage(context, writable(context), "delete");
    message.deleted = true;
    return true;
  },
  sendChatAction(context) {
    const { action, message_thread_id } = context.request.payload;
    const chat = writable(context);
    chat.actions.push({ action: String(action), thread: topicOf(chat, message_thread_id) });
    return true;
  },
  setMessageReaction(context) {
    const { payload } = context.request;
    const message = writable(context).messages.get(Number(payload.message_id));
    if (!message || message.deleted) throw new Refusal(400, "Bad Request: message to react not found");
    const [reaction] = (payload.reaction ?? []) as { emoji: string }[]; // An array by the API's own definition.
    if (reaction && !"👍👎❤🔥👀🤔🎉👌✍🤝".includes(reaction.emoji)) {
      throw new Refusal(400, "Bad Request: REACTION_INVALID");
    }
    message.reaction = reaction?.emoji;
    return true;
  },
  answerCallbackQuery({ world, request: { payload } }) {
    const id = String(payload.callback_query_id);
    if (!world.openCallbacks.delete(id)) {
      throw new Refusal(400, "Bad Request: query is too old and response timeout expired or query ID is invalid");
    }
    if (String(payload.text ?? "").length > 200) throw new Refusal(400, "Bad Request: MESSAGE_TOO_LONG");
    world.answers.push({ id, text: payload.text === undefined ? undefined : String(payload.text) });
    return true;
  },
  setMyCommands({ bot, request: { payload } }) {
    const commands = payload.commands as { command: string; description: string }[]; // Required by the API.
    for (const { command, description } of commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw new Refusal(400, "Bad Request: BOT_COMMAND_INVALID");
      if (!description || description.length > 256) throw new Refusal(400, "Bad Request: command description is wrong");
    }
    if (commands.length > 100) throw new Refusal(400, "Bad Request: BOT_COMMANDS_TOO_MUCH");
    const scope = payload.scope as { type: string } | undefined; // An object with a type, or absent.
    bot.commands.set(scope?.type ?? "default", commands as unknown as Json[]);
    return true;
  },
  getFile({ world, request: { payload } }) {
    const file = world.files.get(String(payload.file_id));
    if (!file) throw new Refusal(400, "Bad Request: wrong file_id or the file is temporarily unavailable");
    if (file.bytes.length > 20 * 1024 * 1024) throw new Refusal(400, "Bad Request: file is too big");
    const path = `documents/${String(payload.file_id)}`;
    return {
      file_id: payload.file_id,
      file_unique_id: `u${String(payload.file_id)}`,
      file_path: path,
      file_size: file.bytes.length,
    };
  },
  getChat: (context) => chatJson(findChat(context)),
};

function findChat({ world, request }: MethodContext): EmulatedChat {
  const chat = world.chats.get(String(request.payload.chat_id));
  if (!chat) throw new Refusal(400, "Bad Request: chat not found");
  return chat;
}

/** The chat of the request if the bot may write there and is not too fast. */
function writable(context: MethodContext): EmulatedChat {
  const chat = findChat(context);
  if (chat.migratedTo) {
    const parameters = { migrate_to_chat_id: Number(chat.migratedTo) };
    throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", parameters);
  }
  if (chat.refusal) throw new Refusal(chat.refusal.status, chat.refusal.description);
  const { world, bot, request } = context;
  const counted = /^(send(?!ChatAction)|editMessage)/.test(request.method);
  const wait = counted ? (world.limits?.take(String(bot.id), chat.id, world.now()) ?? 0) : 0;
  if (wait) throw new Refusal(429, `Too Many Requests: retry after ${wait}`, { retry_after: wait });
  return chat;
}

function topicOf(chat: EmulatedChat, id: unknown): number | undefined {
  if (id === undefined || id === null) return undefined;
  if (!chat.topics.has(Number(id))) throw new Refusal(400, "Bad Request: message thread not found");
  return Number(id);
}

function ownMessage({ bot, request }: MethodContext, chat: EmulatedChat, what: "edit" | "delete"): StoredMessage {
  const message = chat.messages.get(Number(request.payload.message_id));
  if (!message || message.deleted) throw new Refusal(400, `Bad Request: message to ${what} not found`);
  if (what === "edit" && message.from !== bot.id) throw new Refusal(400, "Bad Request: message can't be edited");
  return message;
}

function parsed(text: unknown, mode: unknown, most: number, tooLong: string) {
  const source = String(text ?? "");
  const result = String(mode ?? "").toUpperCase() === "HTML" ? html(source) : { text: source.trim(), entities: [] };
  if (result.text.length > most) throw new Refusal(400, `Bad Request: ${tooLong}`);
  return result;
}

function html(source: string) {
  try {
    return parseHtml(source);
  } catch (error) {
    if (error instanceof ParseError) throw new Refusal(400, `Bad Request: can't parse entities: ${error.message}`);
    throw error;
  }
}

function keyboardOf(payload: Json): KeyboardButton[][] {
  const markup = payload.reply_markup as { inline_keyboard?: KeyboardButton[][] } | undefined; // Object or absent.
  const rows = (markup?.inline_keyboard ?? []).filter((row) => row.length > 0);
  for (const button of rows.flat()) {
    const size = Buffer.byteLength(button.callback_data ?? "");
    if (size < 1 || size > 64) throw new Refusal(400, "Bad Request: BUTTON_DATA_INVALID");
    if (!button.text) throw new Refusal(400, "Bad Request: inline keyboard button text must be non-empty");
  }
  return rows;
}

function previewsOff(payload: Json): boolean {
  return (payload.link_preview_options as { is_disabled?: boolean } | undefined)?.is_disabled === true;
}

type Words = {
  text: string;
  entities: object[];
  previewsOff?: boolean;
  file?: StoredMessage["file"];
  caption?: boolean;
};

function send({ world, bot, request }: MethodContext, chat: EmulatedChat, words: Words): StoredMessage {
  const thread = topicOf(chat, request.payload.message_thread_id);
  return store(world, chat, {
    ...words,
    entities: words.entities as Json[],
    from: botJson(bot),
    keyboard: keyboardOf(request.payload),
    thread,
  });
}

function change(
  context: MethodContext,
  message: StoredMessage,
  text: string,
  entities: object[],
  keyboard: KeyboardButton[][],
) {
  const same = JSON.stringify([message.text, message.entities, message.keyboard]);
  if (JSON.stringify([text, entities, keyboard]) === same) {
    const why = "specified new message content and reply markup are exactly the same as a current content";
    throw new Refusal(400, `Bad Request: message is not modified: ${why} and reply markup of the message`);
  }
  Object.assign(message, { text, entities, keyboard });
  message.history.push({ text, keyboard, at: context.world.now() });
  Object.assign(message.raw, { text, entities, reply_markup: { inline_keyboard: keyboard } });
  return message.raw;
}

function sendFile(context: MethodContext, as: "photo" | "document") {
  const { request } = context;
  const chat = writable(context);
  const file = request.files[as];
  if (!file?.bytes.length) throw new Refusal(400, "Bad Request: file must be non-empty");
  if (as === "photo" && !isImage(file.bytes)) throw new Refusal(400, "Bad Request: IMAGE_PROCESS_FAILED");
  const words = parsed(
    request.payload.caption,
    request.payload.parse_mode,
    MOST_CAPTION,
    "message caption is too long",
  );
  return send(context, chat, { ...words, caption: true, file: { name: file.name, bytes: file.bytes, as } }).raw;
}

function isImage(bytes: Uint8Array): boolean {
  return (bytes[0] === 0x89 && bytes[1] === 0x50) || (bytes[0] === 0xff && bytes[1] === 0xd8);
}
