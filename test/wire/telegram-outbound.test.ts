import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address, BoardView } from "../../channels/channel.ts";
import {
  startTelegramEmulator,
  type TelegramEmulator,
  type TelegramEmulatorOptions,
} from "../support/emulators/telegram.ts";
import { type Connected, telegramOn } from "../support/telegram-channel.ts";

let emulator: TelegramEmulator;
let made: Connected;
let folder: string;

async function begin(options: TelegramEmulatorOptions = {}): Promise<void> {
  emulator = await startTelegramEmulator(options);
  made = telegramOn(emulator);
  await made.channel.start(made.door);
  emulator.say(9, "hi");
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "planbridge-"));
  await begin();
});

afterEach(async () => {
  await made.channel.stop();
  await emulator.close();
  await rm(folder, { recursive: true });
});

const ann: Address = { channel: "telegram", account: "555", chat: "9" };
const last = (chat: string | number = 9) => emulator.botMessages(chat).at(-1);

const view: BoardView = {
  title: "Working · 1/3",
  state: "working",
  todos: [
    { content: "Read <the> report", status: "completed" },
    { content: "Count rows", activeForm: "Counting rows", status: "in_progress" },
    { content: "Write & send", status: "pending" },
  ],
  subagents: [{ id: "s1", title: "researcher", status: "running", detail: "searching" }],
  activity: ["read_file a.csv"],
  note: "resumed after a restart",
  buttons: [{ token: "stop:r1", label: "Stop", style: "danger" }],
};

describe("posting", () => {
  it("shows markup and turns link previews off", async () => {
    const ref = await made.channel.post(ann, { kind: "markdown", text: "**bold** a < b & https://ex.test" });
    const message = emulator.message(9, ref.id);
    expect(message.text).toBe("bold a < b & https://ex.test");
    expect(message.entities).toEqual([{ type: "bold", offset: 0, length: 4 }]);
    expect(message.previewsOff).toBe(true);
  });

  it.each([
    ["a code block with markup in it", "```ts\nif (a < b && c > d) x = `<b>`;\n```", "if (a < b && c > d)"],
    ["a table", "| name | n |\n|---|---|\n| a<b | 1 |\n| **x** | 2 |", "a<b"],
    ["nested emphasis", "***both*** and **bold _inner_ rest** ~~gone~~", "bold inner rest"],
    ["lists in quotes", "> - one\n>   - two `code`\n>\n> end", "two code"],
    ["links with brackets", "[wiki](https://en.example.org/wiki/Tide_(water)) [bad](javascript:alert(1))", "wiki"],
    ["raw HTML", "<div onclick='x'>hi</div> <b>no</b> &amp; &lt;", "hi"],
    ["a heading with names", "## set POOL_SIZE_LIMIT\n\ntext", "set POOL_SIZE_LIMIT"],
  ])("sends %s as markup that Telegram takes", async (_, text, shown) => {
    await made.channel.post(ann, { kind: "markdown", text });
    expect(emulator.callsTo("sendMessage").map(({ status }) => status)).toEqual([200]);
    expect(last()?.text).toContain(shown);
  });

  it("sends the source as plain text when Telegram refuses the markup", async () => {
    const description = "Bad Request: can't parse entities: Unsupported start tag";
    emulator.failNext("sendMessage", { status: 400, description });
    await made.channel.post(ann, { kind: "markdown", text: "All set! Build 7 - ready." });
    expect(last()).toMatchObject({ text: "All set! Build 7 - ready.", entities: [] });
    expect(emulator.botMessages(9)).toHaveLength(1);
  });

  it("splits a long answer into pieces that are all taken", async () => {
    const text = Array.from({ length: 900 }, (_, n) => `word${n} & <more>`).join(" ");
    const pieces = made.channel.split(text);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) await made.channel.post(ann, { kind: "markdown", text: piece });
    expect(
      emulator
        .botMessages(9)
        .map((message) => message.text)
        .join("")
        .replaceAll(/\s/g, ""),
    ).toBe(text.replaceAll(/\s/g, ""));
  });

  it("reports a text that is too long by code", async () => {
    const post = made.channel.post(ann, { kind: "markdown", text: "x".repeat(5000) });
    await expect(post).rejects.toMatchObject({ name: "ChannelError", code: "too_long" });
  });

  it("stays in its topic and tells when the topic is gone", async () => {
    const forum = emulator.group({ forum: true });
    const thread = String(emulator.topic(forum, "Plans"));
    const at = { ...ann, chat: forum.id, thread };
    await made.channel.post(at, { kind: "notice", text: "here" });
    expect(last(forum.id)).toMatchObject({ text: "here", thread: Number(thread) });
    await made.channel.typing?.(at, true);
    expect(forum.actions).toEqual([{ action: "typing", thread: Number(thread) }]);
    forum.topics.clear();
    await expect(made.channel.post(at, { kind: "notice", text: "?" })).rejects.toMatchObject({ code: "thread_gone" });
  });

  it("asks a question with one option per row", async () => {
    const buttons = ["Blue", "Green"].map((label, n) => ({ label, token: `opt:r1:q:${n}` }));
    await made.channel.post(ann, { kind: "question", text: "Which one?", buttons });
    expect(last()?.keyboard.map((row) => row.map(({ text }) => text))).toEqual([["Blue"], ["Green"]]);
  });
});

describe("a long question", () => {
  it("comes in pieces, the buttons on the last, and an edit takes them away there", async () => {
    const text = `${"many words ".repeat(800)}\n\nShall I?`;
    const buttons = [{ token: "ok:r1", label: "Approve" }];
    const ref = await made.channel.post(ann, { kind: "question", text, buttons });
    const posts = emulator.botMessages(9);
    expect(posts.map(({ keyboard }) => keyboard.length)).toEqual([...posts.slice(1).map(() => 0), 1]);
    expect(posts.length).toBeGreaterThan(2);
    expect(last()?.id).toBe(Number(ref.id));
    await made.channel.edit(ref, { kind: "question", text, buttons: [] });
    expect(last()).toMatchObject({ keyboard: [], text: expect.stringMatching(/Shall I\?$/) });
    expect(emulator.botMessages(9)).toHaveLength(posts.length);
  });
});

describe("the plan message", () => {
  it("is a checklist with a button, edited in place", async () => {
    const ref = await made.channel.post(ann, { kind: "board", board: view });
    expect(last()?.text.split("\n")).toEqual([
      "⏳ Working · 1/3",
      "",
      "☑ Read <the> report",
      "▶ Counting rows",
      "☐ Write & send",
      "",
      "▶ researcher: searching",
      "· read_file a.csv",
      "",
      "resumed after a restart",
    ]);
    expect(last()?.keyboard).toEqual([[{ text: "Stop", callback_data: "stop:r1" }]]);
    const todos = view.todos.map((todo) => ({ ...todo, status: "completed" as const }));
    const done: BoardView = { ...view, title: "Done", state: "done", todos, activity: [], buttons: [] };
    await made.channel.edit(ref, { kind: "board", board: done });
    expect(emulator.botMessages(9)).toHaveLength(1);
    expect(last()?.text).toMatch(/^✅ Done/);
    expect(last()?.keyboard).toEqual([]);
    expect(last()?.history).toHaveLength(2);
  });

  it("counts an edit that changes nothing as done", async () => {
    const ref = await made.channel.post(ann, { kind: "board", board: view });
    await made.channel.edit(ref, { kind: "board", board: view });
    expect(emulator.callsTo("editMessageText").map(({ status }) => status)).toEqual([400]);
    expect(last()?.history).toHaveLength(1);
  });

  it("fits however long the plan is", async () => {
    const todos = Array.from({ length: 150 }, (_, n) => ({
      content: `${n} ${"<&>".repeat(60)}`,
      status: n < 100 ? ("completed" as const) : ("pending" as const),
    }));
    await made.channel.post(ann, { kind: "board", board: { ...view, todos } });
    expect(last()?.text).toMatch(/and \d+ more/);
  });

  it("falls back to plain text on an edit too", async () => {
    const ref = await made.channel.post(ann, { kind: "board", board: view });
    emulator.failNext("editMessageText", { status: 400, description: "Bad Request: can't parse entities: x" });
    await made.channel.edit(ref, { kind: "board", board: { ...view, title: "Later" } });
    expect(last()).toMatchObject({ entities: [], text: expect.stringContaining("Read <the> report") });
    expect(last()?.keyboard).toHaveLength(1);
  });

  it("says that a deleted message is gone", async () => {
    const ref = await made.channel.post(ann, { kind: "board", board: view });
    emulator.deleteMessage(9, ref.id);
    const edit = made.channel.edit(ref, { kind: "board", board: { ...view, title: "x" } });
    await expect(edit).rejects.toMatchObject({ code: "message_gone" });
    await made.channel.remove?.(ref);
  });
});

describe("refusals", () => {
  it.each(["blocked", "kicked", "rights"] as const)("ends with chat_gone when the bot is %s", async (how) => {
    emulator.block(9, how);
    await expect(made.channel.post(ann, { kind: "notice", text: "x" })).rejects.toMatchObject({ code: "chat_gone" });
  });

  it("says chat_gone for a chat it never met", async () => {
    const post = made.channel.post({ ...ann, chat: "777" }, { kind: "notice", text: "x" });
    await expect(post).rejects.toMatchObject({ code: "chat_gone" });
  });

  it("names the new id of a migrated group", async () => {
    const group = emulator.group({ type: "group" });
    const to = emulator.migrate(group.id);
    const post = made.channel.post({ ...ann, chat: group.id }, { kind: "notice", text: "x" });
    await expect(post).rejects.toMatchObject({ code: "migrated", migratedTo: to });
  });

  it.each([
    [{ status: 502 }, "unavailable"],
    [{ status: 0, drop: true }, "unavailable"],
    [{ status: 401, description: "Unauthorized" }, "auth"],
    [{ status: 400, description: "Bad Request: STRANGE_THING" }, "refused"],
  ])("turns %j into %s", async (failure, code) => {
    emulator.failNext("sendMessage", failure);
    const post = made.channel.post(ann, { kind: "notice", text: "x" });
    await expect(post).rejects.toMatchObject({ name: "ChannelError", code });
  });

  it("hands a 429 and its wait on at once, without trying again", async () => {
    emulator.failNext("sendMessage", { status: 429, description: "Too Many Requests", parameters: { retry_after: 7 } });
    const post = made.channel.post(ann, { kind: "notice", text: "x" });
    await expect(post).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 7000 });
    expect(emulator.callsTo("sendMessage")).toHaveLength(1);
  });

  it("meets the real flood limits by code", async () => {
    await made.channel.stop();
    await emulator.close();
    await begin({ rateLimits: true });
    const posts = Array.from({ length: 5 }, (_, n) => made.channel.post(ann, { kind: "notice", text: `n${n}` }));
    const results = await Promise.allSettled(posts);
    const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ code: "rate_limited", retryAfterMs: 1000 });
  });
});

describe("files and signs", () => {
  it("sends a document under its name with a comment", async () => {
    const path = join(folder, "a1-report.csv");
    await writeFile(path, "a,b\n1,2\n");
    const file = { name: "report.csv", path, type: "text/csv" };
    await made.channel.post(ann, { kind: "file", file, comment: "**Here** it is" });
    expect(last()).toMatchObject({ text: "Here it is", file: { name: "report.csv", as: "document" } });
    expect(Buffer.from(last()?.file?.bytes ?? []).toString()).toBe("a,b\n1,2\n");
  });

  it("shows an image as a photo, and a broken one as a document", async () => {
    const path = join(folder, "x.png");
    const file = { name: "x.png", path, type: "image/png" };
    await writeFile(path, Buffer.from([0x89, 0x50, 0x4e, 0x47, 1]));
    await made.channel.post(ann, { kind: "file", file });
    expect(last()?.file?.as).toBe("photo");
    await writeFile(path, "no image");
    await made.channel.post(ann, { kind: "file", file });
    expect(last()?.file?.as).toBe("document");
  });

  it("refuses a file that is not there, and one as an edit", async () => {
    const file = { name: "no.txt", path: join(folder, "no.txt"), type: "text/plain" };
    await expect(made.channel.post(ann, { kind: "file", file })).rejects.toMatchObject({ code: "refused" });
    const edit = made.channel.edit({ at: ann, id: "1" }, { kind: "file", file });
    await expect(edit).rejects.toMatchObject({ code: "refused" });
  });

  it("sends a comment that is too long for a caption as its own message", async () => {
    const path = join(folder, "r.txt");
    await writeFile(path, "x");
    const file = { name: "r.txt", path, type: "text/plain" };
    await made.channel.post(ann, { kind: "file", file, comment: "c".repeat(2000) });
    expect(emulator.botMessages(9).map(({ text }) => text.length)).toEqual([2000, 0]);
  });

  it("reacts, takes the reaction back, removes", async () => {
    const asked = emulator.say(9, "do it");
    const ref = { at: ann, id: String(asked.id) };
    await made.channel.react?.(ref, "seen");
    expect(asked.reaction).toBe("👀");
    await made.channel.react?.(ref, "none");
    expect(asked.reaction).toBeUndefined();
    const own = await made.channel.post(ann, { kind: "notice", text: "x" });
    await made.channel.remove?.(own);
    expect(emulator.botMessages(9)).toEqual([]);
  });

  it("registers commands that Telegram accepts, admin ones for chat administrators", async () => {
    await made.channel.commands?.([
      { name: "stop", description: "Stop the run", admin: false },
      { name: "admin", description: "Settings", admin: true },
      { name: "Not-Valid", description: "x", admin: false },
    ]);
    const names = (scope: string) => emulator.bot.commands.get(scope)?.map(({ command }) => command);
    expect(names("default")).toEqual(["stop"]);
    expect(names("all_chat_administrators")).toEqual(["stop", "admin"]);
  });
});
