import { type AgentMiddleware, createMiddleware } from "langchain";

/**
 * Must be first: the first middleware with an afterModel hook cannot jump back to the model after a clean answer, the
 * library ignores it silently. This one has the hook and never jumps, so all others can.
 */
export function anchor(): AgentMiddleware {
  return createMiddleware({ name: "anchor", afterModel: () => undefined });
}
