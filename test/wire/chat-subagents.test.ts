/** Subagents as people see them: under the plan, live, counted, stopped. */
import type { ChatCompletionRequest } from "@copilotkit/aimock";
import { Chat, calls, plan } from "../support/chat.ts";
import { type Reply, told } from "../support/model-server.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const context = { is_plan_mode: true, subagent_enabled: true };
const options = { slack: { session: { context } }, rest: { tools: { shell: { enabled: true } } } };

/** Children are told their task and nothing else. */
const taskOf = (request: ChatCompletionRequest) => {
  const first = told(request, "user")[0] ?? "";
  return first.startsWith("[from:") ? undefined : first;
};

const delegating = (...tasks: string[]): Reply =>
  calls(
    ...tasks.map((description): [string, Record<string, unknown>] => [
      "task",
      { description, subagent_type: "general-purpose" },
    ]),
  );

function lead(...replies: Reply[]) {
  const left = [...replies];
  return (): Reply => left.shift() ?? { status: 500 };
}

/** A child's reply waits here until the test lets it go. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

interface Card {
  title: string;
  status: string;
}

const cards = (blocks: Record<string, unknown>[]): Card[] =>
  blocks.flatMap((block) => (block.type === "plan" ? (block.tasks as Card[]) : []));
/** The subagents in what the plan message shows now. */
const agents = () =>
  cards(chat.boards()[0]?.blocks ?? [])
    .filter(({ title }) => title.startsWith("↳"))
    .map(({ title, status }) => `${title.slice(2)} ${status}`);

async function open(replyOf: (task: string) => Promise<Reply> | Reply, ...replies: Reply[]): Promise<void> {
  const next = lead(...replies);
  chat.model.reply((request) => {
    const task = taskOf(request);
    return task === undefined ? next() : replyOf(task);
  });
  await chat.open(options);
}

/** What /usage says that this chat has used. */
async function tokensOf(thread: string): Promise<number> {
  chat.ask("/usage", { thread });
  const { text } = await chat.says("This chat today");
  return Number(/today: (\d+) tokens/.exec(text)?.[1]);
}

const PLAN = [plan("in_progress", "pending"), plan("completed", "completed")] as const;

describe("subagents", () => {
  it("are shown under the plan while they run and when they are done, and their tokens count", async () => {
    const hold = gate();
    const child = async (task: string) => {
      await hold.passed;
      return { text: `result of ${task}`, usage: { input: 1_000, output: 100 } };
    };
    await open(child, PLAN[0], delegating("alpha", "beta", "gamma"), PLAN[1], { text: "All compared." });
    const thread = chat.ask("compare alpha, beta and gamma");
    await chat.slack.until(() => agents().length === 3, 10_000);
    expect(agents()).toEqual(["alpha in_progress", "beta in_progress", "gamma in_progress"]);
    hold.open();
    await chat.says("All compared.");
    expect(agents()).toEqual(["alpha complete", "beta complete", "gamma complete"]);
    expect(chat.boards()).toHaveLength(1);
    expect(await tokensOf(thread)).toBeGreaterThanOrEqual(3 * 1_100);
  });

  it("are shown without a plan as well, as work", async () => {
    const hold = gate();
    const child = async (): Promise<Reply> => {
      await hold.passed;
      return { text: "ok" };
    };
    await open(child, delegating("alpha"), { text: "Done." });
    chat.ask("ask someone");
    await chat.slack.until(() => agents().length === 1, 10_000);
    expect(chat.boards()[0]?.text).toMatch(/^\*Working\*/);
    hold.open();
    await chat.says("Done.");
    expect(chat.boards()[0]?.text).toMatch(/^\*Done\*/);
  });

  it("over the limit are not started, and the model is told", async () => {
    const started: string[] = [];
    const child = (task: string) => {
      started.push(task);
      return { text: "ok" };
    };
    await open(child, PLAN[0], delegating("one", "two", "three", "four", "five"), PLAN[1], { text: "Done." });
    chat.ask("do five things");
    await chat.says("Done.");
    expect(started.sort()).toEqual(["one", "three", "two"]);
    const results = told(
      chat.model.requests().find((request) => told(request, "tool").length > 5),
      "tool",
    );
    expect(results.filter((text) => text.startsWith("Not started: at most 3"))).toHaveLength(2);
  });

  it("that fail are shown as failed, and the run goes on", async () => {
    const child = (task: string): Reply => (task === "bad" ? { status: 400, message: "no" } : { text: "fine" });
    await open(child, PLAN[0], delegating("good", "bad"), PLAN[1], { text: "One of two." });
    chat.ask("do both");
    await chat.says("One of two.");
    expect(agents()).toEqual(["good complete", "bad error"]);
    expect(chat.boards()[0]?.text).toContain("Done · 2/2");
  });

  it("that are done stay shown and counted while another one waits for an approval, over a restart", async () => {
    let asked = 0;
    const child = (task: string): Reply => {
      if (task === "quick") return { text: "ok", usage: { input: 1_000, output: 100 } };
      asked += 1;
      return asked === 1 ? calls(["shell", { command: "true" }]) : { text: "ran" };
    };
    await open(child, PLAN[0], delegating("quick", "careful"), PLAN[1], { text: "Both done." });
    const thread = chat.ask("do both");
    const approve = await chat.button("Approve");
    await chat.slack.until(() => agents().length === 2);
    await chat.open(options);
    chat.slack.press(approve);
    await chat.says("Both done.");
    expect(agents()).toEqual(["quick complete", "careful complete"]);
    expect(await tokensOf(thread)).toBeGreaterThanOrEqual(1_100);
  });

  it("end with the run at /stop, and the next message is answered", async () => {
    const hold = gate();
    const child = async () => {
      await hold.passed;
      return { text: "too late" };
    };
    await open(child, PLAN[0], delegating("alpha", "beta"), { text: "Here I am." });
    const thread = chat.ask("do both");
    await chat.slack.until(() => agents().length === 2, 10_000);
    chat.ask("/stop", { thread });
    await chat.slack.until(() => chat.boards()[0]?.text.includes("Stopped"), 10_000);
    expect(agents().filter((line) => line.endsWith("in_progress"))).toEqual([]);
    const asked = chat.model.requests().length;
    hold.open();
    chat.ask("hello?", { thread });
    await chat.says("Here I am.");
    expect(chat.model.requests()).toHaveLength(asked + 1);
  });
});
