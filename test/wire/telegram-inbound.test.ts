import { type Person, startTelegramEmulator, type TelegramEmulator, until } from "../support/emulators/telegram.ts";
import { type Connected, telegramOn } from "../support/telegram-channel.ts";

let emulator: TelegramEmulator;
let made: Connected;
const bob: Person = { id: 12, first_name: "Bob" };

beforeEach(async () => {
  emulator = await startTelegramEmulator();
  made = telegramOn(emulator);
  await made.channel.start(made.door);
});

afterEach(async () => {
  await made.channel.stop();
  await emulator.close();
});

async function heard(text: string) {
  return until(() => made.door.inbounds.find((inbound) => inbound.text === text));
}

describe("who is spoken to", () => {
  it("hears a private message as addressed", async () => {
    emulator.say(9, "hello");
    expect(await heard("hello")).toMatchObject({ kind: "dm", addressed: true, user: { id: "9", name: "Ann" } });
  });

  it("hears mentions, replies and commands in a group, and not the rest", async () => {
    const group = emulator.group();
    const answer = await made.channel.post(
      { channel: "telegram", account: "555", chat: group.id },
      { kind: "notice", text: "answer" },
    );
    const others = emulator.say(group.id, { text: "chatter", from: bob });
    emulator.say(group.id, "@Helper_Bot one");
    emulator.say(group.id, { text: "two", replyTo: Number(answer.id) });
    emulator.say(group.id, "/stop@helper_bot");
    emulator.say(group.id, "/status");
    emulator.say(group.id, "/stop@other_bot");
    emulator.say(group.id, { text: "thanks", replyTo: others.id });
    await heard("thanks");
    const addressed = made.door.inbounds.filter((inbound) => inbound.addressed).map(({ text }) => text);
    expect(addressed).toEqual(["one", "two", "/stop", "/status"]);
    expect((await heard("two")).replyTo).toBe(answer.id);
    expect(await heard("thanks")).toMatchObject({ replyTo: String(others.id), quoted: "chatter" });
    expect((await heard("two")).at.thread).toBeUndefined();
  });

  it("takes only its own commands for commands once they are registered", async () => {
    const group = emulator.group();
    await made.channel.commands?.([{ name: "stop", description: "Stop", admin: false }]);
    emulator.say(group.id, "/stop");
    emulator.say(group.id, "/poll lunch");
    expect((await heard("/poll lunch")).addressed).toBe(false);
    expect((await heard("/stop")).addressed).toBe(true);
  });

  it("does not hear other bots", async () => {
    const group = emulator.group();
    emulator.say(group.id, { text: "@helper_bot ping", from: { id: 77, first_name: "Other", is_bot: true } });
    emulator.say(group.id, "@helper_bot after");
    await heard("after");
    expect(made.door.inbounds).toHaveLength(1);
  });

  it("keeps topics apart and sends nothing to the id of General", async () => {
    const forum = emulator.group({ forum: true });
    const thread = emulator.topic(forum, "Plans");
    emulator.say(forum.id, { text: "@helper_bot in topic", thread });
    emulator.say(forum.id, { text: "@helper_bot in general", extra: { message_thread_id: 1 } });
    const inTopic = await heard("in topic");
    expect(inTopic.at.thread).toBe(String(thread));
    expect(inTopic.replyTo).toBeUndefined();
    const general = await heard("in general");
    expect(general.at.thread).toBeUndefined();
    await made.channel.post(general.at, { kind: "notice", text: "back" });
    expect(emulator.botMessages(forum.id).at(-1)?.thread).toBeUndefined();
  });

  it("takes a forwarded command for a quotation", async () => {
    emulator.say(9, { text: "/stop", extra: { forward_origin: { type: "user", sender_user: bob, date: 1 } } });
    expect(await until(() => made.door.inbounds[0])).toMatchObject({ text: "", quoted: "/stop", addressed: true });
  });
});

describe("what changes later", () => {
  it("passes edits on under the id of their message", async () => {
    const said = emulator.say(9, "count to ten");
    const inbound = await heard("count to ten");
    emulator.editMessage(9, said.id, "count to twenty");
    const edit = await until(() => made.door.edits[0]);
    expect(edit).toMatchObject({ inboundId: inbound.id, text: "count to twenty", messageId: String(said.id) });
    expect(made.door.inbounds).toHaveLength(1);
  });

  it("tells both ends of a migration", async () => {
    const group = emulator.group({ type: "group" });
    const to = emulator.migrate(group.id);
    await until(() => made.door.migrations.length === 2);
    for (const migration of made.door.migrations) {
      expect([migration.from.chat, migration.to.chat]).toEqual([group.id, to]);
    }
    expect(made.door.inbounds).toEqual([]);
  });
});

describe("buttons", () => {
  async function ask(chat: string | number) {
    const at = { channel: "telegram", account: "555", chat: String(chat) } as const;
    const buttons = [{ token: "ok:r1", label: "Approve" }];
    return made.channel.post(at, { kind: "question", text: "Go?", buttons });
  }

  it("answers a press with the line of the bridge", async () => {
    made.door.onPress = async () => "Approved.";
    emulator.say(9, "hi");
    const ref = await ask(9);
    const id = emulator.press(9, ref.id, "Approve");
    await until(() => emulator.answers.length === 1);
    expect(emulator.answers).toEqual([{ id, text: "Approved." }]);
    expect(made.door.presses[0]).toMatchObject({ token: "ok:r1", user: { id: "9" }, message: ref });
  });

  it("stops the spinner before slow work ends, and confirms only afterwards", async () => {
    const gate = Promise.withResolvers<undefined>();
    made.door.onPress = () => gate.promise;
    emulator.say(9, "hi");
    const ref = await ask(9);
    await until(() => emulator.bot.queue.pending.length === 0);
    emulator.press(9, ref.id, "ok:r1");
    await until(() => emulator.answers.length === 1, 3000);
    expect(emulator.answers[0]?.text).toBeUndefined();
    expect(emulator.bot.queue.pending).toHaveLength(1);
    gate.resolve(undefined);
    await until(() => emulator.bot.queue.pending.length === 0);
  });

  it("brings a press again when it could not be stored, under one id", async () => {
    let failed = false;
    made.door.onPress = async () => {
      if (failed) return "Done.";
      failed = true;
      throw new Error("store is away");
    };
    emulator.say(9, "hi");
    const ref = await ask(9);
    emulator.press(9, ref.id, "Approve");
    await until(() => emulator.answers.length === 1);
    expect(emulator.answers[0]?.text).toBe("Done.");
    expect(new Set(made.door.presses.map(({ id }) => id)).size).toBe(1);
  });
});

describe("files", () => {
  const MB = 1_000_000;

  it("downloads what was sent, of a photo the largest size", async () => {
    const bytes = Buffer.from("a,b\n1,2\n");
    emulator.say(9, { text: "@helper_bot read", file: { name: "data.csv", bytes, type: "text/csv" } });
    emulator.say(9, { text: "look", file: { name: "p", bytes: Buffer.from("pixels"), as: "photo" } });
    const [csv] = (await until(() => made.door.inbounds[0])).attachments;
    expect(csv).toMatchObject({ name: "data.csv", type: "text/csv", size: 8 });
    const { at, attachments } = await heard("look");
    const loaded = await Promise.all([csv, attachments[0]].map((item) => item && made.channel.fetch?.(item, at, MB)));
    expect(loaded.map((part) => Buffer.from(part ?? []).toString())).toEqual(["a,b\n1,2\n", "pixels"]);
  });

  it("refuses more bytes than allowed, whatever size was told", async () => {
    emulator.say(9, { text: "big", file: { name: "big.bin", bytes: Buffer.alloc(2000) } });
    const { at, attachments } = await heard("big");
    const [file] = attachments;
    if (!file) throw new Error("no attachment");
    await expect(made.channel.fetch?.(file, at, 1000)).rejects.toMatchObject({ code: "too_long" });
    await expect(made.channel.fetch?.({ ...file, size: 1 }, at, 1000)).rejects.toMatchObject({ code: "too_long" });
    const gone = { ...file, source: "unknown" };
    await expect(made.channel.fetch?.(gone, at, MB)).rejects.toMatchObject({ code: "refused" });
  });
});

describe("several bots on one platform", () => {
  it("keeps their messages apart by account and id", async () => {
    const token = "987654321:AASecondBotSecondBotSecondBotSecondB";
    emulator.addBot({ token, id: 777, username: "second_bot" });
    const second = telegramOn(emulator, { bot_token: token }, {}, "ops");
    await second.channel.start(second.door);
    const group = emulator.group();
    emulator.say(group.id, "@second_bot hello");
    const theirs = await until(() => second.door.inbounds[0]);
    const ours = await until(() => made.door.inbounds[0]);
    expect(theirs).toMatchObject({ addressed: true, text: "hello", at: { account: "777", bot: "ops" } });
    expect(ours).toMatchObject({ addressed: false, at: { account: "555" } });
    expect(theirs.id).not.toBe(ours.id);
    await second.channel.stop();
  });
});
