import { type AgentMiddleware, modelRetryMiddleware } from "langchain";
import { isRetryable, rootOf } from "../failures.ts";

/** Longer than this nobody waits in a chat. */
const MAX_DELAY_MS = 30_000;

/** The one place that tries again: only what another try may cure, not before the provider wants to be asked. */
export function retry(maxRetries: number, initialDelayMs: number): AgentMiddleware {
  return modelRetryMiddleware({
    maxRetries,
    initialDelayMs,
    maxDelayMs: MAX_DELAY_MS,
    onFailure: "error",
    retryOn: (error) => {
      if (!isRetryable(error)) return false;
      // Where the library looks for what the clients leave in the headers.
      const wait = retryAfter(rootOf(error));
      if (wait !== undefined) Object.assign(error, { retryAfterMs: Math.min(wait, MAX_DELAY_MS) });
      return true;
    },
  });
}

function retryAfter(error: unknown): number | undefined {
  const headers = typeof error === "object" && error !== null && "headers" in error ? error.headers : undefined;
  const told = headers instanceof Headers ? headers.get("retry-after") : null;
  const seconds = told === null ? Number.NaN : Number(told);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
