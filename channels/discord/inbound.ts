/** Gateway events -> plain data. Pure; undefined means "not a person's message to look at". */
import { ChannelType, MessageType, SnowflakeUtil } from "discord.js";
import type { Address, Attachment, Edit, Inbound, Press, User } from "../channel.ts";
import type { RawAttachment, RawChannel, RawInteraction, RawMember, RawMessage, RawUser } from "./raw.ts";
import { type Names, nameOf, readable, wordsOf } from "./text.ts";

/** Who we are where the event happened. `selfRoles` is empty when a role mention does not mean us. */
export interface Self extends Names {
  /** Our name in `accounts:`. */
  bot?: string | undefined;
}

const THREADS = new Set<number>([ChannelType.PublicThread, ChannelType.PrivateThread, ChannelType.AnnouncementThread]);
const HAS_THREADS = new Set<number>([ChannelType.GuildText, ChannelType.GuildAnnouncement]);
const WRITTEN = new Set<number>([MessageType.Default, MessageType.Reply]);

export const isThread = ({ type }: { type: number }) => THREADS.has(type);

/**
 * A message in a text channel is answered in the thread that starts from it, and that thread has the id of the message:
 * so the first message and everything inside the thread have one address, whichever way it was found.
 */
export function addressOf(
  self: Self,
  guild: string | null | undefined,
  channel: RawChannel,
  message?: string,
): Address {
  const base = { channel: "discord", account: guild ?? "dm", ...(self.bot ? { bot: self.bot } : {}) } as const;
  if (isThread(channel)) return { ...base, chat: channel.parent_id ?? channel.id, thread: channel.id };
  const starts = guild && message !== undefined && HAS_THREADS.has(channel.type);
  return starts ? { ...base, chat: channel.id, thread: message } : { ...base, chat: channel.id };
}

export function toInbound(message: RawMessage, self: Self, channel: RawChannel): Inbound | undefined {
  if (!fromPerson(message, self)) return undefined;
  const direct = !message.guild_id;
  const inbound: Inbound = {
    id: idOf(self, message.channel_id, message.id),
    at: addressOf(self, message.guild_id, channel, message.id),
    messageId: message.id,
    user: person(message.author, message.member),
    kind: direct ? "dm" : "group",
    addressed: direct || isForUs(message, self),
    text: readable(message, self),
    attachments: filesOf(message),
    sentAt: Date.parse(message.timestamp),
  };
  const quoted = quotedText(message, self);
  if (quoted !== undefined) inbound.quoted = quoted;
  const repliesTo = message.message_reference?.message_id;
  if (repliesTo !== undefined && isReplyToUs(message, self) && !direct && !isThread(channel)) {
    inbound.replyTo = repliesTo;
  }
  // A sticker or a poll says nothing that could be worked on.
  const isEmpty = inbound.text === "" && inbound.attachments.length === 0 && quoted === undefined;
  return isEmpty && !isForUs(message, self) ? undefined : inbound;
}

/** Link previews are updates too; only an edit by a person has a time of its own. */
export function toEdit(message: RawMessage, self: Self, channel: RawChannel): Edit | undefined {
  if (!message.author || !message.edited_timestamp || !fromPerson(message, self)) return undefined;
  return {
    at: addressOf(self, message.guild_id, channel, message.id),
    messageId: message.id,
    inboundId: idOf(self, message.channel_id, message.id),
    user: person(message.author, message.member),
    text: readable(message, self),
    editedAt: Date.parse(message.edited_timestamp),
  };
}

export function toCommand(interaction: RawInteraction, self: Self): Inbound | undefined {
  const { id, data, guild_id } = interaction;
  const user = interaction.member?.user ?? interaction.user;
  const channel = channelOf(interaction);
  if (!user || !channel || data?.name === undefined) return undefined;
  const given = data.options?.find(({ name }) => name === "text")?.value;
  const args = readable({ content: typeof given === "string" ? given : "" }, self);
  return {
    id: idOf(self, "interaction", id),
    at: addressOf(self, guild_id, channel),
    messageId: id,
    user: person(user, interaction.member),
    kind: guild_id ? "group" : "dm",
    addressed: true,
    text: args,
    command: { name: data.name, args },
    attachments: [],
    sentAt: SnowflakeUtil.timestampFrom(id),
  };
}

export function toPress(interaction: RawInteraction, self: Self): Press | undefined {
  const user = interaction.member?.user ?? interaction.user;
  const channel = channelOf(interaction);
  const token = interaction.data?.custom_id;
  if (!user || !channel || !interaction.message || token === undefined) return undefined;
  const at = addressOf(self, interaction.guild_id, channel);
  return {
    id: idOf(self, "interaction", interaction.id),
    at,
    user: person(user, interaction.member),
    token,
    message: { at, id: interaction.message.id },
  };
}

function channelOf({ channel, channel_id, guild_id }: RawInteraction): RawChannel | undefined {
  if (channel) return channel;
  return channel_id === undefined || guild_id ? undefined : { id: channel_id, type: ChannelType.DM };
}

/** Two of our bots in one channel both see the same message. */
function idOf(self: Self, ...parts: string[]): string {
  return [self.bot === undefined ? "discord" : `discord@${self.bot}`, ...parts].join("/");
}

function fromPerson({ author, webhook_id, type = MessageType.Default }: RawMessage, self: Self): boolean {
  return !author.bot && author.id !== self.selfId && webhook_id === undefined && WRITTEN.has(type);
}

/** `@everyone` and `@here` are not for us. */
function isForUs(message: RawMessage, self: Self): boolean {
  const named = (message.mentions ?? []).some(({ id }) => id === self.selfId);
  const byRole = (message.mention_roles ?? []).some((role) => self.selfRoles.includes(role));
  return named || byRole || isReplyToUs(message, self);
}

function isReplyToUs(message: RawMessage, self: Self): boolean {
  return message.referenced_message?.author.id === self.selfId;
}

function person(user: RawUser, member: RawMember | undefined): User {
  const name = nameOf(member ? { ...user, member } : user).toWellFormed();
  return { id: user.id, name, ...(member?.roles ? { roles: member.roles } : {}) };
}

function quotedText(message: RawMessage, self: Self): string | undefined {
  const forwarded = (message.message_snapshots ?? []).map(({ message: body }) => body);
  const bodies = message.referenced_message ? [message.referenced_message, ...forwarded] : forwarded;
  const text = bodies.map((body) => wordsOf(body, self)).join("\n\n");
  return text.trim() || undefined;
}

function filesOf(message: RawMessage): Attachment[] {
  const forwarded = (message.message_snapshots ?? []).flatMap(({ message: body }) => body.attachments ?? []);
  return [...(message.attachments ?? []), ...forwarded].map(attachment);
}

function attachment({ id, filename, content_type, size, url }: RawAttachment): Attachment {
  return {
    id,
    name: filename.toWellFormed(),
    type: content_type ?? "application/octet-stream",
    size,
    source: url,
  };
}
