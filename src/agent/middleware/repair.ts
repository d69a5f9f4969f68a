import { type AgentMiddleware, createMiddleware } from "langchain";
import { repairHistory } from "../history.ts";

/** The model never sees a call without its result, however the turn before was cut. */
export function repair(): AgentMiddleware {
  return createMiddleware({
    name: "repair",
    wrapModelCall: (request, next) => next({ ...request, messages: repairHistory(request.messages) }),
  });
}
