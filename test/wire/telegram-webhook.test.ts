import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startTelegramEmulator, type TelegramEmulator, until } from "../support/emulators/telegram.ts";
import { type Connected, telegramOn } from "../support/telegram-channel.ts";

let emulator: TelegramEmulator;
let made: Connected;
let hook: string;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // Listening on TCP.
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function connect(config: object = {}): Promise<void> {
  const port = await freePort();
  hook = `http://127.0.0.1:${port}/telegram/hook`;
  const webhook = { port, path: "/telegram/hook", public_url: `http://127.0.0.1:${port}` };
  made = telegramOn(emulator, { mode: "webhook", webhook, ...config });
  await made.channel.start(made.door);
}

beforeEach(async () => {
  emulator = await startTelegramEmulator({ webhookRetryMs: 20 });
});

afterEach(async () => {
  await made.channel.stop();
  await emulator.close();
});

const update = (text: string) => ({
  update_id: 5,
  message: { message_id: 1, date: 1, chat: { id: 9, type: "private" }, from: { id: 9, first_name: "Ann" }, text },
});

async function post(body: string, secret?: string): Promise<number> {
  const headers: Record<string, string> = secret ? { "x-telegram-bot-api-secret-token": secret } : {};
  const response = await fetch(hook, { method: "POST", body, headers });
  return response.status;
}

describe("the webhook", () => {
  it("is registered with its secret and takes updates", async () => {
    await connect({ webhook_secret: "s3cret_word" });
    expect(emulator.bot.queue.webhook).toEqual({ url: hook, secret: "s3cret_word" });
    expect(made.channel.status().state).toBe("up");
    emulator.say(9, "hello");
    await until(() => made.door.inbounds[0]?.text === "hello");
    await until(() => emulator.bot.queue.pending.length === 0);
    expect(emulator.callsTo("getUpdates")).toEqual([]);
  });

  it("makes up a secret that does not show the token", async () => {
    await connect();
    expect(emulator.bot.queue.webhook?.secret).toMatch(/^[\w-]{32,256}$/);
    expect(emulator.token).not.toContain(emulator.bot.queue.webhook?.secret ?? "");
    emulator.say(9, "hello");
    await until(() => made.door.inbounds.length === 1);
  });

  it("refuses a wrong or missing secret, a wrong path and what is no update", async () => {
    await connect({ webhook_secret: "s3cret_word" });
    const body = JSON.stringify(update("forged"));
    expect(await post(body, "wrong")).toBe(403);
    expect(await post(body)).toBe(403);
    expect((await fetch(`${hook}/other`, { method: "POST", body })).status).toBe(404);
    expect((await fetch(hook)).status).toBe(405);
    expect(await post("not json", "s3cret_word")).toBe(400);
    expect(await post("x".repeat(1_100_000), "s3cret_word")).toBe(413);
    expect(made.door.inbounds).toEqual([]);
    expect(await post(body, "s3cret_word")).toBe(200);
  });

  it("answers 200 only after accept, so that a failed one comes again", async () => {
    await connect();
    let failures = 2;
    made.door.onAccept = () => {
      if (failures-- > 0) throw new Error("store is away");
    };
    emulator.say(9, "hello");
    await until(() => made.door.inbounds.length === 1);
    expect(emulator.bot.queue.delivered).toHaveLength(3);
  });

  it("gives an update up after its tries and tells the chat", async () => {
    await connect();
    made.door.onAccept = ({ text }) => {
      if (text === "poison") throw new Error("cannot be stored");
    };
    emulator.say(9, "poison");
    emulator.say(9, "next");
    await until(() => made.door.inbounds[0]?.text === "next");
    expect(emulator.botMessages(9)[0]?.text).toMatch(/send it again/);
  });

  it("stays registered over a stop: Telegram keeps what comes meanwhile", async () => {
    await connect();
    await made.channel.stop();
    emulator.say(9, "while away");
    await until(() => emulator.bot.queue.lastWebhookError);
    const again = telegramOn(emulator, {
      mode: "webhook",
      webhook: { port: Number(new URL(hook).port), path: "/telegram/hook", public_url: hook },
    });
    await again.channel.start(again.door);
    await until(() => again.door.inbounds[0]?.text === "while away");
    await again.channel.stop();
  });

  it("says in one sentence what keeps it from listening", async () => {
    await connect();
    const twin = telegramOn(emulator, {
      mode: "webhook",
      webhook: { port: Number(new URL(hook).port), path: "/x", public_url: hook },
    });
    await expect(twin.channel.start(twin.door)).rejects.toMatchObject({ name: "ChannelError", code: "refused" });
    const bare = telegramOn(emulator, { mode: "webhook" });
    await expect(bare.channel.start(bare.door)).rejects.toThrow(/channels.telegram.webhook is missing/);
  });
});

describe("doctor", () => {
  async function findings(config: object = {}): Promise<string[]> {
    made = telegramOn(emulator, config);
    return ((await made.channel.doctor?.()) ?? []).map(({ level, text }) => `${level} ${text}`);
  }

  it("names the bot and says nothing more when all is well", async () => {
    expect(await findings()).toEqual(["ok Telegram: signed in as @helper_bot (id 555)"]);
  });

  it("warns of privacy mode where everything should be answered", async () => {
    emulator.bot.readsAll = false;
    expect(await findings()).toContainEqual(expect.stringMatching(/^ok .*privacy mode/));
    expect(await findings({ respond: "all" })).toContainEqual(expect.stringMatching(/^warn .*privacy mode/));
  });

  it("warns of a webhook while polling", async () => {
    emulator.bot.queue.webhook = { url: "https://elsewhere.test/" };
    expect(await findings()).toContainEqual(expect.stringMatching(/^warn .*webhook is set/));
  });

  it("reports a refused token and an unreachable platform as errors", async () => {
    expect(await findings({ bot_token: "1:wrong" })).toEqual([expect.stringMatching(/^error .*token is refused/)]);
    emulator.failNext("getMe", { status: 0, drop: true });
    expect(await findings()).toEqual([expect.stringMatching(/^error .*no connection/)]);
  });
});
