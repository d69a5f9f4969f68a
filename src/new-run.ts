/** An accepted message as it enters the queue. */
import { runId } from "./sessions.ts";
import type { Run } from "./types.ts";

export interface NewRun {
  inbound: Run["inbound"];
  session: string;
  threadId: string;
  context: Run["context"];
  now: number;
}

export function newRun({ inbound, session, threadId, context, now }: NewRun): Run {
  return {
    id: runId(inbound.id),
    session,
    threadId,
    inbound,
    context,
    status: "queued",
    attempt: 0,
    todos: [],
    delivered: [],
    queuedAt: now,
    usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0 },
  };
}
