import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { currentTurn, hidden, textOf, withToolCalls } from "../messages.ts";

const WARN_AT = 3;
const STOP_AT = 5;
/** Model messages looked at: a call repeated now and then in long work is no loop. */
const WINDOW = 20;

const WARNING =
  "You have made the same tool call several times with the same result. Do something else, or answer with what you have.";
const LAST_WORD = "I stopped because I kept repeating the same step without getting further.";

/** Warns at the third same call of a run, drops the fifth and ends. */
export function loop(): AgentMiddleware {
  return createMiddleware({
    name: "loop",
    wrapModelCall: async (request, next) => {
      const seen = countCalls(currentTurn(request.messages));
      const worst = Math.max(0, ...seen.values());
      const warning = worst >= WARN_AT ? [hidden(WARNING, "loop_warning")] : [];
      const message = await next({ ...request, messages: [...request.messages, ...warning] });
      const repeats = signatures(message).some((signature) => (seen.get(signature) ?? 0) + 1 >= STOP_AT);
      return repeats ? withToolCalls(message, [], textOf(message).trim() || LAST_WORD) : message;
    },
  });
}

function countCalls(messages: BaseMessage[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages.filter((m) => AIMessage.isInstance(m)).slice(-WINDOW)) {
    for (const signature of new Set(signatures(message))) counts.set(signature, (counts.get(signature) ?? 0) + 1);
  }
  return counts;
}

function signatures({ tool_calls = [] }: AIMessage): string[] {
  return tool_calls.map(({ name, args }) => `${name} ${stable(args)}`);
}

/** JSON with sorted keys: the same call in another key order is the same call. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
