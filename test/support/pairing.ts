/** What every provider refuses in a history; undefined means that it would be taken. */
import type { ChatCompletionRequest } from "@copilotkit/aimock";

export function pairingProblem({ messages }: ChatCompletionRequest): string | undefined {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = message.tool_call_id ?? "";
      if (!open.includes(id)) return `message ${index}: a result for ${id}, which is not open`;
      open = open.filter((other) => other !== id);
      continue;
    }
    if (open.length > 0) return `message ${index}: no result for ${open.join(", ")}`;
    const calls = message.role === "assistant" ? (message.tool_calls ?? []).map((call) => call.id) : [];
    const twice = calls.find((id, at) => seen.has(id) || calls.indexOf(id) !== at);
    if (twice !== undefined) return `message ${index}: a second call ${twice}`;
    for (const id of calls) seen.add(id);
    if (message.role === "assistant" && calls.length === 0 && isBlank(message.content))
      return `message ${index}: the assistant says nothing`;
    if (message.role === "user" && isBlank(message.content)) return `message ${index}: a person says nothing`;
    open = calls;
  }
  if (open.length > 0) return `no result for ${open.join(", ")} at the end`;
  const first = messages.find(({ role }) => role !== "system");
  const last = messages.at(-1);
  if (first?.role !== "user") return "the history does not begin with a person";
  return last?.role === "assistant" ? "the history ends with the assistant" : undefined;
}

function isBlank(content: ChatCompletionRequest["messages"][number]["content"]): boolean {
  if (typeof content === "string") return content.trim() === "";
  return (content ?? []).every((part) => part.type === "text" && (part.text ?? "").trim() === "");
}
