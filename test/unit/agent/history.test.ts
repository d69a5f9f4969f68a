import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { finalText } from "../../../src/agent/final-text.ts";
import { closeTurn, repairHistory, runMessages, spentOn } from "../../../src/agent/history.ts";
import { hidden, withToolCalls } from "../../../src/agent/messages.ts";

const human = (content: string, id = content) => new HumanMessage({ content, id });
const calls = (...ids: string[]) =>
  new AIMessage({
    content: "",
    tool_calls: ids.map((id) => ({ id, name: "look", args: {}, type: "tool_call" as const })),
  });
const result = (id: string) => new ToolMessage({ content: `result ${id}`, tool_call_id: id });

const shape = (messages: { getType(): string }[]) => messages.map((message) => message.getType()).join(" ");

describe("repairHistory", () => {
  it("answers open calls right behind their message", () => {
    const repaired = repairHistory([human("a"), calls("1", "2"), result("1"), human("b")]);
    expect(shape(repaired)).toBe("human ai tool tool human");
    expect(repaired[3]).toMatchObject({ tool_call_id: "2", status: "error" });
  });

  it("brings a late result back to its call and drops one that has none", () => {
    const repaired = repairHistory([result("0"), human("a"), calls("1"), human("b"), result("1")]);
    expect(shape(repaired)).toBe("human ai tool human");
    expect(repaired[2]?.content).toBe("result 1");
  });

  it("keeps one result of several for the same call", () => {
    expect(shape(repairHistory([calls("1"), result("1"), result("1")]))).toBe("ai tool");
  });

  it("leaves a whole history as it is", () => {
    const whole = [human("a"), calls("1"), result("1"), new AIMessage("done"), human("b")];
    expect(repairHistory(whole)).toEqual(whole);
  });
});

describe("closeTurn", () => {
  it("adds nothing behind an answer or to an empty thread", () => {
    expect(closeTurn([])).toEqual([]);
    expect(closeTurn([human("a"), new AIMessage("done")])).toEqual([]);
  });

  it("adds missing results and a word that no chat shows", () => {
    const added = closeTurn([human("a"), calls("1", "2"), result("1")]);
    expect(shape(added)).toBe("tool ai");
    expect(finalText([human("a"), ...added])).toBe("");
  });

  it("keeps two messages of people apart", () => {
    expect(shape(closeTurn([human("a")]))).toBe("ai");
  });
});

describe("finalText", () => {
  it("takes the last words after the last message of a person", () => {
    expect(finalText([human("a"), new AIMessage("early"), new AIMessage("late")])).toBe("late");
    expect(finalText([human("a"), new AIMessage("old"), human("b")])).toBe("");
  });

  it("does not take a hidden reminder for a message of a person", () => {
    expect(finalText([human("a"), new AIMessage("answer"), hidden("go on", "todo_reminder")])).toBe("answer");
  });

  it("joins text blocks and leaves thinking, calls and images out", () => {
    const content = [
      { type: "thinking", thinking: "SECRET" },
      { type: "text", text: "A " },
      { type: "image_url", image_url: { url: "https://ex.test/x.png" } },
      { type: "text", text: "B" },
    ];
    expect(finalText([human("a"), new AIMessage({ content })])).toBe("A B");
  });
});

describe("runMessages", () => {
  it("ends before the next run and includes what steered this one", () => {
    const steer = new HumanMessage({ id: "s", content: "also", additional_kwargs: { steer: true } });
    const all = [human("a"), steer, new AIMessage("one"), human("b"), new AIMessage("two")];
    expect(finalText(runMessages(all, "a"))).toBe("one");
    expect(runMessages(all, "unknown")).toEqual([]);
  });
});

describe("spentOn", () => {
  it("sums what the model's messages cost", () => {
    const usage_metadata = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
    const messages = [human("a"), new AIMessage({ content: "x", usage_metadata }), new AIMessage("free")];
    expect(spentOn(messages)).toEqual({ inputTokens: 10, outputTokens: 2, modelCalls: 1 });
  });
});

describe("withToolCalls", () => {
  it("forgets a dropped call in all three places, and keeps the id", () => {
    const message = new AIMessage({
      id: "ai1",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "1", name: "look", input: {} },
        { type: "tool_use", id: "2", name: "ask", input: {} },
      ],
      tool_calls: [
        { id: "1", name: "look", args: {} },
        { id: "2", name: "ask", args: {} },
      ],
      additional_kwargs: { tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: "{}" } }] },
      response_metadata: { finish_reason: "tool_calls" },
    });
    const kept = withToolCalls(message, [{ id: "2", name: "ask", args: {} }]);
    expect(JSON.stringify(kept.toDict())).not.toContain('"look"');
    expect(kept.tool_calls?.map(({ name }) => name)).toEqual(["ask"]);
    expect(kept.id).toBe("ai1");
    expect(withToolCalls(message, []).text).toBe("Let me look.");
  });
});
