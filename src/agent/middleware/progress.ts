import { ToolMessage } from "@langchain/core/messages";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";
import type { AgentEvent } from "../../types.ts";
import { oneLine } from "../todos.ts";

/** Bookkeeping: the plan, questions, files and subagents are shown in their own ways. */
const HIDDEN_PROGRESS_TOOLS = ["write_todos", "read_todos", "ask_clarification", "present_files", "task"];

export interface ProgressOptions {
  emit(event: AgentEvent): void;
  hidden: string[];
  lines: Record<string, (args: Record<string, unknown>) => string>;
}

const MAX_LINE = 120;

/** Tells that a tool begins and ends. Innermost of all that wrap tool calls: what waits for approval has not begun. */
export function progress({ emit, hidden, lines }: ProgressOptions): AgentMiddleware {
  const quiet = new Set([...HIDDEN_PROGRESS_TOOLS, ...hidden]);
  return createMiddleware({
    name: "progress",
    wrapToolCall: async (request, next) => {
      const { id = "", name, args } = request.toolCall;
      if (quiet.has(name)) return next(request);
      const line = oneLine(lines[name]?.(args) || `Using ${name}`, MAX_LINE);
      const tell = (status: "running" | "done" | "failed") => emit({ type: "tool", id, name, status, line });
      tell("running");
      try {
        const result = await next(request);
        tell(ToolMessage.isInstance(result) && result.status === "error" ? "failed" : "done");
        return result;
      } catch (error) {
        if (!isGraphBubbleUp(error)) tell("failed");
        throw error;
      }
    },
  });
}
