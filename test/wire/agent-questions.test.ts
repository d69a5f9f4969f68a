import { MemorySaver } from "@langchain/langgraph";
import { createMiddleware, tool } from "langchain";
import { z } from "zod";
import type { Answer, Question } from "../../src/types.ts";
import { ANN, type Ask, createTestAgent, eventsOf, fixedParts, lastOf, ofType } from "../support/agent-run.ts";
import { anthropicModel, type ModelServer, openaiModel, startModelServer, told } from "../support/model-server.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.stop());

const items = (...contents: string[]) => ({
  todos: contents.map((content, index) => ({ content, status: index === 0 ? "in_progress" : "pending" })),
});
const done = (...contents: string[]) => ({ todos: contents.map((content) => ({ content, status: "completed" })) });

function setup(model = openaiModel) {
  const ran: string[] = [];
  const act = tool(({ what }) => ran.push(what) && `did ${what}`, {
    name: "act",
    description: "Acts",
    schema: z.object({ what: z.string() }),
  });
  const checkpointer = new MemorySaver();
  const parts = fixedParts({ tools: [act], interruptOn: {} });
  const guarded = fixedParts({ tools: [act], interruptOn: { act: true } });
  const config = { models: [model(server)] };
  return {
    ran,
    /** A new agent over the same checkpoints, as after a restart. */
    agent: () => createTestAgent({ config, parts, checkpointer }),
    guarded: () => createTestAgent({ config, parts: guarded, checkpointer }),
  };
}

const approve = (question: Question): Answer => ({ questionId: question.id, by: ANN, decision: "approve" });
const reject = (question: Question): Answer => ({ questionId: question.id, by: ANN, decision: "reject" });
const change = (question: Question, text: string): Answer => ({
  questionId: question.id,
  by: ANN,
  decision: "change",
  text,
});

describe("plan approval", () => {
  const ask: Ask = { text: "do both", id: "m1", context: { is_plan_mode: true, plan_approval: "first" } };
  const withAnswer = (answer: Answer, base = ask): Ask => ({ ...base, request: { answer } });

  it("shows the plan and waits before anything else of it runs", async () => {
    const { agent, ran } = setup();
    server.script([
      {
        calls: [
          { name: "write_todos", args: items("A", "B") },
          { name: "act", args: { what: "early" } },
        ],
      },
    ]);
    const events = await eventsOf(agent(), ask);
    const { question } = lastOf(events, "approve");
    expect(question).toMatchObject({ kind: "plan", text: "1. A\n2. B" });
    expect(
      ofType(events, "todos")
        .at(-1)
        ?.todos.map(({ content }) => content),
    ).toEqual(["A", "B"]);
    expect(ran).toEqual([]);
  });

  it("goes on after approval, also in another process, and asks no second time", async () => {
    const { agent, ran } = setup();
    server.script([{ calls: [{ name: "write_todos", args: items("A", "B") }] }]);
    const { question } = lastOf(await eventsOf(agent(), ask), "approve");
    server.script([
      { calls: [{ name: "act", args: { what: "A" } }] },
      { calls: [{ name: "write_todos", args: done("A", "B", "C") }] },
      { text: "All done." },
    ]);
    const events = await eventsOf(agent(), withAnswer(approve(question)));
    expect(lastOf(events, "done").text).toBe("All done.");
    expect(ran).toEqual(["A"]);
  });

  it("asks again for a changed plan when every plan must be approved, not for progress", async () => {
    const { agent } = setup();
    const always: Ask = { ...ask, context: { is_plan_mode: true, plan_approval: "always" } };
    server.script([{ calls: [{ name: "write_todos", args: items("A", "B") }] }]);
    const first = lastOf(await eventsOf(agent(), always), "approve").question;
    server.script([
      { calls: [{ name: "write_todos", args: done("A", "B") }] },
      { calls: [{ name: "write_todos", args: items("A", "B", "C") }] },
    ]);
    const second = lastOf(await eventsOf(agent(), withAnswer(approve(first), always)), "approve").question;
    expect(second.text).toBe("1. A\n2. B\n3. C");
    expect(second.id).not.toBe(first.id);
    expect(server.requests()).toHaveLength(2);
  });

  it("hands the person's words to the model, which writes a new plan", async () => {
    const { agent } = setup();
    server.script([{ calls: [{ name: "write_todos", args: items("A", "B") }] }]);
    const { question } = lastOf(await eventsOf(agent(), ask), "approve");
    server.script([{ calls: [{ name: "write_todos", args: items("A", "only then B") }] }]);
    const events = await eventsOf(agent(), withAnswer(change(question, "B last please")));
    expect(told(server.requests()[0], "tool").join()).toContain("B last please");
    expect(lastOf(events, "approve").question.text).toBe("1. A\n2. only then B");
  });

  it("ends with an honest word when the plan is rejected", async () => {
    const { agent, ran } = setup();
    server.script([
      {
        calls: [
          { name: "write_todos", args: items("A", "B") },
          { name: "act", args: { what: "early" } },
        ],
      },
    ]);
    const { question } = lastOf(await eventsOf(agent(), ask), "approve");
    server.script([{ text: "unreached" }]);
    const events = await eventsOf(agent(), withAnswer(reject(question)));
    expect(lastOf(events, "done").text).toContain("rejected");
    expect(server.requests()).toHaveLength(0);
    expect(ran).toEqual([]);
    await eventsOf(agent(), { text: "then something else", id: "m2" });
    expect(server.requests()[0]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "user",
    ]);
  });

  it("asks the same question again when it is started again without an answer", async () => {
    const { agent } = setup();
    server.script([{ calls: [{ name: "write_todos", args: items("A", "B") }] }]);
    const first = lastOf(await eventsOf(agent(), ask), "approve").question;
    const again = lastOf(await eventsOf(agent(), ask), "approve").question;
    expect(again.id).toBe(first.id);
    const stale = await eventsOf(agent(), withAnswer({ ...approve(first), questionId: "other" }));
    expect(lastOf(stale, "approve").question.id).toBe(first.id);
    expect(server.requests()).toHaveLength(1);
  });
});

describe.each([openaiModel, anthropicModel])("a question of the model (%#)", (model) => {
  const question = {
    question: "Which report?",
    clarification_type: "missing_info",
    context: "There are two.",
    options: ["March", "April"],
  };

  it("pauses the run, keeps other tools of that message from running, and goes on with the answer", async () => {
    const { agent, ran } = setup(model);
    server.script([
      {
        text: "One moment.",
        calls: [
          { name: "act", args: { what: "guess" } },
          { name: "ask_clarification", args: question },
        ],
      },
    ]);
    const ask: Ask = { text: "send the report", id: "m1" };
    const asked = lastOf(await eventsOf(agent(), ask), "ask").question;
    expect(asked).toMatchObject({
      kind: "clarification",
      text: "There are two.\n\nWhich report?",
      options: ["March", "April"],
    });
    expect(server.requests()).toHaveLength(1);
    server.script([{ text: "April it is." }]);
    const answer: Answer = { questionId: asked.id, by: ANN, decision: "answer", text: "April" };
    const events = await eventsOf(agent(), { ...ask, request: { answer } });
    expect(lastOf(events, "done").text).toBe("April it is.");
    expect(ran).toEqual([]);
    const results = told(server.requests()[0], "tool");
    expect(results).toHaveLength(1);
    expect(results[0]).toContain("The person answered: April");
  });
});

const echo = tool(({ what }) => what, { name: "act", description: "Acts", schema: z.object({ what: z.string() }) });

describe("tool approval", () => {
  const ask: Ask = { text: "act twice", id: "m1" };

  it("asks about each call by itself, and resumes one by one", async () => {
    const { guarded, ran } = setup();
    server.script([
      {
        calls: [
          { name: "act", args: { what: "one" } },
          { name: "act", args: { what: "two" } },
        ],
      },
    ]);
    const first = lastOf(await eventsOf(guarded(), ask), "approve").question;
    expect(first).toMatchObject({ kind: "tool", text: "Run act? what: one" });
    const events = await eventsOf(guarded(), { ...ask, request: { answer: approve(first) } });
    const second = lastOf(events, "approve").question;
    expect(second.text).toBe("Run act? what: two");
    expect(ran).toEqual(["one"]);
    expect(lastOf(await eventsOf(guarded(), ask), "approve").question.id).toBe(second.id);
    server.script([{ text: "One of two." }]);
    const end = await eventsOf(guarded(), { ...ask, request: { answer: reject(second) } });
    expect(lastOf(end, "done").text).toBe("One of two.");
    expect(ran).toEqual(["one"]);
    expect(told(server.requests()[0], "tool")).toEqual(["did one", expect.stringContaining("did not allow")]);
  });

  it("asks in the order of the calls, not in the order in which they got ready", async () => {
    const slowFirst = createMiddleware({
      name: "slow_first",
      wrapToolCall: async (request, next) => {
        if (request.toolCall.args.what === "one") await new Promise((resolve) => setTimeout(resolve, 60));
        return next(request);
      },
    });
    const parts = fixedParts({ tools: [echo], interruptOn: { act: true }, middleware: [slowFirst] });
    server.script([
      {
        calls: [
          { name: "act", args: { what: "one" } },
          { name: "act", args: { what: "two" } },
        ],
      },
    ]);
    const agent = createTestAgent({ config: { models: [openaiModel(server)] }, parts });
    expect(lastOf(await eventsOf(agent, ask), "approve").question.text).toBe("Run act? what: one");
  });

  it("is not shown as begun before it is approved", async () => {
    const { guarded } = setup();
    server.script([{ calls: [{ name: "act", args: { what: "one" } }] }]);
    const events = await eventsOf(guarded(), ask);
    expect(ofType(events, "tool")).toEqual([]);
  });

  it("gives the model the person's words instead of a result", async () => {
    const { guarded, ran } = setup();
    server.script([{ calls: [{ name: "act", args: { what: "one" } }] }]);
    const { question } = lastOf(await eventsOf(guarded(), ask), "approve");
    server.script([{ text: "As you wish." }]);
    await eventsOf(guarded(), { ...ask, request: { answer: change(question, "use the other one") } });
    expect(ran).toEqual([]);
    expect(told(server.requests()[0], "tool")[0]).toContain("use the other one");
  });

  it("leaves an acceptable history when another message comes instead of an answer", async () => {
    const { guarded } = setup();
    server.script([{ calls: [{ name: "act", args: { what: "one" } }] }]);
    await eventsOf(guarded(), ask);
    server.script([{ text: "Hello." }]);
    const events = await eventsOf(guarded(), { text: "hello", id: "m2" });
    expect(lastOf(events, "done").text).toBe("Hello.");
    expect(server.requests()[0]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});
