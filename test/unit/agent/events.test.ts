import { AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { questionsIn, TextSoFar, visibleText, writtenTodos } from "../../../src/agent/events.ts";
import { toFailure } from "../../../src/agent/failures.ts";
import { chooseModel, REHEARSAL } from "../../../src/agent/models.ts";

const piece = (message: BaseMessage, ns: string[] = [], tags: string[] = []) => ({ message, ns, tags });
const said = (content: string, id = "a") => new AIMessageChunk({ content, id });

describe("what of the stream is visible", () => {
  it.each([
    ["a tool's result", piece(new ToolMessage({ content: "rows", tool_call_id: "1" }))],
    ["a subagent's words", piece(said("SUB"), ["tools:1"])],
    ["a summary", piece(said("SUMMARY"), [], ["nostream"])],
    ["a person's words", piece(new HumanMessage("ECHO"))],
    ["a hidden message", piece(new AIMessageChunk({ content: "x", additional_kwargs: { hide_from_ui: true } }))],
  ])("is not %s", (_, hiddenPiece) => {
    expect(visibleText(hiddenPiece)).toBe("");
  });

  it("keeps repeated pieces and starts anew with a new message", () => {
    const text = new TextSoFar();
    const texts = [said("谢"), said("谢"), said("next", "b")].map((message) => text.add(piece(message))?.text);
    expect(texts).toEqual(["谢", "谢谢", "next"]);
  });
});

describe("a written list", () => {
  const todos = [{ content: "A", status: "pending" }];

  it("counts only when the tool wrote it", () => {
    expect(writtenTodos({ tools: { todos } })).toEqual(todos);
    expect(writtenTodos({ tools: [{ messages: [] }, { todos }] })).toEqual(todos);
    expect(writtenTodos({ "todo.after_model": { todos } })).toBeUndefined();
  });
});

describe("questionsIn", () => {
  it("reads our questions and leaves foreign interrupts alone", () => {
    const value = { kind: "plan", text: "1. A", options: [] };
    expect(questionsIn([{ id: "i1", value }, { id: "i2", value: "foreign" }, { value }], 5)).toEqual([
      { id: "i1", kind: "plan", text: "1. A", options: [], askedAt: 5 },
    ]);
  });
});

describe("toFailure", () => {
  it("never tells what a provider wrote, only its class and status", () => {
    const error = Object.assign(new Error("Incorrect API key provided: sk-abc"), { status: 401 });
    const { failure, text } = toFailure(error);
    expect(failure).toEqual({ code: "model_auth", detail: "Error 401" });
    expect(text).not.toContain("sk-abc");
  });

  it("finds a network fault below other errors", () => {
    const socket = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(toFailure(new Error("x", { cause: new Error("y", { cause: socket }) })).failure.code).toBe(
      "model_unreachable",
    );
  });
});

describe("chooseModel", () => {
  const models = ["one", "two"].map((name) => ({ ...REHEARSAL, name }));

  it("takes the run's name, then the agent's, then the first of the config", () => {
    expect(chooseModel(models, "two", "one").config.name).toBe("two");
    expect(chooseModel(models, undefined, "two").config.name).toBe("two");
    expect(chooseModel(models).config.name).toBe("one");
    expect(chooseModel([]).config.provider).toBe("rehearsal");
  });

  it("warns about a name that is not configured", () => {
    expect(chooseModel(models, "gone")).toMatchObject({
      config: { name: "one" },
      warning: expect.stringContaining("gone"),
    });
  });
});
