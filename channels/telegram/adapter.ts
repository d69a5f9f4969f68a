/** Telegram as a channel: telegraf's client, our own polling loop or webhook. */
import type { TelegramConfig } from "../../config/schema.ts";
import type { Address, Channel, ChannelDeps, MessageRef, NativeCommand, Pace } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { truncate } from "../markdown/text.ts";
import { type Api, createApi } from "./api.ts";
import { Connection, type TelegramTimes } from "./connection.ts";
import { examine } from "./doctor.ts";
import { fetchFile } from "./files.ts";
import { edit, post, targetOf } from "./outbound.ts";
import { fits, splitForTelegram } from "./size.ts";

const DIALECT =
  "Telegram: bold, italic, strikethrough, links, inline code, code blocks and quotes show; headings show as bold, " +
  "tables as monospaced text, so prefer short lists. A message holds 4,096 characters.";

export function createTelegram(
  config: TelegramConfig,
  deps: ChannelDeps & { account?: string | undefined },
  times: Partial<TelegramTimes> = {},
): Channel {
  const api = createApi(config.bot_token ?? "", config.api_root);
  const { log, now, account } = deps;
  const connection = new Connection({ api, config, account, log, now: () => now(), times });
  return {
    name: "telegram",
    capabilities: { edits: true, threads: true, buttons: true, files: true, streaming: true, dialect: DIALECT },
    start: (door) => connection.start(door),
    stop: () => connection.stop(),
    post: (to, content) => post(api, to, content),
    edit: (ref, content) => edit(api, ref, content),
    split: splitForTelegram,
    fitsEdit: (content) => content.kind !== "file" && fits(content),
    pace: (at) => paceOf(at, connection.self.id),
    // It cannot be taken back; it lapses after five seconds.
    typing: async (at, on) => void (on && (await api.call("sendChatAction", { ...targetOf(at), action: "typing" }))),
    react: (ref, emoji) => react(api, ref, emoji),
    remove: (ref) => remove(api, ref),
    // A private chat has the id of its person.
    direct: async (userId) => ({
      channel: "telegram",
      account: connection.self.id,
      chat: userId,
      ...(account === undefined ? {} : { bot: account }),
    }),
    fetch: (attachment, _at, maxBytes) => fetchFile(api, attachment, maxBytes),
    async commands(table) {
      connection.self = { ...connection.self, commands: new Set(table.map(({ name }) => name.toLowerCase())) };
      await register(api, table);
    },
    status: () => connection.status,
    doctor: () => examine(api, config),
  };
}

/**
 * Telegram allows about one message a second per chat, 20 a minute per group and 30 a second per bot, edits included.
 * Burst plus refill stay below these in any window.
 */
function paceOf(at: Address, botId: string): Pace[] {
  const bot = `telegram/${botId}`;
  const chat = `${bot}/chat/${at.chat}`;
  const isGroup = at.chat.startsWith("-");
  return [
    isGroup ? { key: chat, burst: 3, perMs: 10_800 } : { key: chat, burst: 3, perMs: 3300 },
    { key: bot, burst: 10, perMs: 550 },
  ];
}

function messageOf(ref: MessageRef): { chat_id: string; message_id: number } {
  return { chat_id: ref.at.chat, message_id: Number(ref.id) };
}

async function react(api: Api, ref: MessageRef, emoji: "seen" | "none"): Promise<void> {
  const reaction = emoji === "seen" ? [{ type: "emoji", emoji: "👀" }] : [];
  await api.call("setMessageReaction", { ...messageOf(ref), reaction });
}

/** A message that is not there any more is removed. */
async function remove(api: Api, ref: MessageRef): Promise<void> {
  try {
    await api.call("deleteMessage", messageOf(ref));
  } catch (error) {
    if (!(error instanceof ChannelError && /not found/i.test(error.message))) throw error;
  }
}

/** Telegram knows no admins of ours: admin commands are shown to the administrators of groups. */
async function register(api: Api, table: NativeCommand[]): Promise<void> {
  const valid = table.filter(({ name, description }) => /^[a-z0-9_]{1,32}$/.test(name) && description.length > 0);
  const shown = (list: NativeCommand[]) =>
    list.slice(0, 100).map(({ name, description }) => ({ command: name, description: truncate(description, 256) }));
  const everyone = shown(valid.filter(({ admin }) => !admin));
  await api.call("setMyCommands", { commands: everyone, scope: { type: "default" } });
  await api.call("setMyCommands", { commands: shown(valid), scope: { type: "all_chat_administrators" } });
}
