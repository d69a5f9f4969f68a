/** What every provider refuses in a history; undefined means that it would be taken. */
import type { ChatCompletionRequest } from "@copilotkit/aimock";

type Message = ChatCompletionRequest["messages"][number];

export function pairingProblem({ messages }: ChatCompletionRequest): string | undefined {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const calls = callsOf(message);
    const problem = problemOf(message, open) ?? twice(calls, seen);
    if (problem) return `message ${index}: ${problem}`;
    for (const id of calls) seen.add(id);
    open = message.role === "tool" ? open.filter((id) => id !== message.tool_call_id) : calls;
  }
  if (open.length > 0) return `no result for ${open.join(", ")} at the end`;
  if (messages.find(({ role }) => role !== "system")?.role !== "user") return "a person must begin";
  return messages.at(-1)?.role === "assistant" ? "the assistant ends it" : undefined;
}

function problemOf(message: Message, open: string[]): string | undefined {
  if (message.role === "tool") {
    return open.includes(message.tool_call_id ?? "") ? undefined : `a result for ${message.tool_call_id}, not open`;
  }
  if (open.length > 0) return `no result for ${open.join(", ")}`;
  return isBlank(message.content) && callsOf(message).length === 0 ? `the ${message.role} says nothing` : undefined;
}

function callsOf({ role, tool_calls }: Message): string[] {
  return role === "assistant" ? (tool_calls ?? []).map((call) => call.id) : [];
}

function twice(ids: string[], seen: ReadonlySet<string>): string | undefined {
  const again = ids.find((id, at) => seen.has(id) || ids.indexOf(id) !== at);
  return again === undefined ? undefined : `a second call ${again}`;
}

function isBlank(content: Message["content"]): boolean {
  if (typeof content === "string") return content.trim() === "";
  return (content ?? []).every((part) => part.type === "text" && (part.text ?? "").trim() === "");
}
