/** Socket to final edit: the real Bolt receiver, the real model clients, the assembled agent, the real store. */

import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import type { SlackMessage } from "../support/emulators/slack-store.ts";
import {
  anthropicModel,
  type House,
  type HouseOptions,
  openaiModel,
  openHouse,
  slackChannel,
} from "../support/house.ts";
import { type ModelServer, type Reply, startModelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/process.ts";

let slack: SlackEmulator;
let model: ModelServer;
let house: House | undefined;

beforeEach(async () => {
  slack = await startSlackEmulator({ redeliverAfterMs: 400 });
  model = await startModelServer();
});
afterEach(async () => {
  await house?.close();
  house = undefined;
  await slack.stop();
  await model.stop();
});

const planning = { session: { context: { is_plan_mode: true } } };

async function open(channel: object = planning, more: Partial<HouseOptions> = {}): Promise<void> {
  house = await openHouse({
    channels: slackChannel(slack, channel),
    models: [openaiModel(model, { max_retries: 0 })],
    ...more,
  });
}

const todos = (...statuses: string[]): Reply => ({
  calls: [
    { name: "write_todos", args: { todos: statuses.map((status, n) => ({ content: `step ${n + 1}`, status })) } },
  ],
});
const PLAN: Reply[] = [
  todos("in_progress", "pending", "pending"),
  todos("completed", "in_progress", "pending"),
  todos("completed", "completed", "in_progress"),
  todos("completed", "completed", "completed"),
  { text: "All **three** steps are done." },
];

const isBoard = (message: SlackMessage) => message.blocks.some((block) => block.type === "plan");
const boards = () => slack.posts("C1").filter(isBoard);
const answers = () => slack.posts("C1").filter((message) => !isBoard(message));
const ask = (text: string, more: object = {}) => slack.say({ text: `<@U0BOT> ${text}`, ...more });

describe("a planned run", () => {
  it.each([
    ["ChatOpenAI", openaiModel],
    ["ChatAnthropic", anthropicModel],
  ])("with %s is one plan message, edited to its end, and then the answer", async (_client, modelOf) => {
    model.script(PLAN);
    house = await openHouse({ channels: slackChannel(slack, planning), models: [modelOf(model, { max_retries: 0 })] });
    const ts = ask("1) one 2) two 3) three");
    await slack.until(() => answers().length > 0, 10_000);
    expect(boards()).toHaveLength(1);
    expect(boards()[0]).toMatchObject({ threadTs: ts });
    expect(boards()[0]?.text).toContain("Done · 3/3");
    expect(JSON.stringify(boards()[0]?.blocks)).not.toMatch(/"in_progress"|"button"/);
    expect(answers().map((message) => message.text)).toEqual(["All *three* steps are done."]);
    expect(answers()[0]?.threadTs).toBe(ts);
  });

  it("without plan mode is the answer alone, and the model is not told of todos", async () => {
    model.script([{ text: "Hi." }]);
    await open({});
    ask("hello");
    await slack.until(() => answers().length > 0);
    expect(boards()).toEqual([]);
    expect(JSON.stringify(model.requests())).not.toContain("write_todos");
  });

  it("survives a dropped socket, and what was said meanwhile is answered after it", async () => {
    model.script([...PLAN, { text: "And hello." }]);
    await open();
    ask("1) one 2) two 3) three");
    await slack.until(() => boards().length > 0);
    slack.drop();
    const ts = ask("hello again");
    await slack.until(() => answers().length >= 2, 10_000);
    expect(slack.posts("C1", ts).filter((message) => !isBoard(message))).toHaveLength(1);
    expect(boards()).toHaveLength(1);
  });

  it("obeys a 429 on its edits and still shows the end", async () => {
    model.script(PLAN);
    await open();
    slack.failNext("chat.update", { retryAfter: 1 });
    ask("1) one 2) two 3) three");
    await slack.until(() => answers().length > 0, 10_000);
    expect(boards()).toHaveLength(1);
    expect(boards()[0]?.text).toContain("Done");
    expect(slack.rateLimited).toBe(1);
  });

  it("is posted anew once when a person deletes the plan message", async () => {
    model.script(PLAN);
    await open();
    const ts = ask("1) one 2) two 3) three");
    const first = await slack.until(() => boards()[0]);
    slack.deleteMessage("C1", first.ts);
    await slack.until(() => answers().length > 0, 10_000);
    const left = boards();
    expect(left.length).toBeLessThanOrEqual(1);
    for (const message of left) expect(message).toMatchObject({ threadTs: ts });
    expect(slack.store.messages.filter((message) => isBoard(message)).length).toBeLessThanOrEqual(2);
  });

  it("is shown as text where the workspace refuses plan blocks", async () => {
    slack.workspace.refusedBlocks.add("plan");
    model.script(PLAN);
    await open();
    ask("1) one 2) two 3) three");
    await slack.until(() => slack.posts("C1").some((message) => message.text.includes("All *three*")), 10_000);
    const shown = slack.posts("C1").filter((message) => message.text.includes("step 1"));
    expect(shown).toHaveLength(1);
    expect(shown[0]?.text).toContain("Done");
  });
});

describe("duplicates", () => {
  it("of one mention, as twin events and as redelivery, are one run", async () => {
    model.script([{ text: "once" }], { repeat: true });
    await open({});
    const ts = ask("hello");
    await slack.until(() => answers().length > 0);
    slack.event({ type: "app_mention", channel: "C1", user: "U1", ts, text: "<@U0BOT> hello" });
    slack.event({ type: "message", channel_type: "channel", channel: "C1", user: "U1", ts, text: "<@U0BOT> hello" });
    await slack.until(() => slack.deliveries.every((delivery) => delivery.acked));
    await house?.app.lanes.idle();
    expect(answers()).toHaveLength(1);
    expect(model.requests()).toHaveLength(1);
  });
});

describe("trouble", () => {
  it("with the model is told in one sentence, and the next message works", async () => {
    model.script([{ status: 500, message: "boom" }, { text: "fine now" }]);
    await open({});
    const ts = ask("hello");
    await slack.until(() => answers().length === 1, 10_000);
    expect(answers()[0]?.text).toMatch(/^⚠️ .+\.$/);
    expect(answers()[0]?.text).not.toMatch(/boom|stack|k-123456/);
    ask("again", { threadTs: ts });
    await slack.until(() => answers().length === 2, 10_000);
    expect(answers()[1]?.text).toBe("fine now");
  });

  it("with a model that nobody can reach is told as such", async () => {
    house = await openHouse({
      channels: slackChannel(slack),
      models: [openaiModel(model, { base_url: "http://127.0.0.1:9/v1", max_retries: 0 })],
    });
    ask("hello");
    await slack.until(() => answers().length === 1, 10_000);
    expect(answers()[0]?.text).toMatch(/reach/i);
  });

  it("with Slack, a 500 on the answer, is tried again and shown once", async () => {
    model.script([{ text: "the answer" }]);
    await open({});
    slack.failNext("chat.postMessage", { status: 500 });
    ask("hello");
    await slack.until(() => answers().length > 0, 10_000);
    await house?.app.lanes.idle();
    expect(answers().map((message) => message.text)).toEqual(["the answer"]);
  });

  it("with Slack, an answer whose receipt was lost, is not posted twice", async () => {
    model.script([{ text: "the answer" }]);
    await open({});
    slack.failNext("chat.postMessage", { lostAnswer: true });
    ask("hello");
    await slack.until(() => answers().length > 0, 10_000);
    await house?.app.lanes.idle();
    expect(answers().map((message) => message.text)).toEqual(["the answer"]);
  });
});

describe("odd input", () => {
  it("that is only a mention gets a hint, not a run", async () => {
    await open();
    ask("");
    await slack.until(() => answers().length > 0);
    expect(answers()[0]?.text).toContain("/help");
    expect(model.requests()).toEqual([]);
  });

  it("of 100 kB reaches the model whole", async () => {
    model.script([{ text: "long" }]);
    await open({});
    ask("x".repeat(100_000));
    await slack.until(() => answers().length > 0, 10_000);
    expect(JSON.stringify(model.requests()[0]).length).toBeGreaterThan(100_000);
  });

  it("with half a surrogate pair is made well-formed and answered", async () => {
    model.script([{ text: "ok" }]);
    await open({});
    ask("broken \ud83d text");
    await slack.until(() => answers().length > 0, 10_000);
    expect(JSON.stringify(model.requests()[0]?.messages).isWellFormed()).toBe(true);
  });

  it("in an answer pings nobody", async () => {
    model.script([{ text: "Heads up <!channel> and <@U1> and @everyone, [x](!here)" }]);
    await open({});
    ask("shout");
    await slack.until(() => answers().length > 0, 10_000);
    expect(JSON.stringify(answers()[0])).not.toMatch(/<!channel|<@U1>|<!here/);
  });
});

describe("a plan that waits for approval", () => {
  const approving = { session: { context: { is_plan_mode: true, plan_approval: "first" } } };
  const buttons = () => JSON.stringify(boards().at(-1)?.blocks ?? []).matchAll(/"value":"([a-z]+:[^"]+)"/g);
  const token = (action: string) =>
    [...buttons()].map((match) => match[1] ?? "").find((it) => it.startsWith(`${action}:`));

  it("goes on at the press of the asker, once, and not of a stranger", async () => {
    model.script(PLAN);
    await open(approving);
    ask("1) one 2) two 3) three");
    const approve = await slack.until(() => token("ok"), 10_000);
    slack.press(approve, "U2");
    await slack.until(() => slack.store.ephemerals.length + slack.deliveries.length > 0);
    slack.press(approve, "U1");
    await slack.until(() => answers().length > 0, 10_000);
    expect(boards()).toHaveLength(1);
    expect(boards()[0]?.text).toContain("Done");
    expect(answers()).toHaveLength(1);
  });

  it("waits through a restart, is changed in words, approved and carried out", async () => {
    const folder = tempFolder();
    model.script([todos("pending", "pending"), todos("pending", "pending", "pending"), ...PLAN.slice(1)]);
    await open(approving, { folder });
    const ts = ask("do it");
    await slack.until(() => token("ok"), 10_000);
    await house?.close();
    await open(approving, { folder });
    ask("add a third step", { threadTs: ts });
    await slack.until(() => boards()[0]?.text.includes("0/3"), 10_000);
    await slack.until(() => token("ok"), 10_000);
    ask("yes", { threadTs: ts });
    await slack.until(() => answers().some((message) => message.text.includes("All *three*")), 10_000);
    expect(boards()).toHaveLength(1);
    expect(JSON.stringify(model.requests()[1]?.messages)).toContain("add a third step");
    await house?.close();
    house = undefined;
    folder.remove();
  });
});

describe("commands after a mention", () => {
  it("answer in the thread: help, status, plan, stop, new", async () => {
    await open();
    const ts = ask("/help");
    await slack.until(() => answers().length === 1);
    ask("/plan auto", { threadTs: ts });
    await slack.until(() => answers().length === 2);
    ask("status", { threadTs: ts });
    await slack.until(() => answers().length === 3);
    ask("/stop", { threadTs: ts });
    await slack.until(() => answers().length === 4);
    ask("/new", { threadTs: ts });
    await slack.until(() => answers().length === 5);
    expect(answers().every((message) => message.threadTs === ts)).toBe(true);
    expect(answers()[2]?.text).toMatch(/Idle[\s\S]*auto/);
  });
});
