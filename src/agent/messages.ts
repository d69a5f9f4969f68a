/** Small questions about messages that several parts ask. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

/** A message for the model that no chat may show. */
export function hidden(content: string, name: string): HumanMessage {
  return new HumanMessage({ content, name, additional_kwargs: { hide_from_ui: true } });
}

export function isHidden(message: BaseMessage): boolean {
  return message.additional_kwargs.hide_from_ui === true;
}

export function isVisibleHuman(message: BaseMessage): boolean {
  return HumanMessage.isInstance(message) && !isHidden(message);
}

/** The message a run began with; messages that steer a run are not. */
export function isRunStart(message: BaseMessage): boolean {
  return isVisibleHuman(message) && message.additional_kwargs.steer !== true;
}

export function lastAi(messages: BaseMessage[]): AIMessage | undefined {
  return messages.findLast((message) => AIMessage.isInstance(message));
}

/** Text blocks only: thinking, tool calls and images are not words to a person. */
export function textOf(message: BaseMessage): string {
  const { content } = message;
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" && typeof block.text === "string" ? block.text : "")).join("");
}

/** The messages of the current run: from its first message on. */
export function currentTurn(messages: BaseMessage[]): BaseMessage[] {
  const start = messages.findLastIndex(isRunStart);
  return start < 0 ? messages : messages.slice(start);
}

export function unansweredCalls(messages: BaseMessage[]): NonNullable<AIMessage["tool_calls"]> {
  const answered = new Set(messages.filter((m) => ToolMessage.isInstance(m)).map((m) => m.tool_call_id));
  return (lastAi(messages)?.tool_calls ?? []).filter((call) => !answered.has(call.id ?? ""));
}

export function toolError(call: { id?: string | undefined; name: string }, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: call.id ?? "", name: call.name, status: "error" });
}

/**
 * The same message (same id, so it replaces the old one in the thread) with these tool calls only. Providers keep calls
 * in three places; one forgotten place brings a dropped call back.
 */
export function withToolCalls(
  message: AIMessage,
  calls: NonNullable<AIMessage["tool_calls"]>,
  text?: string,
): AIMessage {
  const ids = new Set(calls.map(({ id }) => id));
  const content =
    text ??
    (typeof message.content === "string"
      ? message.content
      : message.content.filter((block) => !isCallBlock(block.type) || ids.has(String(block.id ?? block.call_id))));
  const { tool_calls, function_call, stop_reason: _, ...kwargs } = message.additional_kwargs;
  const { finish_reason, stop_reason, output, ...metadata } = message.response_metadata;
  return new AIMessage({
    content,
    tool_calls: calls,
    invalid_tool_calls: [],
    additional_kwargs: kwargs,
    response_metadata: metadata,
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.usage_metadata === undefined ? {} : { usage_metadata: message.usage_metadata }),
  });
}

/** Why the model stopped; each provider's client keeps it elsewhere. */
export function finishReason({ response_metadata, additional_kwargs }: AIMessage): string {
  const reason: unknown =
    response_metadata.finish_reason ?? response_metadata.stop_reason ?? additional_kwargs.stop_reason;
  return typeof reason === "string" ? reason : "";
}

function isCallBlock(type: unknown): boolean {
  return type === "tool_use" || type === "tool_call" || type === "function_call" || type === "input_json_delta";
}
