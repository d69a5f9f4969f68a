import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { nextMove } from "../../../src/agent/rehearsal/decide.ts";
import { finding } from "../../../src/agent/rehearsal/findings.ts";
import { stepsOf, taskOf } from "../../../src/agent/rehearsal/request.ts";
import { activeForm } from "../../../src/agent/rehearsal/words.ts";
import { createTestAgent, eventsOf, lastOf, ofType } from "../../support/agent-run.ts";

const REQUEST = "1) read package.json 2) count its dependencies 3) say which is the largest folder here";
const ALL = ["write_todos", "read_file", "disk_usage", "ls", "glob", "grep"];
const PACKAGE = JSON.stringify({ name: "x", dependencies: { a: "1", b: "1" }, devDependencies: { c: "1" } }, null, 2);
const USAGE =
  "/project: 5.0 MB in 3 entries, largest first\n4.0 MB\tREADME.md\n1.0 MB\tlib/\t3 files\n2 bytes\ta/\t1 files";

/** Plays the tools until the rehearsal answers. */
function play(text: string, tools: string[], results: Record<string, string>) {
  const messages: BaseMessage[] = [new HumanMessage(text)];
  const uses: string[] = [];
  for (let step = 0; step < 40; step += 1) {
    const move = nextMove(messages, tools);
    if (move.calls.length === 0) return { answer: move.text, uses, messages };
    const calls = move.calls.map(({ name, args }, index) => ({ id: `c${step}.${index}`, name, args }));
    messages.push(new AIMessage({ content: move.text, tool_calls: calls }));
    for (const { id, name } of calls) {
      uses.push(name);
      messages.push(new ToolMessage({ content: results[name] ?? "ok", tool_call_id: id, name }));
    }
  }
  throw new Error("the rehearsal does not end");
}

describe("the rehearsal", () => {
  it("does a list step by step with real tools and answers from their results", () => {
    const { answer, uses } = play(REQUEST, ALL, { read_file: PACKAGE, disk_usage: USAGE });
    expect(uses).toEqual(["write_todos", "read_file", "write_todos", "write_todos", "disk_usage", "write_todos"]);
    expect(answer).toContain("package.json names 2 dependencies and 1 development dependency.");
    expect(answer).toContain("the largest folder is lib (1.0 MB)");
    expect(answer).toContain("This is a rehearsal");
  });

  it("has one task in progress at a time", () => {
    const { messages } = play(REQUEST, ALL, { read_file: PACKAGE, disk_usage: USAGE });
    const lists = messages.flatMap((message) =>
      AIMessage.isInstance(message) ? (message.tool_calls ?? []).flatMap(({ args }) => args.todos ?? []) : [],
    );
    expect(lists.filter(({ status }) => status === "in_progress")).toHaveLength(3);
    expect(lists.slice(-3).map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  });

  it("says honestly what did not work and what it has no tool for", () => {
    const failing = new ToolMessage({ content: "no such file", tool_call_id: "c", name: "read_file", status: "error" });
    const call = { id: "c", name: "read_file", args: { path: "gone.md" } };
    const messages = [new HumanMessage("read gone.md"), new AIMessage({ content: "", tool_calls: [call] }), failing];
    expect(nextMove(messages, ALL).text).toContain("it did not work: no such file");
    expect(play("read package.json", [], {}).answer).toContain("not available here");
  });

  it("says once in a conversation that it is a rehearsal", () => {
    const first = nextMove([new HumanMessage("hello")], []).text;
    const second = nextMove([new HumanMessage("hello"), new AIMessage(first), new HumanMessage("thanks")], []).text;
    expect(first).toContain("rehearsal");
    expect(second).toBe("You are welcome.");
  });

  it.each([
    ["empty", ""],
    ["blank", " \n\u200b "],
    ["100 kB", "word, ".repeat(17_000)],
    ["100 kB without a break", "x".repeat(100_000)],
    ["Chinese", "1、读取 package.json 2、统计依赖 3、最大的文件夹"],
    ["half a character", "a\ud83d, b\udc00"],
    ["markup", "<todo_list_system> ``` [from: x]"],
    ["numbers", "1) 2) 3) 4)"],
  ])("answers anything: %s", (_, text) => {
    const { answer } = play(text, ALL, { read_file: PACKAGE, disk_usage: USAGE });
    expect(answer.trim()).not.toBe("");
    expect(answer.isWellFormed()).toBe(true);
  });

  it("reads lists in Chinese", () => {
    const { uses } = play("1、读取 package.json 2、统计依赖 3、最大的文件夹", ALL, {
      read_file: PACKAGE,
      disk_usage: USAGE,
    });
    expect(uses).toContain("disk_usage");
  });

  it("runs through the whole agent, slowly when asked to", async () => {
    const models = [{ name: "rehearsal", provider: "rehearsal", options: { delay_ms: 20 } }];
    const began = Date.now();
    const events = await eventsOf(createTestAgent({ config: { models } }), {
      text: REQUEST,
      context: { is_plan_mode: true },
    });
    expect(Date.now() - began).toBeGreaterThanOrEqual(80);
    expect(
      ofType(events, "todos")
        .at(-1)
        ?.todos.every(({ status }) => status === "completed"),
    ).toBe(true);
    expect(ofType(events, "usage").at(-1)?.usage.modelCalls).toBe(5);
    expect(lastOf(events, "done").text).toContain("not available here");
  });

  it("is what answers when no model is configured", async () => {
    const events = await eventsOf(createTestAgent(), { text: "hello" });
    expect(lastOf(events, "done").text).toContain("set `models`");
  });

  it("puts the person's change of a plan into the new plan", async () => {
    const agent = createTestAgent();
    const ask = { text: REQUEST, id: "m1", context: { is_plan_mode: true, plan_approval: "first" as const } };
    const { question } = lastOf(await eventsOf(agent, ask), "approve");
    const by = { id: "U1", name: "Ann" };
    const answer = { questionId: question.id, by, decision: "change" as const, text: "greet the team" };
    const changed = lastOf(await eventsOf(agent, { ...ask, request: { answer } }), "approve").question;
    expect(changed.text.split("\n").at(-1)).toBe("4. greet the team");
    const approve = { questionId: changed.id, by, decision: "approve" as const };
    lastOf(await eventsOf(agent, { ...ask, request: { answer: approve } }), "done");
  });
});

describe("the parts of a request", () => {
  it.each([
    ["a, b and c", ["a", "b and c"]],
    ["- one\n- two", ["one", "two"]],
    ["first x; then y", ["first x", "y"]],
    ["version 1.5) is fine", ["version 1.5) is fine"]],
  ])("of %j", (text, steps) => {
    expect(stepsOf(text)).toEqual(steps);
  });

  it("know which file is meant by what came before", () => {
    expect(taskOf("count its lines", ["read docs/a.md"])).toEqual({ kind: "lines", path: "docs/a.md" });
    expect(taskOf("visit https://ex.test/a.html", [])).toEqual({ kind: "none" });
  });

  it("count the lines of a file that was read in part", () => {
    const content = "a\nb\n[lines 1 to 2 of 900; go on with offset 2]";
    expect(finding({ kind: "lines", path: "a.md" }, { content, failed: false })).toBe("a.md has 900 lines.");
  });

  it.each([
    ["read a.md", "Reading a.md"],
    ["write it", "Writing it"],
    ["get it", "Getting it"],
    ["统计依赖", undefined],
  ])("are told while they are done: %s", (step, active) => {
    expect(activeForm(step)).toBe(active);
  });
});
