import { type AgentMiddleware, createMiddleware, tool } from "langchain";
import { z } from "zod";
import { lastAi, withToolCalls } from "../messages.ts";
import { ask } from "../questions.ts";
import { oneLine } from "../todos.ts";

const NAME = "ask_clarification";
const MAX_QUESTION = 2_000;
const MAX_OPTIONS = 10;

const schema = z.object({
  question: z.string().min(1).describe("One question, short and plain"),
  clarification_type: z.enum([
    "missing_info",
    "ambiguous_requirement",
    "approach_choice",
    "risk_confirmation",
    "suggestion",
  ]),
  context: z.string().nullish().describe("Why you ask, one sentence"),
  options: z.array(z.string()).nullish().describe("Answers to choose from"),
});

/** Asks the person and waits. Nothing else of that message runs: it would act on what is not clear yet. */
export function clarification(description: string): AgentMiddleware {
  return createMiddleware({
    name: "clarification",
    tools: [askClarification(description)],
    afterModel: ({ messages }) => {
      const message = lastAi(messages);
      const calls = message?.tool_calls ?? [];
      const question = calls.find(({ name }) => name === NAME);
      if (!message || !question || calls.length === 1) return undefined;
      return { messages: [withToolCalls(message, [question])] };
    },
  });
}

function askClarification(description: string) {
  return tool(
    ({ question, context, options }) => {
      const text = [context, question].flatMap((part) => part?.trim() || []).join("\n\n");
      const choices = (options ?? []).map((option) => oneLine(option, 200)).filter((option) => option !== "");
      const reply = ask({
        kind: "clarification",
        text: text.slice(0, MAX_QUESTION).toWellFormed(),
        options: choices.slice(0, MAX_OPTIONS),
      });
      return "text" in reply ? `The person answered: ${reply.text}` : `The person answered: ${reply.decision}`;
    },
    { name: NAME, description, schema },
  );
}
