/** Runs that must not go on for ever, and lists too long to show: each ends with a clear word in the thread. */
import { Chat, calls, plan, textOf } from "../support/chat.ts";
import { type Reply, told } from "../support/model-server.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const look = (path: string): Reply => calls(["ls", { path }]);
const folders = ["/uploads", "/workspace", "/outputs"];
/** Never the same call twice in a row, so that only the limit ends it. */
const wandering = (): Reply[] =>
  Array.from({ length: 40 }, (_, at) => calls(["glob", { pattern: `*${at}`, path: folders[at % 3] }]));

describe("a budget", () => {
  it.each([
    ["run_model_calls", { run_model_calls: 2 }, /^⚠️ I stopped here: one request may use 2 model calls/],
    ["run_tokens", { run_tokens: 20 }, /^⚠️ I stopped here: one request may use 20 tokens/],
  ])("%s ends the run with a word about it, on the plan as well", async (_key, budget, word) => {
    chat.model.script([plan("in_progress", "pending"), ...wandering()]);
    await chat.open({ slack: { budget, session: { context: { is_plan_mode: true } } } });
    chat.ask("go");
    expect(await chat.answer()).toMatch(word);
    expect(chat.model.requests()).toHaveLength(2);
    expect(chat.boards()[0]?.text).toContain("Failed · 0/2");
  });

  it("of a chat and day holds over runs, for that chat only", async () => {
    chat.model.script([{ text: "one" }, { text: "elsewhere" }, { text: "never" }]);
    await chat.open({ slack: { budget: { chat_tokens_per_day: 10 } } });
    const thread = chat.ask("first");
    await chat.says("one");
    await chat.idle();
    chat.ask("second", { thread });
    await chat.says("this chat's budget for today is used up");
    chat.ask("third", { channel: "C2" });
    await chat.says("elsewhere", "C2");
    expect(chat.model.requests()).toHaveLength(2);
  });
});

describe("a model that gets nowhere", () => {
  it("is stopped at the fifth same call, and the person is told", async () => {
    chat.model.script([look("/outputs")], { repeat: true });
    await chat.open();
    chat.ask("go");
    expect(await chat.answer()).toMatch(/kept repeating the same step/);
    expect(chat.model.requests()).toHaveLength(5);
  });

  it("is stopped at the step limit of the chat", async () => {
    chat.model.script(wandering());
    await chat.open({ slack: { session: { config: { recursion_limit: 8 } } } });
    chat.ask("go");
    expect(await chat.answer()).toMatch(/^⚠️ I stopped because this took more steps/);
    expect(chat.model.requests().length).toBeLessThanOrEqual(5);
  });

  it("and says nothing, twice, is told as that", async () => {
    chat.model.script([{ text: "" }, { text: "" }]);
    await chat.open();
    chat.ask("go");
    expect(await chat.answer()).toMatch(/gave no answer/);
    expect(chat.everShown()).not.toContain("Your last reply was empty");
  });
});

describe("a plan", () => {
  const planning = { session: { context: { is_plan_mode: true } } };
  const write = (todos: object[]): Reply => calls(["write_todos", { todos }]);

  it("of 10,000 steps is refused, the model is told, and the person gets an answer", async () => {
    const todos = Array.from({ length: 10_000 }, (_, at) => ({ content: `step ${at}`, status: "pending" }));
    chat.model.script([write(todos), { text: "That is too long for one plan." }]);
    await chat.open({ slack: planning });
    chat.ask("do everything");
    await chat.says("too long for one plan");
    expect(told(chat.model.requests()[1], "tool")[0]).toMatch(/10000 items; at most 100/);
    expect(chat.boards()).toEqual([]);
  });

  it("with a step of 5,000 wild characters is shown in its limits, on one line, without them", async () => {
    const wild = `a\u0000b\u001b[31m\n\r\u202e\u2066<!channel> *x* ${"😀".repeat(2_500)}`;
    const done = (status: string) =>
      write([
        { content: wild, status },
        { content: "two", status },
      ]);
    chat.model.script([done("in_progress"), done("completed"), { text: "Shown." }]);
    await chat.open({ slack: planning });
    chat.ask("go");
    await chat.says("Shown.");
    const [board] = chat.boards();
    const shown = board ? textOf(board) : "";
    expect(shown).toContain("Done · 2/2");
    expect(shown.isWellFormed()).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
    expect(shown.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
    expect(board?.text).not.toContain("<!channel>");
    expect(Buffer.byteLength(board?.text ?? "")).toBeLessThan(4_000);
    expect(chat.slack.store.calls.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
