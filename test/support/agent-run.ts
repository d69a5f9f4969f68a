/** Runs the assembled agent for tests: one request in, all its events out. */
import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent } from "langchain";
import { config as configSchema } from "../../config/schema.ts";
import { type AgentDeps, createAgentRuntime } from "../../src/agent/agent.ts";
import type { Parts, PartsFactory } from "../../src/agent/parts.ts";
import { RehearsalModel } from "../../src/agent/rehearsal/model.ts";
import { threadState } from "../../src/agent/thread-state.ts";
import type { Log } from "../../src/log.ts";
import type { Agent, AgentEvent, AgentRequest, RunContext } from "../../src/types.ts";

export const ROOT = resolve(import.meta.dirname, "../..");

export const ANN = { id: "U1", name: "Ann" };

export function quietLog(lines: string[] = []): Log {
  const keep = (data: object, message: string) => void lines.push(`${message} ${JSON.stringify(data)}`);
  return { debug: keep, info: keep, warn: keep, error: keep, child: () => quietLog(lines) };
}

export function fixedParts(parts: Partial<Parts>): PartsFactory {
  const whole: Parts = { tools: [], middleware: [], prompt: {}, interruptOn: {}, hidden: [], ...parts };
  return { for: async () => whole, close: async () => undefined };
}

export interface AgentSetup extends Partial<Omit<AgentDeps, "config">> {
  config?: Record<string, unknown>;
}

export function createTestAgent({ config = {}, ...deps }: AgentSetup = {}): Agent {
  const dir = mkdtempSync(join(tmpdir(), "pb-agent-"));
  return createAgentRuntime({
    config: configSchema.parse({ workspace: { dir }, ...config }),
    root: ROOT,
    checkpointer: new MemorySaver(),
    log: quietLog(),
    now: () => Date.UTC(2026, 11, 1),
    retryDelayMs: 1,
    ...deps,
  });
}

/** A thread as it is stored, to look into it or to damage it. */
export function storedThread(checkpointer: BaseCheckpointSaver, thread = "t1") {
  const { graph } = createAgent({ model: new RehearsalModel(), tools: [], stateSchema: threadState, checkpointer });
  const config = { configurable: { thread_id: thread } };
  return {
    messages: async () => (await graph.getState(config)).values.messages as BaseMessage[],
    append: (messages: BaseMessage[]) => graph.updateState(config, { messages }),
  };
}

export interface Ask {
  text: string;
  id?: string;
  thread?: string;
  context?: Partial<RunContext>;
  request?: Partial<AgentRequest>;
}

export function requestOf({ text, id = randomUUID(), thread = "t1", context, request }: Ask): AgentRequest {
  return {
    context: {
      is_plan_mode: false,
      plan_approval: "never",
      thinking_enabled: true,
      subagent_enabled: false,
      max_concurrent_subagents: 3,
      thread_id: thread,
      run_id: `run-${id}`.slice(0, 20),
      user_id: "terminal:U1",
      channel: "terminal",
      chat_id: "terminal/local/local",
      ...context,
    },
    input: { id, text, speaker: ANN, files: [] },
    dialect: "Plain text.",
    limits: {},
    signal: new AbortController().signal,
    ...request,
  };
}

export async function eventsOf(agent: Agent, ask: Ask): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.stream(requestOf(ask))) events.push(event);
  return events;
}

type EventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

export function ofType<T extends AgentEvent["type"]>(events: AgentEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

/** The one terminal event; fails when it is of another type. */
export function lastOf<T extends AgentEvent["type"]>(events: AgentEvent[], type: T): EventOf<T> {
  const last = events.at(-1);
  if (last?.type !== type) throw new Error(`ends with ${JSON.stringify(last)}, not ${type}`);
  return last as EventOf<T>;
}
