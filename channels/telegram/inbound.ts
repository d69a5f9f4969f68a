/** Telegram updates as plain data. Pure; null = nothing for us. */
import type { Address, Attachment, Edit, Inbound, Migration, Press, User } from "../channel.ts";
import { type Self as Names, readWords, type Words } from "./entities.ts";
import type { TgCallback, TgFile, TgMessage, TgUser } from "./wire.ts";

export interface Self extends Names {
  /** Our name under `accounts:`, when there are several bots. */
  account?: string | undefined;
}

/** The id Telegram gives to the General topic on the way in and refuses on the way out. */
const GENERAL_TOPIC = 1;

export function addressOf(
  message: Pick<TgMessage, "chat" | "message_thread_id" | "is_topic_message">,
  self: Self,
): Address {
  const { message_thread_id: thread, is_topic_message: inTopic } = message;
  // Replies in groups without topics carry a thread id too; it must not be sent back.
  const real = inTopic === true && thread !== undefined && thread !== GENERAL_TOPIC;
  return {
    channel: "telegram",
    account: self.id,
    chat: String(message.chat.id),
    ...(real ? { thread: String(thread) } : {}),
    ...(self.account === undefined ? {} : { bot: self.account }),
  };
}

/**
 * Built from chat and message, not from `update_id`: the message has the same id in every redelivery, in a webhook
 * as in a poll, and an edit (a new update) can name the message it changes. The bot's id keeps accounts apart.
 */
export function inboundId(message: TgMessage, self: Self): string {
  return `telegram:${self.id}:${message.chat.id}:${message.message_id}`;
}

/** Photos of one album are messages of their own here, as Telegram sends them. */
export function toInbound(message: TgMessage, self: Self): Inbound | null {
  const user = authorOf(message, self);
  const kind = kindOf(message);
  if (!user || !kind || isService(message)) return null;
  const foreign = isForeign(message);
  const words = readWords(message, self);
  const reply = repliedTo(message);
  const named = kind === "dm" || (!foreign && isNamed(words));
  const byReply = !named && !foreign && !words.forOther && isOwn(reply, self);
  const quoted = foreign ? words.text : quotedBy(message, reply, self);
  return {
    id: inboundId(message, self),
    at: addressOf(message, self),
    messageId: String(message.message_id),
    user,
    kind,
    addressed: named || byReply,
    ...(byReply ? { byReply } : {}),
    text: foreign ? "" : words.text,
    ...(quoted ? { quoted } : {}),
    ...(kind === "group" && reply ? { replyTo: String(reply.message_id) } : {}),
    attachments: attachmentsOf(message),
    sentAt: (message.date ?? 0) * 1000,
  };
}

/** Telegram does not say what the text was before: an edit of something else (a live location) has no text. */
export function toEdit(message: TgMessage, self: Self): Edit | null {
  const user = authorOf(message, self);
  if (!user || !kindOf(message) || isForeign(message)) return null;
  const { text } = readWords(message, self);
  if (!text) return null;
  return {
    at: addressOf(message, self),
    messageId: String(message.message_id),
    inboundId: inboundId(message, self),
    user,
    text,
    editedAt: (message.edit_date ?? message.date ?? 0) * 1000,
  };
}

export function toPress(callback: TgCallback, self: Self): Press | null {
  const { message, data } = callback;
  if (!message || !data || callback.from.is_bot) return null;
  const at = addressOf(message, self);
  return {
    id: `telegram:${self.id}:press:${callback.id}`,
    at,
    user: userOf(callback.from),
    token: data,
    message: { at, id: String(message.message_id) },
  };
}

/** Both chats tell of a migration; either message alone is enough. */
export function toMigration(message: TgMessage, self: Self): Migration | null {
  const here = addressOf({ chat: message.chat }, self);
  const there = (id: number): Address => ({ ...here, chat: String(id) });
  if (message.migrate_to_chat_id !== undefined) return { from: here, to: there(message.migrate_to_chat_id) };
  if (message.migrate_from_chat_id !== undefined) return { from: there(message.migrate_from_chat_id), to: here };
  return null;
}

function kindOf({ chat }: TgMessage): Inbound["kind"] | undefined {
  if (chat.type === "private") return "dm";
  return chat.type === "group" || chat.type === "supergroup" ? "group" : undefined;
}

/** A person. An anonymous admin speaks as the group itself; bots and channels are not listened to. */
function authorOf(message: TgMessage, self: Self): User | undefined {
  const { from, sender_chat: sender, chat } = message;
  if (message.is_automatic_forward) return undefined;
  if (sender && sender.id === chat.id) return { id: String(sender.id), name: sender.title ?? "Anonymous admin" };
  if (!from || from.is_bot || String(from.id) === self.id) return undefined;
  return userOf(from);
}

function userOf(user: TgUser): User {
  const name = [user.first_name, user.last_name].filter(Boolean).join(" ");
  return { id: String(user.id), name: name || user.username || String(user.id) };
}

/** Joins, pins, stickers, polls: nothing that can be read or downloaded. */
function isService(message: TgMessage): boolean {
  return message.text === undefined && message.caption === undefined && attachmentsOf(message).length === 0;
}

/** Words of somebody else, passed on: forwarded, or made by another bot. */
function isForeign({ forward_origin, forward_date, via_bot }: TgMessage): boolean {
  return forward_origin !== undefined || forward_date !== undefined || via_bot !== undefined;
}

/** In a topic every message "replies" to the service message that opened the topic. */
function repliedTo(message: TgMessage): TgMessage | undefined {
  const reply = message.reply_to_message;
  if (!reply || reply.forum_topic_created) return undefined;
  if (message.is_topic_message && reply.message_id === message.message_thread_id) return undefined;
  return reply;
}

function isNamed({ forOther, mentioned, bareCommand }: Words): boolean {
  return !forOther && (mentioned || bareCommand);
}

function isOwn(message: TgMessage | undefined, self: Self): boolean {
  return message?.from !== undefined && String(message.from.id) === self.id;
}

/** The marked part of the answered message; else all of it, unless it is ours and so in the history already. */
function quotedBy(message: TgMessage, reply: TgMessage | undefined, self: Self): string | undefined {
  if (message.quote?.text) return message.quote.text;
  return reply && !isOwn(reply, self) ? (reply.text ?? reply.caption) : undefined;
}

function attachmentsOf(message: TgMessage): Attachment[] {
  const photo = message.photo?.toSorted((a, b) => areaOf(a) - areaOf(b)).at(-1);
  const { message_id: n, document, voice, audio, video, video_note: note } = message;
  const found: [TgFile | undefined, string, string][] = [
    [photo, `photo-${n}.jpg`, "image/jpeg"],
    [document, `document-${n}`, "application/octet-stream"],
    [voice, `voice-${n}.ogg`, "audio/ogg"],
    [audio, `audio-${n}.mp3`, "audio/mpeg"],
    [video, `video-${n}.mp4`, "video/mp4"],
    [note, `video-${n}.mp4`, "video/mp4"],
  ];
  return found.flatMap(([file, name, type]) => (file ? [attachment(file, name, type)] : []));
}

function areaOf({ width = 0, height = 0 }: TgFile): number {
  return width * height;
}

function attachment(file: TgFile, name: string, type: string): Attachment {
  return {
    id: file.file_unique_id ?? file.file_id,
    name: file.file_name || name,
    type: file.mime_type || type,
    size: file.file_size ?? 0,
    source: file.file_id,
  };
}
