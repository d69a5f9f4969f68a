import { type AgentMiddleware, createMiddleware } from "langchain";
import { toolError } from "../messages.ts";
import { ask } from "../questions.ts";
import { oneLine } from "../todos.ts";

const MAX_ARGUMENTS = 600;

/** A person decides before these tools run. Each call waits for itself, so several are answered one by one. */
export function approvals(interruptOn: Record<string, boolean>): AgentMiddleware {
  return createMiddleware({
    name: "approvals",
    wrapToolCall: (request, next) => {
      const { name, args } = request.toolCall;
      if (interruptOn[name] !== true) return next(request);
      const reply = ask({ kind: "tool", text: toolQuestion(name, args), options: [] });
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

export function toolQuestion(name: string, args: Record<string, unknown>): string {
  const told = Object.entries(args).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return oneLine(told.length === 0 ? `Run ${name}?` : `Run ${name}? ${told.join(", ")}`, MAX_ARGUMENTS);
}
