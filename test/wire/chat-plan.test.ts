/** The plan message from the outside: what it must never show, and what it must not cost. */
import { Chat, calls, plan } from "../support/chat.ts";
import { anthropicModel, openaiModel } from "../support/house.ts";
import { type Reply, told } from "../support/model-server.ts";
import { pairingProblem } from "../support/pairing.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const planning = { session: { context: { is_plan_mode: true } } };
const REMINDERS = /todo_reminder|todo_completion_reminder|todo list|unfinished|not completed/i;

async function open(replies: Reply[], more: object = {}): Promise<void> {
  chat.model.script(replies);
  await chat.open({ slack: planning, ...more });
}

describe.each([
  ["ChatOpenAI", openaiModel],
  ["ChatAnthropic", anthropicModel],
])("an answer that comes too early, with %s", (_name, modelOf) => {
  it("is sent back and never posted; the reminder is seen by the model alone", async () => {
    const early = `Done already! ${"Really, all of it. ".repeat(20)}`;
    await open(
      [plan("in_progress", "pending"), { text: early }, plan("completed", "completed"), { text: "Now it is." }],
      {
        models: (server: typeof chat.model) => [modelOf(server, { max_retries: 0 })],
      },
    );
    chat.ask("do two things");
    await chat.says("Now it is.");
    const reminded = told(chat.model.requests()[2], "user").at(-1) ?? "";
    expect(reminded).toContain("step 2");
    expect(chat.answers().map(({ text }) => text)).toEqual(["Now it is."]);
    expect(chat.everShown()).not.toContain("Done already!");
    expect(chat.everShown()).not.toContain(reminded.split("\n")[0]);
    expect(chat.everShown()).not.toMatch(REMINDERS);
    expect(chat.boards()[0]?.text).toContain("Done · 2/2");
    expect(chat.model.requests().map(pairingProblem).filter(Boolean)).toEqual([]);
  });
});

describe("a draft of the answer", () => {
  it("does not show text that comes while steps are open, however slowly it is written", async () => {
    await chat.close();
    chat = await Chat.start({ slowMs: 40 });
    const early = `Done already! ${"Really, all of it. ".repeat(60)}`;
    await open([
      plan("in_progress", "pending"),
      { text: early },
      plan("completed", "completed"),
      { text: "Now it is." },
    ]);
    chat.dm("do two things");
    await chat.slack.until(() => chat.model.requests().length >= 3, 10_000);
    await chat.says("Now it is.", "DU1");
    expect(chat.everShown()).not.toContain("Done already!");
  });
});

describe("a plan that a summary swallowed", () => {
  it("is shown to the model again, and never to people", async () => {
    const long = (name: string) => calls(["write_file", { path: `/workspace/${name}`, content: "x".repeat(6_000) }]);
    const replies = [plan("in_progress", "pending"), long("a"), long("b"), long("c"), { text: "SUMMARY" }];
    await open([...replies, plan("completed", "completed"), { text: "All done." }], {
      models: (server: typeof chat.model) => [openaiModel(server, { max_retries: 0, context_window: 10_000 })],
      rest: { summarization: { at: 0.4, keep_messages: 2 } },
    });
    chat.ask("do two things");
    await chat.says("All done.");
    const after = told(chat.model.requests()[5], "user");
    expect(after.join("\n")).toContain("SUMMARY");
    expect(after.at(-1)).toContain("[in_progress] step 1");
    expect(chat.everShown()).not.toMatch(REMINDERS);
    expect(chat.everShown()).not.toContain("SUMMARY");
  });
});

describe("the message after a plan", () => {
  it("that was finished begins a new one, without the old steps", async () => {
    const second = (status: string) => calls(["write_todos", { todos: [{ content: "fresh", status }] }]);
    await open([
      plan("completed", "completed"),
      { text: "First done." },
      second("in_progress"),
      second("completed"),
      { text: "Second done." },
    ]);
    const thread = chat.ask("do two things");
    await chat.says("First done.");
    chat.ask("another one", { thread });
    await chat.says("Second done.");
    const [one, two] = chat.boards();
    expect(one?.text).toContain("step 1");
    expect(two?.text).toContain("fresh");
    expect(JSON.stringify(two)).not.toContain("step 1");
    expect(chat.boards()).toHaveLength(2);
  });

  it("that was left unfinished costs one model call when it is about something else", async () => {
    await open([plan("in_progress", "pending"), { status: 400, message: "no" }, { text: "Hello." }]);
    const thread = chat.ask("do two things");
    await chat.says("⚠️");
    expect(chat.boards()[0]?.text).toContain("Failed");
    const before = chat.model.requests().length;
    chat.ask("hi there", { thread });
    await chat.says("Hello.");
    expect(chat.model.requests().length - before).toBe(1);
    expect(chat.boards()).toHaveLength(1);
  });
});
