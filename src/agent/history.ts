/**
 * Histories that a provider accepts. Runs are cut off by people, crashes and lost leases, and every provider refuses a
 * call without its result or a result without its call. All pure.
 */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { isVisibleHuman, textOf, toolError } from "./messages.ts";

const CUT = "This call was interrupted before it gave a result.";
const UNANSWERED = "(I was interrupted before I could answer this.)";

/** Every call gets exactly one result right behind it; results that belong to no call are dropped. */
export function repairHistory(messages: BaseMessage[]): BaseMessage[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (ToolMessage.isInstance(message) && !results.has(message.tool_call_id))
      results.set(message.tool_call_id, message);
  }
  const answered = new Set<string>();
  return messages.flatMap((message) => {
    if (ToolMessage.isInstance(message)) return [];
    if (!AIMessage.isInstance(message)) return [message];
    // An id that came before has its result already; a second one would be refused.
    const calls = (message.tool_calls ?? []).filter(({ id }) => !answered.has(id ?? ""));
    for (const { id } of calls) answered.add(id ?? "");
    return [message, ...calls.map((call) => results.get(call.id ?? "") ?? toolError(call, CUT))];
  });
}

/** What must come between a cut turn and the next message: results for its open calls, and a word of the assistant. */
export function closeTurn(messages: BaseMessage[]): BaseMessage[] {
  const repaired = repairHistory(messages);
  const missing = repaired.filter((message) => !messages.includes(message));
  const last = messages.at(-1);
  if (!last || (AIMessage.isInstance(last) && (last.tool_calls ?? []).length === 0)) return [];
  return [...missing, new AIMessage({ content: UNANSWERED, additional_kwargs: { hide_from_ui: true } })];
}

/** Where the person's message stands, whatever was summarized since. */
function indexOfMessage(messages: BaseMessage[], id: string): number {
  return messages.findIndex((message) => message.id === id && isVisibleHuman(message));
}

/** The messages of the run that began with this one, up to the next run's. */
export function runMessages(messages: BaseMessage[], id: string): BaseMessage[] {
  const from = indexOfMessage(messages, id);
  if (from < 0) return [];
  const rest = messages.slice(from + 1);
  const next = rest.findIndex((message) => isVisibleHuman(message) && message.additional_kwargs.steer !== true);
  return [messages[from] ?? new HumanMessage(""), ...(next < 0 ? rest : rest.slice(0, next))];
}

export interface Spent {
  inputTokens: number;
  outputTokens: number;
  modelCalls: number;
}

/** What the model's messages of a run cost, as far as they are kept. */
export function spentOn(messages: BaseMessage[]): Spent {
  const spent = { inputTokens: 0, outputTokens: 0, modelCalls: 0 };
  for (const message of messages) {
    if (!AIMessage.isInstance(message) || !message.usage_metadata) continue;
    spent.inputTokens += message.usage_metadata.input_tokens;
    spent.outputTokens += message.usage_metadata.output_tokens;
    spent.modelCalls += 1;
  }
  return spent;
}

export function isBlank(message: BaseMessage): boolean {
  return textOf(message).trim() === "";
}
