import { type AgentMiddleware, createMiddleware } from "langchain";
import { toolError } from "../messages.ts";
import type { Parts } from "../parts.ts";
import { ask } from "../questions.ts";
import { oneLine } from "../todos.ts";

const MAX_ARGUMENTS = 1_500;

/** A person decides before these tools run. Each call waits for itself, so several are answered one by one. */
export function approvals(interruptOn: Parts["interruptOn"]): AgentMiddleware {
  return createMiddleware({
    name: "approvals",
    wrapToolCall: (request, next) => {
      const { name, args } = request.toolCall;
      const rule = interruptOn[name] ?? false;
      if (rule === false) return next(request);
      const reply = ask({ kind: "tool", text: toolQuestion(name, args), options: [], byAdmin: rule === "admin" });
      switch (reply.decision) {
        case "approve":
          return next(request);
        case "reject":
          return toolError(request.toolCall, "The person did not allow this call. Do not try it again.");
        default:
          return toolError(request.toolCall, `Not run. The person wants something else instead: ${reply.text}`);
      }
    },
  });
}

function toolQuestion(name: string, args: Record<string, unknown>): string {
  const told = Object.entries(args).map(([key, value]) => `${key}: ${shown(value)}`);
  const whole = oneLine([`Run ${name}?`, told.join(", ")].join(" "), Number.POSITIVE_INFINITY);
  const cut = whole.length - MAX_ARGUMENTS;
  return cut > 0 ? `${oneLine(whole, MAX_ARGUMENTS)} (${cut} more characters are not shown)` : whole;
}

/** Line breaks stay visible: in a command they begin another one. */
function shown(value: unknown): string {
  return typeof value === "string" && !/[\r\n]/.test(value) ? value : (JSON.stringify(value) ?? "");
}
