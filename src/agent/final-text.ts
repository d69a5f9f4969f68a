/** What the person gets as the answer of a run. */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { isHidden, isVisibleHuman, textOf } from "./messages.ts";

/**
 * The last thing the assistant said after the last message of a person; blank when it said nothing there. Earlier
 * answers of the run were progress: the plan went on after them.
 */
export function finalText(messages: BaseMessage[]): string {
  const turn = messages.slice(messages.findLastIndex(isVisibleHuman) + 1);
  const last = turn.findLast((message) => AIMessage.isInstance(message) && !isHidden(message));
  return last ? textOf(last).trim() : "";
}
