import { startTelegramEmulator, type TelegramEmulator, until } from "../support/emulators/telegram.ts";
import { type Connected, telegramOn } from "../support/telegram-channel.ts";

let emulator: TelegramEmulator;
const open: Connected[] = [];

beforeEach(async () => {
  emulator = await startTelegramEmulator();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ channel }) => channel.stop()));
  await emulator.close();
});

async function connect(...args: [config?: object, times?: object, account?: string]): Promise<Connected> {
  const made = telegramOn(emulator, ...args);
  open.push(made);
  await made.channel.start(made.door);
  return made;
}

const texts = ({ door }: Connected) => door.inbounds.map(({ text }) => text);

describe("starting", () => {
  it("is up once updates flow and asks only for the updates it reads", async () => {
    const { channel } = await connect();
    expect(channel.status().state).toBe("up");
    const [poll] = emulator.callsTo("getUpdates");
    expect(poll?.payload.allowed_updates).toEqual(["message", "edited_message", "callback_query"]);
  });

  it.each(["123456789:AAwrongwrongwrongwrongwrongwrongwrong", "nonsense"])(
    "refuses the token %s with one sentence that does not hold it",
    async (token) => {
      const { channel, door, log } = telegramOn(emulator, { bot_token: token });
      const error = await channel.start(door).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: "ChannelError", code: "auth" });
      expect(String(error)).toMatch(/refuses the bot token/);
      expect(`${(error as Error).stack}${log.lines.join()}`).not.toContain(token);
      expect(channel.status().state).toBe("down");
    },
  );

  it("waits for a platform that is not there yet", async () => {
    emulator.failNext("getMe", { status: 502 }, 2);
    const { channel } = await connect();
    expect(channel.status().state).toBe("up");
  });

  it("takes away a webhook that was left behind and keeps waiting messages", async () => {
    emulator.bot.queue.webhook = { url: "http://127.0.0.1:9/" };
    emulator.bot.queue.push("message", {
      message_id: 1,
      chat: { id: 9, type: "private" },
      from: { id: 9 },
      text: "hi",
    });
    const made = await connect();
    await until(() => texts(made).includes("hi"));
  });

  it("can be stopped while it waits for the platform", async () => {
    emulator.failNext("getMe", { status: 503 }, 1000);
    const { channel, door } = telegramOn(emulator);
    const started = channel.start(door).catch((error: unknown) => error);
    await until(() => emulator.callsTo("getMe").length > 1);
    await channel.stop();
    expect(await started).toMatchObject({ name: "ChannelError" });
    expect(channel.status().state).toBe("stopped");
  });
});

describe("delivering at least once", () => {
  it("confirms an update only after it was accepted", async () => {
    const made = await connect();
    const gate = Promise.withResolvers<void>();
    made.door.onAccept = () => gate.promise;
    emulator.say(9, "hello");
    await until(() => emulator.bot.queue.delivered.length === 1);
    expect(emulator.bot.queue.pending).toHaveLength(1);
    gate.resolve();
    await until(() => emulator.bot.queue.pending.length === 0);
    expect(texts(made)).toEqual(["hello"]);
  });

  it("gets a message again when accept fails, without repeating or losing those of others", async () => {
    const made = await connect();
    let failures = 2;
    made.door.onAccept = ({ text }) => {
      if (text === "second" && failures-- > 0) throw new Error("store is away");
    };
    emulator.say(9, "first");
    emulator.say(10, "second");
    emulator.say(11, "third");
    await until(() => texts(made).length === 3 && emulator.bot.queue.pending.length === 0);
    expect(texts(made).toSorted()).toEqual(["first", "second", "third"]);
  });

  it("keeps the order of a chat when its first message fails", async () => {
    const made = await connect();
    let failed = false;
    made.door.onAccept = () => {
      if (failed) return;
      failed = true;
      throw new Error("store is away");
    };
    emulator.say(9, "one");
    emulator.say(9, "two");
    await until(() => texts(made).length === 2);
    expect(texts(made)).toEqual(["one", "two"]);
  });

  it("gives an update up after its tries, tells the chat and goes on", async () => {
    const made = await connect();
    made.door.onAccept = ({ text }) => {
      if (text === "poison") throw new Error("cannot be stored");
    };
    emulator.say(9, "poison");
    emulator.say(9, "next");
    await until(() => texts(made).includes("next"));
    expect(emulator.botMessages(9).map(({ text }) => text)).toEqual([expect.stringMatching(/send it again/)]);
    await until(() => emulator.bot.queue.pending.length === 0);
  });

  it("treats an accept that hangs as failed", async () => {
    const made = await connect({}, { acceptMs: 50 });
    let hung = false;
    made.door.onAccept = () => {
      if (hung) return;
      hung = true;
      return new Promise(() => undefined);
    };
    emulator.say(9, "hello");
    await until(() => texts(made).length === 1);
  });

  it("takes messages of other chats, early and late ones, while one accept is slow", async () => {
    const made = await connect();
    const gate = Promise.withResolvers<void>();
    made.door.onAccept = ({ text }) => (text === "slow" ? gate.promise : undefined);
    emulator.say(9, "slow");
    emulator.say(10, "quick");
    await until(() => texts(made).includes("quick"));
    emulator.say(9, "behind");
    emulator.say(10, "later");
    await until(() => texts(made).includes("later"));
    expect(emulator.bot.queue.pending).toHaveLength(4);
    gate.resolve();
    await until(() => emulator.bot.queue.pending.length === 0);
    expect(texts(made)).toEqual(["quick", "later", "slow", "behind"]);
  });

  it("does not spin while an accept is slow", async () => {
    const made = await connect();
    const gate = Promise.withResolvers<void>();
    made.door.onAccept = () => gate.promise;
    emulator.say(9, "slow");
    await until(() => emulator.bot.queue.delivered.length >= 3);
    const [first, , third] = emulator.callsTo("getUpdates").slice(-3);
    expect((third?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(400);
    gate.resolve();
    await until(() => texts(made).length === 1);
  });

  it("hands the same inbound id on when a restart brings a message again", async () => {
    const first = telegramOn(emulator);
    await first.channel.start(first.door);
    await until(() => emulator.bot.queue.waiting);
    emulator.failNext("getUpdates", { status: 500 }, 1000);
    emulator.say(9, "once");
    await until(() => first.door.inbounds.length === 1);
    await first.channel.stop();
    emulator.world.failures.clear();
    const second = await connect();
    await until(() => texts(second).length === 1);
    expect(second.door.inbounds[0]?.id).toBe(first.door.inbounds[0]?.id);
  });

  it("confirms the last batch on stop", async () => {
    const made = await connect();
    emulator.say(9, "last");
    made.door.onAccept = () => void made.channel.stop();
    await until(() => made.channel.status().state === "stopped");
    expect(emulator.bot.queue.pending).toEqual([]);
  });

  it("stops while a poll is held, and twice", async () => {
    const { channel } = await connect();
    await until(() => emulator.bot.queue.waiting);
    await channel.stop();
    await channel.stop();
    expect(channel.status().state).toBe("stopped");
    await until(() => !emulator.bot.queue.waiting);
  });
});

describe("losing the connection", () => {
  it("polls again soon after server faults and dropped connections", async () => {
    const made = await connect();
    await until(() => emulator.bot.queue.waiting);
    emulator.failNext("getUpdates", { status: 502, drop: true }, 3);
    emulator.say(9, "wake");
    await until(() => made.channel.status().state === "reconnecting");
    emulator.say(9, "hello");
    await until(() => texts(made).includes("hello"), 2000);
    expect(made.channel.status().state).toBe("up");
  });

  it("says that a second process polls, and recovers when it is gone", async () => {
    const made = await connect();
    await until(() => emulator.bot.queue.waiting);
    const rival = fetch(`${emulator.url}/bot${emulator.token}/getUpdates?timeout=20`);
    await until(() => made.channel.status().state === "reconnecting");
    expect(made.channel.status().detail).toMatch(/second process polls/);
    expect((await rival).status).toBe(409);
    await until(() => made.channel.status().state === "up");
    emulator.say(9, "still here");
    await until(() => texts(made).includes("still here"));
  });

  it("does not spin when the server answers empty at once", async () => {
    const made = await connect({}, { holdSeconds: 0.001 });
    const before = emulator.callsTo("getUpdates").length;
    const began = Date.now();
    await until(() => emulator.callsTo("getUpdates").length >= before + 3);
    expect(Date.now() - began).toBeGreaterThan(500);
    emulator.say(9, "hello");
    await until(() => texts(made).includes("hello"));
  });

  it("waits as long as a 429 on polling says", async () => {
    const made = await connect();
    await until(() => emulator.bot.queue.waiting);
    emulator.failNext("getUpdates", { status: 429, parameters: { retry_after: 1 } });
    emulator.say(9, "wake");
    const refused = await until(() => emulator.callsTo("getUpdates").find(({ status }) => status === 429));
    await until(() => made.channel.status().state === "up" && emulator.callsTo("getUpdates").at(-1) !== refused);
    const next = emulator.callsTo("getUpdates")[emulator.callsTo("getUpdates").indexOf(refused) + 1];
    expect((next?.at ?? 0) - refused.at).toBeGreaterThanOrEqual(990);
  });

  it("is down when the token is revoked while it runs", async () => {
    const made = await connect();
    await until(() => emulator.bot.queue.waiting);
    emulator.failNext("getUpdates", { status: 401, description: "Unauthorized" }, 1000);
    emulator.say(9, "wake");
    await until(() => made.channel.status().state === "down");
    expect(made.channel.status().detail).toMatch(/token/);
  });
});
