import type { MessageRef } from "../../../channels/channel.ts";
import { createTelegram } from "../../../channels/telegram/adapter.ts";
import { telegramChannel } from "../../../config/schema.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../emulators/telegram.ts";
import { QUICK } from "../telegram-channel.ts";
import { type ChannelDriver, ContractDoor, type DriverOptions, lineLog } from "./driver.ts";

const ANN = 9;

/** The group is a forum, so that it has threads. */
export async function telegramDriver({
  limits = false,
}: DriverOptions = {}): Promise<ChannelDriver & { telegram: TelegramEmulator }> {
  const telegram = await startTelegramEmulator({ rateLimits: limits });
  const log = lineLog();
  const door = new ContractDoor();
  const config = telegramChannel.parse({ enabled: true, bot_token: telegram.token, api_root: telegram.url });
  const channel = createTelegram(config, { log, now: Date.now }, QUICK);
  const home = { channel: "telegram" as const, account: String(telegram.bot.id) };
  const group = telegram.group({ forum: true });
  const topic = telegram.topic(group, "Plans");
  const message = ({ at, id }: MessageRef) => telegram.message(at.chat, id);
  const methodOf = (what: "post" | "edit") => (what === "post" ? "sendMessage" : "editMessageText");

  return {
    telegram,
    channel,
    door,
    log,
    secrets: [telegram.token, telegram.token.split(":")[1] ?? ""],
    mention: "@helper_bot",
    person: String(ANN),
    dm: (text) => void telegram.say(ANN, text),
    say: (text) => void telegram.say(group.id, { text, thread: topic }),
    followUp: ({ chat, thread }, text) =>
      void telegram.say(chat, { text, ...(thread === undefined ? {} : { thread: Number(thread) }) }),
    otherBot: (text) =>
      void telegram.say(group.id, { text, thread: topic, from: { id: 77, first_name: "other", is_bot: true } }),
    sendFile: ({ name, bytes }) => void telegram.say(ANN, { file: { name, bytes, type: "text/plain" } }),
    press: ({ at, id }, token) => void telegram.press(at.chat, id, token),
    whispers: () => telegram.answers.flatMap(({ text }) => text ?? []),
    deleteMessage: ({ at, id }) => telegram.deleteMessage(at.chat, id),
    shown: (ref) => message(ref).text,
    buttons: (ref) =>
      message(ref)
        .keyboard.flat()
        .map(({ callback_data }) => callback_data),
    posts: () =>
      [...telegram.world.chats.keys()].flatMap((chat) =>
        telegram.botMessages(chat).map(({ id }) => ({ at: { ...home, chat }, id: String(id) })),
      ),
    limited: () => telegram.calls.filter(({ status }) => status === 429).length,
    edits: (ref) => message(ref).history.length - 1,
    history: (ref) => message(ref).history.map(({ text }) => text),
    /** Names in text that was sent as text call nobody but their owners; a mention by id would. */
    pings: (ref) => message(ref).entities.flatMap((it) => (it.type === "text_mention" ? [JSON.stringify(it)] : [])),
    links: (ref) => message(ref).entities.flatMap((it) => (typeof it.url === "string" ? [it.url] : [])),
    file: (ref) => message(ref).file?.bytes,
    reactions: (ref) => [message(ref).reaction ?? []].flat(),
    faults: {
      limitNext: (what) =>
        telegram.failNext(methodOf(what), {
          status: 429,
          description: "Too Many Requests: retry after 2",
          parameters: { retry_after: 2 },
        }),
      failNext: (what) => telegram.failNext(methodOf(what), { status: 502, description: "Bad Gateway" }),
      revokeToken: () => void telegram.world.bots.delete(telegram.token),
      kick: () => telegram.block(group.id, "kicked"),
    },
    async close() {
      await channel.stop();
      await telegram.close();
    },
  };
}
