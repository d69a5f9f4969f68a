import { type AgentMiddleware, createMiddleware } from "langchain";
import { isBlank } from "../history.ts";
import { hidden, withToolCalls } from "../messages.ts";

const NUDGE = "Your last reply was empty. Answer the person now, in words.";
export const NO_ANSWER =
  "The model gave no answer to this, even when asked again. Please try again or put it differently.";

/** No run ends with an empty message: the model is asked once more, then the person is told how it is. */
export function terminal(): AgentMiddleware {
  return createMiddleware({
    name: "terminal",
    wrapModelCall: async (request, next) => {
      const first = await next(request);
      if (!isEmptyAnswer(first)) return first;
      const second = await next({
        ...request,
        messages: [...request.messages, hidden(NUDGE, "empty_answer_reminder")],
      });
      return isEmptyAnswer(second) ? withToolCalls(second, [], NO_ANSWER) : second;
    },
  });
}

function isEmptyAnswer(message: Parameters<typeof withToolCalls>[0]): boolean {
  return (message.tool_calls ?? []).length === 0 && isBlank(message);
}
