/** Reported cases that are about the agent: histories, final answers, what of a stream may be seen, names. */
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { visibleText } from "../../../src/agent/events.ts";
import { finalText } from "../../../src/agent/final-text.ts";
import { repairHistory } from "../../../src/agent/history.ts";
import { displayName } from "../../../src/agent/speaker.ts";

const call = z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()) });
const plain = z.object({
  type: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  tool_calls: z.array(call).optional(),
  tool_call_id: z.string().optional(),
});
type Plain = z.infer<typeof plain>;
const history = z.object({ messages: z.array(plain) });
const pieces = z.array(
  z.object({ type: z.string(), content: z.string(), ns: z.array(z.string()), tags: z.array(z.string()).default([]) }),
);

function toMessage({ type, content, tool_calls = [], tool_call_id = "" }: Plain): BaseMessage {
  if (type === "human") return new HumanMessage({ content: content as string });
  if (type === "tool") return new ToolMessage({ content: content as string, tool_call_id });
  if (type === "AIMessageChunk") return new AIMessageChunk({ content: content as string });
  return new AIMessage({ content: content as string, tool_calls });
}

function toPlain(message: BaseMessage): Plain {
  const base = { type: message.getType(), content: message.content as string };
  if (ToolMessage.isInstance(message)) return { ...base, tool_call_id: message.tool_call_id };
  if (!AIMessage.isInstance(message)) return base;
  return { ...base, tool_calls: (message.tool_calls ?? []).map(({ id = "", name, args }) => ({ id, name, args })) };
}

export const ops = {
  repair_history: (input: unknown) => repairHistory(history.parse(input).messages.map(toMessage)).map(toPlain),
  final_text: (input: unknown) => ({ text: finalText(history.parse(input).messages.map(toMessage)) }),
  stream_visible: (input: unknown) =>
    pieces
      .parse(input)
      .map(({ ns, tags, ...message }) => visibleText({ ns, tags, message: toMessage(message) }))
      .join(""),
  display_name: (input: unknown) => displayName(String(input)),
};
