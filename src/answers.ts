/** What a person's message or press means to the question a run waits with. Pure. */
import type { User } from "../channels/channel.ts";
import type { Answer, Question } from "./types.ts";

const YES = /^(?:approve[ds]?|yes|y|ok(?:ay)?|go(?: ahead)?|lgtm|👍|✅|批准|同意|可以|好的?|是的?|行)[.!。！]*$/iu;
const NO = /^(?:reject(?:ed)?|no|n|cancel|deny|denied|👎|❌|拒绝|不同意|不行|不要|否|取消)[.!。！]*$/iu;

/** Words: yes and no decide about plans and tools, anything else changes them; a number picks an option. */
export function answerFromText(question: Question, text: string, by: User): Answer {
  const plain = text.trim();
  if (question.kind === "clarification") {
    const option = /^\d{1,2}[.)]?$/.test(plain) ? question.options[Number.parseInt(plain, 10) - 1] : undefined;
    return { questionId: question.id, by, decision: "answer", text: option ?? plain };
  }
  if (YES.test(plain)) return { questionId: question.id, by, decision: "approve" };
  if (NO.test(plain)) return { questionId: question.id, by, decision: "reject" };
  return { questionId: question.id, by, decision: "change", text: plain };
}

/** Undefined: this button does not answer by itself ("Change" asks for words). */
export function answerFromPress(
  question: Question,
  action: string,
  option: number | undefined,
  by: User,
): Answer | undefined {
  if (action === "ok") return { questionId: question.id, by, decision: "approve" };
  if (action === "no") return { questionId: question.id, by, decision: "reject" };
  const text = option === undefined ? undefined : question.options[option];
  return text === undefined ? undefined : { questionId: question.id, by, decision: "answer", text };
}
