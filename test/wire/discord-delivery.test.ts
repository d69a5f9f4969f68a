import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address, BoardView, Channel } from "../../channels/channel.ts";
import { discordBot } from "../support/discord-bot.ts";
import type { RecordingDoor } from "../support/discord-door.ts";
import { type DiscordEmulator, until } from "../support/emulators/discord.ts";

const text = (words: string) => ({ kind: "markdown", text: words }) as const;

interface Bot {
  emulator: DiscordEmulator;
  door: RecordingDoor;
  channel: Channel;
}

/** A conversation with its thread and one answer in it. */
async function conversation({ emulator, door, channel }: Bot) {
  emulator.people.say(emulator.general, `${emulator.mention} hello`);
  const { at } = await until(() => door.inbound[0], "the mention");
  return { at, thread: at.thread ?? "", ref: await channel.post(at, text("Hello.")) };
}

const board: BoardView = {
  title: "Working · 1/2",
  state: "working",
  todos: [
    { content: "Read the report", status: "completed" },
    { content: "Write it up", status: "in_progress", activeForm: "Writing it up" },
  ],
  subagents: [],
  activity: ["reading notes.md"],
  buttons: [{ token: "stop:r1", label: "Stop", style: "danger" }],
};

describe("what is sent", () => {
  it("never pings anyone, on no create and no edit", async () => {
    await using bot = await discordBot();
    const { channel, emulator } = bot;
    const { at, ref } = await conversation(bot);
    await channel.edit(ref, text("@everyone <@&1> look"));
    const question = await channel.post(at, {
      kind: "question",
      text: "@here which?",
      buttons: [{ token: "a", label: "A" }],
    });
    await channel.edit(question, { kind: "notice", text: "@here answered" });
    const plan = await channel.post(at, { kind: "board", board });
    await channel.edit(plan, { kind: "board", board: { ...board, note: "@everyone" } });
    const sent = emulator.payloads();
    expect(sent).toHaveLength(6);
    for (const { allowed_mentions } of sent) expect(allowed_mentions).toEqual({ parse: [], replied_user: false });
  });

  it("shows a plan as one container whose button goes away at the end", async () => {
    await using bot = await discordBot();
    const { channel, emulator } = bot;
    const { at, thread } = await conversation(bot);
    const ref = await channel.post(at, { kind: "board", board });
    const shown = () => emulator.messages(thread).slice(-1).map(emulator.shown).join();
    expect(shown()).toMatch(/Writing it up\*\*\n-# reading notes\.md\nStop$/);
    await channel.edit(ref, { kind: "board", board: { ...board, state: "done", buttons: [], activity: [] } });
    expect(shown()).not.toContain("Stop");
    expect(emulator.ownPosts(thread)).toHaveLength(2);
  });

  it("takes the buttons off an answered question", async () => {
    await using bot = await discordBot();
    const { at } = await conversation(bot);
    const buttons = Array.from({ length: 7 }, (_, n) => ({ token: `t${n}`, label: `Option ${n}` }));
    const ref = await bot.channel.post(at, { kind: "question", text: "Which?", buttons });
    const { message } = await until(() => bot.emulator.world.stored.get(ref.id), "the question");
    expect(message.components.map(({ components }) => components?.length)).toEqual([5, 2]);
    await bot.channel.edit(ref, { kind: "notice", text: "Option 3 it is." });
    expect(message.components).toEqual([]);
  });

  it("spreads a long question over messages and puts the buttons under the last one", async () => {
    await using bot = await discordBot();
    const { at, thread } = await conversation(bot);
    const text = `${"Some background. ".repeat(300)}\n\nWhich one?`;
    const question = { kind: "question" as const, text, buttons: [{ token: "a", label: "A" }] };
    const ref = await bot.channel.post(at, question, { nonce: "q1" });
    expect(await bot.channel.post(at, question, { nonce: "q1" })).toEqual(ref);
    const posts = bot.emulator.messages(thread).slice(1);
    expect(posts.length).toBeGreaterThan(2);
    expect(posts.filter(({ components }) => components.length > 0).map(({ id }) => id)).toEqual([ref.id]);
    await bot.channel.edit(ref, { ...question, text: `${text}\n\nA it is.`, buttons: [] });
    const last = bot.emulator.messages(thread).at(-1);
    expect(last?.content).toContain("A it is.");
    expect(last?.components).toEqual([]);
  });

  it("shows a post once when it is repeated with its nonce", async () => {
    await using bot = await discordBot();
    const { at, thread } = await conversation(bot);
    const first = await bot.channel.post(at, text("The answer."), { nonce: "r123.0" });
    const again = await bot.channel.post(at, text("The answer."), { nonce: "r123.0" });
    expect(again).toEqual(first);
    expect(bot.emulator.messages(thread)).toHaveLength(2);
  });

  it("marks what was seen, and takes the mark away", async () => {
    await using bot = await discordBot();
    const asked = bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} hello`);
    const { at, messageId } = await until(() => bot.door.inbound[0], "the mention");
    await bot.channel.react?.({ at, id: messageId }, "seen");
    expect(bot.emulator.reactions(asked.id)).toEqual(["👀"]);
    await bot.channel.typing?.(at, true);
    await bot.channel.post(at, text("Hello."));
    await bot.channel.react?.({ at, id: messageId }, "none");
    expect(bot.emulator.reactions(asked.id)).toEqual([]);
    await bot.channel.typing?.(at, true);
    const typed = bot.emulator.requests("POST /channels/:id/typing").map(({ ids }) => ids[0]);
    expect(typed).toEqual([bot.emulator.general, asked.id]);
  });

  it("can be removed", async () => {
    await using bot = await discordBot();
    const { ref, thread } = await conversation(bot);
    await bot.channel.remove?.(ref);
    expect(bot.emulator.messages(thread)).toEqual([]);
  });
});

describe("files", () => {
  it("go out with their name and comment", async () => {
    await using bot = await discordBot();
    const { at, thread } = await conversation(bot);
    const path = join(await mkdtemp(join(tmpdir(), "discord-")), "out.csv");
    await writeFile(path, "a,b\n1,2\n");
    const file = { name: "tour.csv", path, type: "text/csv" };
    await bot.channel.post(at, { kind: "file", file, comment: "The tour." });
    const message = bot.emulator.messages(thread).at(-1);
    expect(message).toMatchObject({ content: "The tour.", attachments: [{ filename: "tour.csv", size: 8 }] });
    await expect(bot.channel.post(at, { kind: "file", file: { ...file, path: `${path}.gone` } })).rejects.toMatchObject(
      { code: "refused" },
    );
  });

  it("come in from Discord's hosts only, without the token and up to the limit", async () => {
    await using bot = await discordBot();
    const files = [{ name: "notes.txt", data: "low tide at six" }];
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} read this`, { files });
    const { at, attachments } = await until(() => bot.door.inbound[0], "the message");
    const [file] = attachments;
    if (!file) throw new Error("no attachment");
    expect(file).toMatchObject({ name: "notes.txt", type: "text/plain", size: 15 });
    const bytes = await bot.channel.fetch?.(file, at, 1000);
    expect(new TextDecoder().decode(bytes)).toBe("low tide at six");
    expect(bot.emulator.calls.at(-1)?.authorization).toBeUndefined();
    await expect(bot.channel.fetch?.(file, at, 10)).rejects.toMatchObject({ code: "too_long" });
    const elsewhere = { ...file, source: "http://169.254.169.254/latest/meta-data" };
    await expect(bot.channel.fetch?.(elsewhere, at, 1000)).rejects.toMatchObject({ code: "refused" });
  });
});

describe("what goes wrong", () => {
  it("tells a rate limit at once, with its wait", async () => {
    await using bot = await discordBot({ rateLimits: { limit: 2, perMs: 800 } });
    const { at, ref } = await conversation(bot);
    await bot.channel.post(at, text("two"));
    await expect(bot.channel.post(at, text("three"))).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: expect.toSatisfy((ms: number) => ms > 100 && ms < 1000),
    });
    await bot.channel.edit(ref, text("another route is free"));
    await vi.waitFor(() => bot.channel.post(at, text("three")), { timeout: 2000, interval: 100 });
  });

  it("tells a 429 that nothing announced, with its wait", async () => {
    await using bot = await discordBot();
    const { at } = await conversation(bot);
    bot.emulator.failNext("POST /channels/:id/messages", { status: 429, retryAfter: 7 });
    const started = Date.now();
    await expect(bot.channel.post(at, text("x"))).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: expect.toSatisfy((ms: number) => ms >= 7000 && ms < 8000),
    });
    expect(Date.now() - started).toBeLessThan(1000);
  });

  it("opens an archived thread once and edits then", async () => {
    await using bot = await discordBot();
    const { ref, thread } = await conversation(bot);
    bot.emulator.people.archive(thread);
    await bot.channel.edit(ref, text("Later."));
    expect(bot.emulator.messages(thread)[0]?.content).toBe("Later.");
    bot.emulator.people.archive(thread, { archived: true, locked: true });
    await expect(bot.channel.edit(ref, text("Much later."))).rejects.toMatchObject({ code: "chat_gone" });
  });

  it("says which thing is gone", async () => {
    await using bot = await discordBot();
    const { emulator, channel } = bot;
    const { at, ref, thread } = await conversation(bot);
    emulator.people.remove(ref.id);
    await expect(channel.edit(ref, text("x"))).rejects.toMatchObject({ code: "message_gone" });
    emulator.people.deleteChannel(thread);
    await expect(channel.post(at, text("x"))).rejects.toMatchObject({ code: "thread_gone" });
    await expect(channel.edit(ref, text("x"))).rejects.toMatchObject({ code: "thread_gone" });
    expect(emulator.world.channels.has(thread)).toBe(false);
    emulator.people.kick();
    const { thread: _, ...open } = at;
    await expect(channel.post(open, text("x"))).rejects.toMatchObject({ code: "chat_gone" });
  });

  it.each([
    [{ status: 500 }, "unavailable"],
    [{ status: 401 }, "auth"],
    [{ status: 403, code: 50013 }, "chat_gone"],
    [{ status: 400, code: 50006 }, "refused"],
    [{ status: 400, code: 30046 }, "message_gone"],
  ])("turns %j into %s without trying again by itself", async (failure, code) => {
    await using bot = await discordBot();
    const { at } = await conversation(bot);
    const before = bot.emulator.requests("POST /channels/:id/messages").length;
    bot.emulator.failNext("POST /channels/:id/messages", failure);
    await expect(bot.channel.post(at, text("x"))).rejects.toMatchObject({ name: "ChannelError", code });
    expect(bot.emulator.requests("POST /channels/:id/messages")).toHaveLength(before + 1);
    await bot.channel.post(at, text("the next one works"));
  });

  it("refuses what is too long before it is sent", async () => {
    await using bot = await discordBot();
    const { at } = await conversation(bot);
    await expect(bot.channel.post(at, text("x".repeat(2001)))).rejects.toMatchObject({ code: "too_long" });
  });
});

describe("the gateway", () => {
  it("resumes after a drop and brings what was missed", async () => {
    await using bot = await discordBot();
    bot.emulator.gateway.drop();
    await until(() => bot.channel.status().state === "reconnecting", "the drop to be seen");
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} while you were away`);
    await until(() => bot.door.inbound[0], "the missed message");
    await until(() => bot.channel.status().state === "up", "the connection");
    expect(bot.emulator.gateway).toMatchObject({ resumes: 1, identifies: 1 });
  });

  it("follows a request to reconnect", async () => {
    await using bot = await discordBot();
    bot.emulator.gateway.askReconnect();
    await until(() => bot.emulator.gateway.resumes === 1, "the resume");
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} still there?`);
    await until(() => bot.door.inbound[0], "the message");
  });

  it("is down, with the reason, when the token is taken away", async () => {
    await using bot = await discordBot();
    bot.emulator.gateway.close(4004);
    await until(() => bot.channel.status().state === "down", "the close to be seen");
    expect(bot.channel.status().detail).toContain("bot_token");
  });

  it("tries a message again that the bridge could not store, in order", async () => {
    await using bot = await discordBot();
    bot.door.failures = 2;
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} first`);
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} second`);
    await until(() => bot.door.inbound.length === 2, "both messages");
    expect(bot.door.inbound.map(({ text: said }) => said)).toEqual(["first", "second"]);
  });

  it("tells the person when a message could not be stored at all", async () => {
    await using bot = await discordBot();
    bot.door.failures = 100;
    const said = bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} hello`);
    const note = await until(() => bot.emulator.messages(bot.emulator.general)[1], "the note", 8000);
    expect(note.message_reference).toMatchObject({ message_id: said.id });
    expect(note.content).toContain("send it again");
  });
});

describe("doctor", () => {
  it("finds what is missing without a start", async () => {
    await using bot = await discordBot();
    const levels = async () => (await bot.channel.doctor?.())?.map(({ level }) => level);
    expect(await levels()).toEqual(["ok", "ok", "ok"]);
    bot.emulator.portal.messageContent = false;
    bot.emulator.people.kick();
    const findings = await bot.channel.doctor?.();
    expect(findings?.map(({ level }) => level)).toEqual(["ok", "error", "warn"]);
    expect(findings?.[1]?.text).toContain("Message Content Intent");
    bot.emulator.failNext("GET", { status: 401 });
    expect(await levels()).toEqual(["error"]);
  });
});

describe("pace", () => {
  it("counts per thread and per bot", async () => {
    await using bot = await discordBot();
    const at: Address = { channel: "discord", account: "1", chat: "2", thread: "3" };
    expect(bot.channel.pace(at, "edit").map(({ key }) => key)).toEqual(["discord/channel/3/edit", "discord"]);
    expect(bot.channel.pace({ ...at, bot: "ops" }, "post")[1]?.key).toBe("discord@ops");
  });
});
