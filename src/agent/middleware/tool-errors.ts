import { type AgentMiddleware, ToolInvocationError, toolErrorMiddleware } from "langchain";
import { messageOf } from "../../errors.ts";
import { RunFailure, rootOf } from "../failures.ts";

/**
 * A tool that throws tells the model, not the run. Outermost of all that wrap tool calls: one such middleware alone makes
 * every tool exception fatal, its own bugs included.
 */
export function toolErrors(signal: AbortSignal): AgentMiddleware {
  return toolErrorMiddleware({
    onError: (error) => {
      const root = rootOf(error);
      if (signal.aborted || root instanceof RunFailure) return undefined;
      // The library's own text holds the stack, and with it paths of this machine.
      const cause = ToolInvocationError.isInstance(root) ? root.toolError : root;
      return `Error: ${messageOf(cause).slice(0, 2_000)}`;
    },
  });
}
