import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address, BoardView, Channel, Content } from "../../channels/channel.ts";
import { REAL_LIMITS, type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import { type RecordingDoor, slackAdapter } from "../support/slack-door.ts";

let slack: SlackEmulator;
let channel: Channel;
let door: RecordingDoor;
let log: ReturnType<typeof slackAdapter>["log"];
let at: Address;

beforeEach(async () => {
  slack = await startSlackEmulator({ limits: undefined });
  ({ channel, door, log } = slackAdapter(slack));
  await channel.start(door);
  const thread = slack.say({ text: "<@U0BOT> go", twin: false });
  at = { channel: "slack", account: "T1", chat: "C1", thread };
});

afterEach(async () => {
  await channel.stop();
  await slack.stop();
});

const view: BoardView = {
  title: "Compare the offers",
  state: "working",
  todos: [
    { content: "Read the offers", status: "completed" },
    { content: "Compare the prices", status: "in_progress", activeForm: "Comparing the prices" },
    { content: "Write <!channel> & go", status: "pending" },
  ],
  subagents: [{ id: "s1", title: "researcher", status: "running", detail: "reading example.org" }],
  activity: ["read_file offer.md"],
  note: "resumed after restart",
  buttons: [{ token: "tok-stop", label: "Stop", style: "danger" }],
};
const board = (change: Partial<BoardView> = {}): Content => ({ kind: "board", board: { ...view, ...change } });
const question: Content = {
  kind: "question",
  text: "Which **city**?",
  buttons: [
    { token: "tok-a", label: "Rome", style: "primary" },
    { token: "tok-b", label: "Paris" },
  ],
};
const ours = () => slack.posts("C1");

describe("Slack, outgoing", () => {
  it("posts an answer as mrkdwn into the thread, without link previews or live mentions", async () => {
    const ref = await channel.post(at, { kind: "markdown", text: "**Done**: a < b & <!channel>" });
    const [message] = ours();
    expect(ref).toEqual({ at, id: message?.ts });
    expect(message).toMatchObject({ threadTs: at.thread, blocks: [] });
    expect(message?.text).toContain("*Done*");
    expect(message?.text).toContain("a &lt; b &amp; &lt;!channel&gt;");
    expect(slack.store.calls.at(-1)?.args).toMatchObject({ unfurl_links: false, unfurl_media: false, parse: "none" });
  });

  it("shows a board as a plan with task cards, context and buttons, and edits the same message", async () => {
    const ref = await channel.post(at, board());
    await channel.edit(ref, board({ state: "done", activity: [], buttons: [] }));
    const [message] = ours();
    expect(ours()).toHaveLength(1);
    const [before] = message?.edits ?? [];
    expect(before?.blocks.map((block) => block.type)).toEqual(["plan", "context", "actions"]);
    expect(before?.blocks[0]).toMatchObject({
      title: "Compare the offers",
      tasks: [
        { title: "Read the offers", status: "complete" },
        { title: "Comparing the prices", status: "in_progress" },
        { title: "Write <!channel> & go", status: "pending" },
        { title: "↳ researcher", status: "in_progress" },
      ],
    });
    expect(message?.blocks[0]).not.toMatchObject({ block_id: before?.blocks[0]?.block_id });
    expect(JSON.stringify(message?.blocks)).not.toContain("in_progress");
    expect(message?.blocks.map((block) => block.type)).toEqual(["plan", "context"]);
  });

  it("carries the whole board in the fallback text, escaped", async () => {
    await channel.post(at, board());
    const text = ours()[0]?.text ?? "";
    expect(text).toContain("*Compare the offers*");
    expect(text).toContain("○ Write &lt;!channel&gt; &amp; go");
    expect(text).toContain("▸ *Comparing the prices*");
  });

  it("folds a board of a hundred todos into one that Slack accepts", async () => {
    const todos = Array.from({ length: 100 }, (_, n) => ({
      content: `Step ${n} ${"字".repeat(200)}`,
      status: n < 60 ? ("completed" as const) : ("pending" as const),
    }));
    const ref = await channel.post(at, board({ todos }));
    await channel.edit(ref, board({ todos, state: "stopped" }));
    const tasks = ours()[0]?.blocks[0]?.tasks as { title: string }[];
    expect(tasks.length).toBeLessThanOrEqual(46);
    expect(tasks[0]?.title).toBe("58 earlier steps");
    expect(Buffer.byteLength(ours()[0]?.text ?? "")).toBeLessThanOrEqual(3900);
  });

  it("falls back to sections where plan blocks are refused, in the same message, and remembers it", async () => {
    slack.workspace.refusedBlocks.add("plan");
    const ref = await channel.post(at, board());
    expect(ours()).toHaveLength(1);
    expect(ours()[0]?.blocks.map((block) => block.type)).toEqual(["section", "actions"]);
    await channel.edit(ref, board({ state: "waiting" }));
    expect(slack.count("chat.postMessage")).toBe(2);
    expect(slack.count("chat.update")).toBe(1);
    expect(log.lines.filter((line) => line.level === "warn")).toHaveLength(1);
  });

  it("falls back to bare text when every block is refused, options in words", async () => {
    for (const type of ["plan", "section", "actions"]) slack.workspace.refusedBlocks.add(type);
    const ref = await channel.post(at, question);
    expect(ours()).toHaveLength(1);
    expect(ours()[0]).toMatchObject({ blocks: [], text: "Which *city*?\n• Rome\n• Paris" });
    await channel.edit(ref, board());
    expect(ours()).toHaveLength(1);
    expect(ours()[0]?.text).toContain("• Stop");
  });

  it("removes the buttons when a question is edited into its answer", async () => {
    const ref = await channel.post(at, question);
    expect(ours()[0]?.blocks.map((block) => block.type)).toEqual(["section", "actions"]);
    await channel.edit(ref, { kind: "notice", text: "Ann chose Rome." });
    expect(ours()[0]).toMatchObject({ text: "Ann chose Rome.", blocks: [] });
  });

  it("splits a long answer into pieces that each fit a post and an edit", async () => {
    const text = `# Report\n\n${"字典 <b> & words. ".repeat(2000)}\n\n\`\`\`ts\n${"const x = a < b;\n".repeat(400)}\`\`\``;
    const pieces = channel.split(text);
    expect(pieces.length).toBeGreaterThan(5);
    const ref = await channel.post(at, { kind: "markdown", text: "…" });
    for (const piece of pieces) {
      expect(channel.fitsEdit({ kind: "markdown", text: piece })).toBe(true);
      await channel.edit(ref, { kind: "markdown", text: piece });
    }
  });

  it("tells an oversized edit apart before Slack refuses it, and as too_long when it does", async () => {
    const long: Content = { kind: "markdown", text: "字".repeat(1500) };
    expect(channel.fitsEdit(long)).toBe(false);
    const ref = await channel.post(at, { kind: "markdown", text: "…" });
    await expect(channel.edit(ref, long)).rejects.toMatchObject({ code: "too_long" });
  });

  it("shows a private line to one person only", async () => {
    await channel.post(at, { kind: "notice", text: "Not for you." }, { onlyFor: "U2" });
    expect(ours()).toHaveLength(0);
    expect(slack.store.ephemerals).toMatchObject([
      { user: "U2", threadTs: at.thread, text: "Not for you.", via: "api" },
    ]);
  });

  it("finds its post by nonce after the answer was lost, in a thread and in a direct message", async () => {
    for (let n = 0; n < 20; n += 1) slack.say({ text: `chatter ${n}`, threadTs: at.thread ?? "" });
    slack.failNext("chat.postMessage", { lostAnswer: true }, 2);
    const dm: Address = { channel: "slack", account: "T1", chat: "D1" };
    const lost = { code: "unavailable" };
    await expect(channel.post(at, { kind: "notice", text: "one" }, { nonce: "n-1" })).rejects.toMatchObject(lost);
    await expect(channel.post(dm, { kind: "notice", text: "two" }, { nonce: "n-2" })).rejects.toMatchObject(lost);
    expect(await channel.find?.(at, "n-1")).toEqual({ at, id: ours()[0]?.ts });
    expect(await channel.find?.(dm, "n-2")).toEqual({ at: dm, id: slack.posts("D1")[0]?.ts });
    expect(await channel.find?.(at, "n-3")).toBeUndefined();
    expect(slack.posts()).toHaveLength(2);
  });

  it("repeats no post whose answer was lost, and brings a board found that way up to date", async () => {
    slack.failNext("chat.postMessage", { lostAnswer: true });
    await expect(channel.post(at, board(), { nonce: "n-4" })).rejects.toMatchObject({ code: "unavailable" });
    const ref = await channel.post(at, board({ state: "done" }), { nonce: "n-4" });
    expect(ours()).toHaveLength(1);
    expect(ref.id).toBe(ours()[0]?.ts);
    expect(ours()[0]?.text).toContain("*Compare the offers*");
    slack.failNext("chat.postMessage", { status: 502 });
    await expect(channel.post(at, question, { nonce: "n-5" })).rejects.toMatchObject({ code: "unavailable" });
    await channel.post(at, question, { nonce: "n-5" });
    expect(ours()).toHaveLength(2);
  });

  it("posts anew when it may not read the thread it would look in", async () => {
    slack.failNext("chat.postMessage", { status: 502 });
    slack.failNext("conversations.replies", { error: "missing_scope" });
    await expect(channel.post(at, question, { nonce: "n-6" })).rejects.toMatchObject({ code: "unavailable" });
    await channel.post(at, question, { nonce: "n-6" });
    expect(ours()).toHaveLength(1);
  });

  it("does not take another person's message with the same nonce for its own", async () => {
    const message = slack.store.add({ channel: "C1", user: "U2", text: "fake", threadTs: at.thread });
    message.metadata = { event_type: "planbridge", event_payload: { nonce: "n-9" } };
    expect(await channel.find?.(at, "n-9")).toBeUndefined();
  });
});

describe("Slack, refusing", () => {
  const notice: Content = { kind: "notice", text: "hello" };

  it("reports a rate limit with its wait and does not try again by itself", async () => {
    slack.failNext("chat.postMessage", { retryAfter: 7 });
    await expect(channel.post(at, notice)).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 7000 });
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it("reports a server failure as unavailable and does not post twice", async () => {
    slack.failNext("chat.postMessage", { status: 500 });
    await expect(channel.post(at, notice)).rejects.toMatchObject({ code: "unavailable" });
    expect(slack.count("chat.postMessage")).toBe(1);
    expect(ours()).toHaveLength(0);
  });

  it("reports an unreachable Slack as unavailable, without the token", async () => {
    const ref = await channel.post(at, notice);
    await channel.stop();
    await slack.stop();
    const error = await channel.edit(ref, notice).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ChannelError", code: "unavailable" });
    expect(String(error)).not.toContain(slack.botToken);
    slack = await startSlackEmulator();
  });

  it("reports a deleted board as gone and a deleted thread as thread_gone", async () => {
    const ref = await channel.post(at, board());
    slack.deleteMessage("C1", ref.id);
    await expect(channel.edit(ref, board({ state: "done" }))).rejects.toMatchObject({ code: "message_gone" });
    slack.deleteMessage("C1", at.thread ?? "");
    await expect(channel.post(at, notice)).rejects.toMatchObject({ code: "thread_gone" });
  });

  it.each([
    ["is_archived", "chat_gone"],
    ["not_in_channel", "chat_gone"],
    ["channel_not_found", "chat_gone"],
  ])("reports %s as %s", async (error, code) => {
    slack.workspace.closed.set("C1", error);
    await expect(channel.post(at, notice)).rejects.toMatchObject({ code });
  });

  it("is down, with the reason, once the bot token is revoked", async () => {
    slack.failNext("chat.postMessage", { error: "token_revoked" });
    await expect(channel.post(at, notice)).rejects.toMatchObject({ code: "auth" });
    expect(channel.status()).toMatchObject({ state: "down", detail: "Slack refused chat.postMessage: token_revoked." });
  });

  it("meets the limits that Slack enforces, and names them in its pace", async () => {
    const strict = await startSlackEmulator({ limits: { ...REAL_LIMITS, postBurst: 1, updatesPerMinute: 3 } });
    const other = slackAdapter(strict).channel;
    const dm: Address = { channel: "slack", account: "T1", chat: "D1" };
    const ref = await other.post(dm, notice);
    await expect(other.post(dm, notice)).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 1000 });
    for (let n = 0; n < 3; n += 1) await other.edit(ref, { kind: "notice", text: `${n}` });
    await expect(other.edit(ref, notice)).rejects.toMatchObject({ code: "rate_limited" });
    expect(strict.rateLimited).toBe(2);
    expect(other.pace(dm, "post")).toEqual([{ key: "slack/T1/chat/D1", burst: 1, perMs: 1050 }]);
    expect(other.pace(dm, "edit").at(-1)).toEqual({ key: "slack/T1/chat.update", burst: 24, perMs: 60_000 });
    expect(other.pace({ ...dm, bot: "ops" }, "edit").at(-1)?.key).toBe("slack/T1@ops/chat.update");
    await strict.stop();
  });
});
