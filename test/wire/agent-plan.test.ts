import { MemorySaver } from "@langchain/langgraph";
import { tool } from "langchain";
import { z } from "zod";
import { type Ask, createTestAgent, eventsOf, fixedParts, lastOf, ofType, storedThread } from "../support/agent-run.ts";
import {
  anthropicModel,
  type ModelServer,
  openaiModel,
  type Reply,
  startModelServer,
  told,
} from "../support/model-server.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.stop());

type Status = "pending" | "in_progress" | "completed";
const todos = (...list: [string, Status][]) => ({ todos: list.map(([content, status]) => ({ content, status })) });
const write = (...list: [string, Status][]): Reply => ({ calls: [{ name: "write_todos", args: todos(...list) }] });
const toolNames = (index = 0) =>
  ((server.requests()[index]?.tools ?? []) as { function?: { name: string } }[]).map((one) => one.function?.name);

const planned = (text: string, more: Partial<Ask> = {}): Ask => ({ text, context: { is_plan_mode: true }, ...more });

const note = tool(({ what }) => `noted ${what}`, {
  name: "note",
  description: "Notes",
  schema: z.object({ what: z.string() }),
});

function agentWith(model = openaiModel, more: Record<string, unknown> = {}) {
  const checkpointer = new MemorySaver();
  return createTestAgent({
    config: { models: [model(server)], ...more },
    parts: fixedParts({ tools: [note] }),
    checkpointer,
  });
}

describe.each([openaiModel, anthropicModel])("plan mode (%#)", (model) => {
  it("tells the plan each time it changes, in this run only", async () => {
    const agent = agentWith(model);
    server.script([
      write(["A", "in_progress"], ["B", "pending"]),
      write(["A", "completed"], ["B", "in_progress"]),
      write(["A", "completed"], ["B", "completed"]),
      { text: "Both done." },
    ]);
    const events = await eventsOf(agent, planned("do A and B"));
    const states = ofType(events, "todos").map((event) => event.todos.map(({ status }) => status).join());
    expect(states).toEqual(["in_progress,pending", "completed,in_progress", "completed,completed"]);
    expect(ofType(events, "tool")).toEqual([]);
    expect(lastOf(events, "done").text).toBe("Both done.");
    server.script([{ text: "You are welcome." }]);
    expect(ofType(await eventsOf(agent, planned("thanks")), "todos")).toEqual([]);
  });

  it("sends an answer back twice while tasks are open, then lets it pass", async () => {
    server.script([
      write(["A", "in_progress"], ["B", "pending"]),
      { text: "Early." },
      { text: "Early again." },
      { text: "I could not do B." },
    ]);
    const events = await eventsOf(agentWith(model), planned("do A and B"));
    expect(server.requests()).toHaveLength(4);
    expect(lastOf(events, "done").text).toBe("I could not do B.");
    expect(told(server.requests()[2], "user").at(-1)).toContain("[in_progress] A");
    expect(told(server.requests()[3], "user").filter((text) => text.includes("todo_completion_reminder"))).toHaveLength(
      1,
    );
    for (const { text } of ofType(events, "text")) expect(text).not.toContain("reminder");
  });

  it("refuses two lists in one message, runs the other tool, and keeps the plan", async () => {
    server.script([
      write(["A", "completed"]),
      {
        calls: [
          { name: "write_todos", args: todos(["X", "pending"]) },
          { name: "note", args: { what: "n" } },
          { name: "write_todos", args: todos(["Y", "pending"]) },
        ],
      },
      { text: "ok" },
    ]);
    const events = await eventsOf(agentWith(model), planned("go"));
    expect(ofType(events, "todos").map((event) => event.todos[0]?.content)).toEqual(["A"]);
    const results = told(server.requests()[2], "tool");
    expect(results.filter((text) => text.includes("Only one write_todos"))).toHaveLength(2);
    expect(results).toContain("noted n");
  });

  it("asks the model again when a message holds nothing but two lists", async () => {
    const two = write(["X", "pending"]).calls ?? [];
    server.script([{ calls: [...two, ...two] }, { text: "Sorry, one then." }]);
    const events = await eventsOf(agentWith(model), planned("go"));
    expect(lastOf(events, "done").text).toBe("Sorry, one then.");
    expect(server.requests()).toHaveLength(2);
  });
});

describe("plan mode", () => {
  it("costs nothing when it is off: no tool, no prompt", async () => {
    server.script([{ text: "hi" }, { text: "hi" }]);
    const agent = agentWith();
    await eventsOf(agent, { text: "hello" });
    await eventsOf(agent, planned("hello", { thread: "t2" }));
    expect(toolNames(0)).not.toContain("write_todos");
    expect(told(server.requests()[0], "system")[0]).not.toContain("todo");
    expect(toolNames(1)).toEqual(expect.arrayContaining(["write_todos", "read_todos"]));
    expect(told(server.requests()[1], "system")[0]).toContain("<todo_list_system>");
  });

  it("keeps the plan while it is off for a message", async () => {
    const agent = agentWith();
    server.script([write(["A", "completed"]), { text: "done" }]);
    await eventsOf(agent, planned("plan"));
    server.script([{ text: "hello" }]);
    await eventsOf(agent, { text: "hello" });
    server.script([{ calls: [{ name: "read_todos", args: {} }] }, { text: "There was A." }]);
    await eventsOf(agent, planned("what was the plan?"));
    expect(told(server.requests()[1], "tool").at(-1)).toContain("[completed] A");
  });

  it("asks the model once for a plain message after an unfinished plan", async () => {
    const agent = agentWith();
    server.script([write(["A", "in_progress"], ["B", "pending"]), { text: "1" }, { text: "2" }, { text: "3" }]);
    await eventsOf(agent, planned("do A and B"));
    server.script([{ text: "You are welcome." }]);
    const events = await eventsOf(agent, planned("thanks"));
    expect(server.requests()).toHaveLength(1);
    expect(told(server.requests()[0], "user").join()).not.toContain("todo_");
    expect(lastOf(events, "done").text).toBe("You are welcome.");
  });

  it("says honestly that a list of 10,000 tasks is not taken", async () => {
    const list = Array.from({ length: 10_000 }, (_, index): [string, Status] => [`task ${index}`, "pending"]);
    // In small pieces the client would put the half megabyte together for minutes.
    const coarse = await startModelServer({ chunkSize: 50_000 });
    try {
      coarse.script([write(...list), { text: "That is too long for one plan." }]);
      const agent = createTestAgent({ config: { models: [openaiModel(coarse)] } });
      const events = await eventsOf(agent, planned("plan it all"));
      expect(ofType(events, "todos")).toEqual([]);
      expect(told(coarse.requests()[1], "tool")[0]).toContain("10000 items; at most 100");
      expect(lastOf(events, "done").text).toBe("That is too long for one plan.");
    } finally {
      await coarse.stop();
    }
  });

  it("lets the model mend a list with an unknown status", async () => {
    server.script([
      { calls: [{ name: "write_todos", args: { todos: [{ content: "A", status: "doing" }] } }] },
      write(["A", "completed"]),
      { text: "done" },
    ]);
    const events = await eventsOf(agentWith(), planned("go"));
    expect(lastOf(events, "done").text).toBe("done");
    expect(ofType(events, "todos")).toHaveLength(1);
  });

  it("carries what a task is called while it is done, cleaned and on one line", async () => {
    const args = { todos: [{ content: "Read\n\u202ethe\u0000report", status: "in_progress", activeForm: "Reading" }] };
    server.script([{ calls: [{ name: "write_todos", args }] }, { text: "1" }, { text: "2" }, { text: "3" }]);
    const events = await eventsOf(agentWith(), planned("go"));
    expect(ofType(events, "todos")[0]?.todos).toEqual([
      { content: "Read the report", status: "in_progress", activeForm: "Reading" },
    ]);
  });

  it("keeps two threads apart that work at the same time", async () => {
    const agent = agentWith();
    server.script([
      write(["A", "in_progress"]),
      write(["A", "in_progress"]),
      ...["1", "2", "3", "4", "5", "6"].map((text) => ({ text })),
    ]);
    await Promise.all([
      eventsOf(agent, planned("one", { thread: "t1" })),
      eventsOf(agent, planned("two", { thread: "t2" })),
    ]);
    expect(server.requests()).toHaveLength(8);
  });
});

describe("a history that is summarized", () => {
  const small = { name: "main", context_window: 1_000 };
  const agentWithSmall = (checkpointer = new MemorySaver()) =>
    createTestAgent({
      checkpointer,
      config: { models: [{ ...openaiModel(server), ...small }], summarization: { at: 0.5, keep_messages: 2 } },
      parts: fixedParts({ tools: [note] }),
    });

  it("keeps the person's request word for word, hides the summary, and shows a lost plan again", async () => {
    server.script([
      write(["A", "in_progress"], ["B", "pending"]),
      { calls: [{ name: "note", args: { what: "x".repeat(3_000) } }] },
      { text: "notes about the past" },
      { calls: [{ name: "write_todos", args: todos(["A", "completed"], ["B", "completed"]) }] },
      { text: "All done." },
    ]);
    const checkpointer = new MemorySaver();
    const events = await eventsOf(agentWithSmall(checkpointer), planned("my very own request"));
    expect(lastOf(events, "done").text).toBe("All done.");
    const after = told(server.requests()[3], "user");
    expect(after.some((text) => text.includes("notes about the past"))).toBe(true);
    expect(after).toContain("my very own request");
    expect(after.filter((text) => text.includes("<todo_reminder>"))).toHaveLength(1);
    expect(JSON.stringify(ofType(events, "text"))).not.toContain("notes about");
    expect(ofType(events, "usage").at(-1)?.usage.modelCalls).toBe(server.requests().length);
    const [summary, ...rest] = await storedThread(checkpointer).messages();
    expect(summary?.additional_kwargs.hide_from_ui).toBe(true);
    expect(rest[0]?.text).toBe("my very own request");
  });

  it("does not bring back the plan of an earlier run", async () => {
    const agent = agentWithSmall();
    server.script([write(["A", "in_progress"]), { text: "1" }, { text: "2" }, { text: "3" }]);
    await eventsOf(agent, planned("do A"));
    server.script([{ text: "notes about the past" }, { text: "ok" }]);
    await eventsOf(agent, planned(`read this: ${"x ".repeat(1_500)}`));
    const users = told(server.requests()[1], "user");
    expect(users[0]).toContain("notes about the past");
    expect(users.join()).not.toContain("todo_reminder");
  });

  it("is left whole when the summary fails", async () => {
    const agent = agentWithSmall();
    server.script([{ text: "first" }]);
    await eventsOf(agent, { text: `remember ${"y ".repeat(1_500)}`, id: "m1" });
    server.script([{ text: "second" }]);
    await eventsOf(agent, { text: "two", id: "m2" });
    server.script([{ status: 400 }, { text: "third" }]);
    const events = await eventsOf(agent, { text: "three", id: "m3" });
    expect(lastOf(events, "done").text).toBe("third");
    expect(told(server.requests()[1], "user")[0]).toContain("remember");
  });
});
