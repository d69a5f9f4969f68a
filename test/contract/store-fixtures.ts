/** Runs and names for the store contract. Each test works in a chat of its own, so stores can be shared. */
import { randomUUID } from "node:crypto";
import { runId, sessionKey } from "../../src/sessions.ts";
import type { Store } from "../../src/state/store.ts";
import type { Answer, Question, Run, SessionContext } from "../../src/types.ts";

/** The time at which everything happens; leases are written in full numbers after it. */
export const T0 = Date.now();
export const LEASE = 15_000;

const context: SessionContext = {
  is_plan_mode: false,
  plan_approval: "never",
  thinking_enabled: true,
  subagent_enabled: false,
  max_concurrent_subagents: 3,
};

export interface Chat {
  session: string;
  /** A new message in this chat as a run to accept. */
  run(text?: string, change?: Partial<Run["inbound"]>): Run;
}

export function aChat(thread?: string): Chat {
  const chat = `C/${randomUUID().slice(0, 8)}#:.`;
  const at = { channel: "slack" as const, account: "T1", chat, ...(thread === undefined ? {} : { thread }) };
  const session = sessionKey(at, "thread", "U1");
  let count = 0;
  return {
    session,
    run(text = "hello", change = {}) {
      count += 1;
      const inbound: Run["inbound"] = {
        id: `slack:T1:${chat}:${count}`,
        at,
        messageId: String(count),
        user: { id: "U1", name: "Ann" },
        kind: "group",
        addressed: true,
        text,
        attachments: [],
        sentAt: T0,
        ...change,
      };
      return {
        id: runId(inbound.id),
        session,
        threadId: `${session}#0`,
        inbound,
        context,
        status: "queued",
        attempt: 0,
        todos: [],
        delivered: [],
        queuedAt: T0 + count,
        usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0 },
      };
    },
  };
}

/** Accepts a message and takes the lane for it. */
export async function running(store: Store, owner = "w1", chat = aChat()) {
  const run = chat.run();
  await store.accept(run);
  await take(store, chat.session, owner);
  return { chat, session: chat.session, run };
}

export async function take(store: Store, session: string, owner = "w1", now = T0): Promise<Run> {
  const claim = await store.begin(session, owner, LEASE, now);
  if (claim.kind !== "run") throw new Error(`expected a run, got ${claim.kind}`);
  return claim.run;
}

export async function parked(store: Store, owner = "w1") {
  const work = await running(store, owner);
  await store.park(work.session, work.run.id, owner, question);
  return work;
}

export const question: Question = { id: "q1", kind: "plan", text: "Go?", options: [], askedAt: T0 };
export const approval: Answer = { questionId: "q1", by: { id: "U2", name: "Bob" }, decision: "approve" };
