/** One subagent from its description to its last text. It ends in every case, and only the run's stop ends ours. */
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { pickRunnableConfigKeys, type RunnableConfig } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { messageOf } from "../errors.ts";
import { textOf } from "./messages.ts";
import type { PartContext, Parts } from "./parts.ts";
import { capped } from "./tools/text.ts";

export interface SubagentSpec {
  name: string;
  description: string;
  systemPrompt: string;
  tools: StructuredToolInterface[];
  /** Absent: the model of the run. */
  model?: string | undefined;
  timeoutMs: number;
  maxTurns: number;
  interruptOn: Record<string, boolean | "admin">;
}

export interface Assignment {
  spec: SubagentSpec;
  task: string;
  /** Of the call that started it. */
  callId: string;
  config: RunnableConfig;
  lines: Parts["lines"];
}

export type Returned = { ok: true; text: string } | { ok: false; text: string };

/** Super-steps per model turn, generously: the limit on turns is counted here, not there. */
const STEPS_PER_TURN = 25;

export async function runSubagent(assignment: Assignment, context: PartContext): Promise<Returned> {
  const { spec, task, callId } = assignment;
  const show = (status: "running" | "done" | "failed", detail?: string): void => {
    const subagent = { id: callId, title: titleOf(task), status, ...(detail ? { detail } : {}) };
    context.emit({ type: "subagent", subagent });
  };
  show("running");
  const progress: Progress = { messages: [] };
  const timeout = AbortSignal.timeout(spec.timeoutMs);
  try {
    const complete = await follow(assignment, context, timeout, progress, (detail) => show("running", detail));
    show(complete ? "done" : "failed", complete ? undefined : "stopped at its limit");
    return complete
      ? { ok: true, text: resultOf(progress.messages) }
      : partial(progress, `it was ended after ${spec.maxTurns} turns`);
  } catch (error) {
    // A question to a person, or the end of the whole run: not ours to answer.
    if (isGraphBubbleUp(error) || context.signal.aborted || assignment.config.signal?.aborted) throw error;
    const why = timeout.aborted ? `it took longer than ${Math.round(spec.timeoutMs / 1000)} s` : messageOf(error);
    context.log.warn({ subagent: spec.name, error: why }, "subagent failed");
    show("failed", timeout.aborted ? "took too long" : "failed");
    return partial(progress, why);
  }
}

interface Progress {
  messages: BaseMessage[];
}

/** False: it was still at work when its turns were used up. */
async function follow(
  { spec, task, callId, config, lines }: Assignment,
  context: PartContext,
  timeout: AbortSignal,
  progress: Progress,
  tell: (detail: string) => void,
): Promise<boolean> {
  const agent = createAgent({
    model: spec.model ? context.modelNamed(spec.model) : context.model,
    tools: spec.tools,
    systemPrompt: spec.systemPrompt,
    middleware: context.safety(spec.interruptOn),
    name: spec.name,
  });
  const signals = [timeout, context.signal, ...(config.signal ? [config.signal] : [])];
  // The id makes a resumed run recognize the message it began with.
  const input = { messages: [new HumanMessage({ id: `${callId}-task`, content: task })] };
  const states = await agent.stream(input, {
    ...pickRunnableConfigKeys(config),
    signal: AbortSignal.any(signals),
    recursionLimit: spec.maxTurns * STEPS_PER_TURN,
    streamMode: "values",
  });
  for await (const { messages } of states as AsyncIterable<Partial<Progress>>) {
    // A state without messages says that a person is asked; the stream then throws.
    if (!messages) continue;
    progress.messages = messages;
    const [call] = callsAtEnd(messages);
    if (call) tell(lines?.[call.name]?.(call.args) ?? call.name);
    if (call && turnsOf(messages) >= spec.maxTurns) return false;
  }
  return true;
}

function callsAtEnd(messages: BaseMessage[]) {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
}

function turnsOf(messages: BaseMessage[]): number {
  return messages.filter((message) => message.type === "ai").length;
}

function resultOf(messages: BaseMessage[]): string {
  return lastText(messages) || "The subagent returned no text.";
}

function lastText(messages: BaseMessage[]): string {
  const spoken = messages.findLast((message) => message.type === "ai" && textOf(message).trim() !== "");
  return spoken ? capped(textOf(spoken).trim()) : "";
}

function partial({ messages }: Progress, why: string): Returned {
  const text = lastText(messages);
  return { ok: false, text: `The subagent did not finish: ${why}.${text ? ` Its last words: ${text}` : ""}` };
}

function titleOf(task: string): string {
  const line = task.trim().split("\n")[0] ?? "";
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line;
}
