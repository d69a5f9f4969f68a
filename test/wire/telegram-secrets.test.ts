import { spawn } from "node:child_process";
import type { Address, Channel } from "../../channels/channel.ts";
import { startTelegramEmulator, type TelegramEmulator, until } from "../support/emulators/telegram.ts";
import { telegramOn } from "../support/telegram-channel.ts";

let emulator: TelegramEmulator;
const ann: Address = { channel: "telegram", account: "555", chat: "9" };
const ref = { at: ann, id: "1" };

beforeEach(async () => {
  emulator = await startTelegramEmulator();
});

afterEach(() => emulator.close());

/** Everything an error carries, hidden fields too. */
function everything(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? "";
  const fields = Object.getOwnPropertyNames(error).map((key) => String(Reflect.get(error, key)));
  return [error.stack, ...fields, error.cause === undefined ? "" : everything(error.cause)].join("\n");
}

const file = { id: "1", name: "x", type: "t", size: 1, source: "F1" };
const CALLS: [string, (channel: Channel) => Promise<unknown> | undefined][] = [
  ["sendMessage", (channel) => channel.post(ann, { kind: "notice", text: "a private sentence" })],
  ["editMessageText", (channel) => channel.edit(ref, { kind: "notice", text: "a private sentence" })],
  ["sendChatAction", (channel) => channel.typing?.(ann, true)],
  ["setMessageReaction", (channel) => channel.react?.(ref, "seen")],
  ["deleteMessage", (channel) => channel.remove?.(ref)],
  ["setMyCommands", (channel) => channel.commands?.([{ name: "a", description: "b", admin: false }])],
  ["getFile", (channel) => channel.fetch?.(file, ann, 1000)],
];

describe("the token", () => {
  it.each(CALLS)("is in no error of %s", async (method, call) => {
    const { channel } = telegramOn(emulator);
    for (const failure of [{ status: 0, drop: true }, { status: 502 }, { status: 401, description: emulator.token }]) {
      emulator.failNext(method, failure);
      const error = await call(channel)?.catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: "ChannelError" });
      expect(everything(error)).not.toContain(emulator.token.split(":")[1]);
      expect(everything(error)).not.toContain("private sentence");
    }
  });

  it("is in no error of a download", async () => {
    const { channel, door } = telegramOn(emulator);
    await channel.start(door);
    emulator.say(9, { text: "x", file: { name: "x", bytes: Buffer.from("x") } });
    const [sent] = (await until(() => door.inbounds[0])).attachments;
    const dead = telegramOn(emulator, { api_root: "http://127.0.0.1:9" }).channel;
    for (const broken of [dead, channel]) {
      for (const stored of emulator.world.files.values()) stored.bytes = Buffer.alloc(5000);
      const error = await broken.fetch?.(sent ?? file, ann, 1000).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: "ChannelError" });
      expect(everything(error)).not.toContain(emulator.token.split(":")[1]);
    }
    await channel.stop();
  });

  it("is in no log line and no status while polling fails in every way", async () => {
    const { channel, door, log } = telegramOn(emulator);
    await channel.start(door);
    for (const failure of [{ status: 0, drop: true }, { status: 500 }, { status: 409, description: "Conflict" }]) {
      const seen = log.lines.length;
      await until(() => emulator.bot.queue.waiting);
      emulator.failNext("getUpdates", failure, 2);
      emulator.say(9, "wake");
      await until(() => log.lines.slice(seen).some((line) => line.includes('"up"')));
    }
    door.onAccept = () => {
      throw new Error(`leaks ${emulator.token}`);
    };
    emulator.say(9, "poison");
    await until(() => log.lines.some((line) => line.includes("given up")));
    await channel.stop();
    const written = log.lines.join("\n") + JSON.stringify(channel.status());
    expect(written).toMatch(/reconnecting/);
    expect(written).not.toContain(emulator.token.split(":")[1]);
  });
});

describe("a process", () => {
  it("ends by itself after stop, with a poll held and nothing printed", async () => {
    const adapter = new URL("../../channels/telegram/adapter.ts", import.meta.url).href;
    const schema = new URL("../../config/schema.ts", import.meta.url).href;
    const code = `
      const { createTelegram } = await import(${JSON.stringify(adapter)});
      const { telegramChannel } = await import(${JSON.stringify(schema)});
      const [, token, api_root] = process.argv;
      const none = () => undefined;
      const log = { debug: none, info: none, warn: none, error: none };
      const door = { accept: async () => void channel.stop() };
      const channel = createTelegram(telegramChannel.parse({ bot_token: token, api_root }), { log, now: Date.now });
      await channel.start(door);`;
    const args = ["--no-warnings", "--input-type=module", "-e", code, emulator.token, emulator.url];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
    await until(() => emulator.bot.queue.waiting, 10_000);
    emulator.say(9, "stop now");
    const exit = await new Promise((resolve) => child.on("exit", resolve));
    expect([exit, output]).toEqual([0, ""]);
    expect(emulator.bot.queue.pending).toEqual([]);
  }, 20_000);
});
