import { answerFromPress, answerFromText } from "../../src/answers.ts";
import type { Question } from "../../src/types.ts";

const by = { id: "U1", name: "Ann" };
const question = (kind: Question["kind"], options: string[] = []): Question => ({
  id: "q1",
  kind,
  text: "?",
  options,
  askedAt: 0,
});

describe("answers in words", () => {
  it.each(["yes", "OK", "approve", "go ahead!", "可以", "好的。", "👍"])("%j approves a plan", (text) => {
    expect(answerFromText(question("plan"), text, by)).toEqual({ questionId: "q1", by, decision: "approve" });
  });

  it.each(["no", "Reject", "拒绝", "cancel."])("%j rejects a plan", (text) => {
    expect(answerFromText(question("plan"), text, by)).toMatchObject({ decision: "reject" });
  });

  it("takes every other text as a change, also one that begins with yes or no", () => {
    expect(answerFromText(question("plan"), "yes, but skip step 2", by)).toMatchObject({
      decision: "change",
      text: "yes, but skip step 2",
    });
    expect(answerFromText(question("tool"), "no network please", by)).toMatchObject({ decision: "change" });
  });

  it("reads a number as an option only where there is one", () => {
    const asked = question("clarification", ["red", "blue"]);
    expect(answerFromText(asked, " 2. ", by)).toMatchObject({ decision: "answer", text: "blue" });
    expect(answerFromText(asked, "7", by)).toMatchObject({ decision: "answer", text: "7" });
    expect(answerFromText(asked, "2 of them", by)).toMatchObject({ text: "2 of them" });
  });
});

describe("answers by button", () => {
  it("picks the option of its number", () => {
    expect(answerFromPress(question("clarification", ["a", "b"]), "opt", 1, by)).toMatchObject({ text: "b" });
    expect(answerFromPress(question("clarification", ["a"]), "opt", 5, by)).toBeUndefined();
  });
});
