import type { AIMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { finishReason, textOf, withToolCalls } from "../messages.ts";

const CUT = /^(length|max_tokens|content_filter|refusal|safety)$/i;
const LAST_WORD = "The model's reply was cut off in the middle of a step, so that step was not done.";

/**
 * A reply cut off while it wrote a tool call looks like a whole call with half its arguments; running that is worse
 * than not running it. Calls whose arguments never became JSON go as well.
 */
export function finish(): AgentMiddleware {
  return createMiddleware({
    name: "finish",
    wrapModelCall: async (request, next) => {
      const message = await next(request);
      return endsBadly(message) ? withToolCalls(message, [], textOf(message).trim() || LAST_WORD) : message;
    },
  });
}

function endsBadly(message: AIMessage): boolean {
  const { tool_calls = [], invalid_tool_calls = [] } = message;
  if (tool_calls.length === 0) return invalid_tool_calls.length > 0;
  return CUT.test(finishReason(message));
}
