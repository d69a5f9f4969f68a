/**
 * The rehearsal's next move, from the conversation alone: plan, do the step in progress with its tool, mark it done,
 * answer. Pure, so it goes on from any checkpoint.
 */
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Todo } from "../../types.ts";
import { currentTurn, isHidden, isRunStart, textOf } from "../messages.ts";
import { withoutSpeaker } from "../speaker.ts";
import { finding, type Seen } from "./findings.ts";
import { stepsOf, type ToolUse, taskOf, toolFor } from "./request.ts";
import { activeForm, HOW_TO_GET_A_MODEL, smallTalk } from "./words.ts";

export interface Move {
  text: string;
  calls: ToolUse[];
}

const PLAN_FROM = 2;

export function nextMove(messages: BaseMessage[], tools: string[]): Move {
  const turn = currentTurn(messages);
  const said = withoutSpeaker(textOf(turn.find(isRunStart) ?? turn[0] ?? new AIMessage("")));
  const has = (name: string) => tools.includes(name);
  const steps = [...stepsOf(said), ...wishes(turn)];
  const planned = has("write_todos") && steps.length >= PLAN_FROM;
  if (planned) return plannedMove(turn, steps, has, messages);
  return plainMove(turn, said, steps, has, messages);
}

type Has = (name: string) => boolean;

function plannedMove(turn: BaseMessage[], steps: string[], has: Has, messages: BaseMessage[]): Move {
  const todos = lastAccepted(turn);
  if (!todos) return { text: "", calls: [writeTodos(steps, 0)] };
  const at = todos.findIndex(({ status }) => status === "in_progress");
  if (at < 0) return { text: answer(turn, steps, messages), calls: [] };
  const step = steps[at] ?? todos[at]?.content ?? "";
  const use = toolFor(taskOf(step, steps.slice(0, at)));
  if (use && has(use.name) && !resultOf(turn, use)) return { text: "", calls: [use] };
  return { text: "", calls: [writeTodos(steps, at + 1)] };
}

function plainMove(turn: BaseMessage[], said: string, steps: string[], has: Has, messages: BaseMessage[]): Move {
  const open = steps
    .map((step, at) => toolFor(taskOf(step, steps.slice(0, at))))
    .find((use) => use && has(use.name) && !resultOf(turn, use));
  if (open) return { text: "", calls: [open] };
  const useful = steps.some((step, at) => taskOf(step, steps.slice(0, at)).kind !== "none");
  if (useful) return { text: answer(turn, steps, messages), calls: [] };
  return { text: withNotice(smallTalk(said), messages), calls: [] };
}

function writeTodos(steps: string[], at: number): ToolUse {
  const todos = steps.map((content, index): Todo => {
    const active = activeForm(content);
    const status = index < at ? "completed" : index === at ? "in_progress" : "pending";
    return { content, status, ...(active === undefined ? {} : { activeForm: active }) };
  });
  return { name: "write_todos", args: { todos } };
}

/** The last list that the tool took. */
function lastAccepted(turn: BaseMessage[]): Todo[] | undefined {
  const result = turn.findLast(
    (message) => ToolMessage.isInstance(message) && message.name === "write_todos" && message.status !== "error",
  );
  if (!ToolMessage.isInstance(result)) return undefined;
  const call = turn
    .flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []))
    .findLast(({ id }) => id === result.tool_call_id);
  const todos: unknown = call?.args.todos;
  return Array.isArray(todos) ? (todos as Todo[]) : [];
}

/** Words that a person answered to a proposed plan become one more step. */
function wishes(turn: BaseMessage[]): string[] {
  return turn.flatMap((message) => {
    if (!ToolMessage.isInstance(message) || message.name !== "write_todos") return [];
    const wish: unknown = message.additional_kwargs.wish;
    return typeof wish === "string" ? stepsOf(wish).slice(0, 1) : [];
  });
}

function resultOf(turn: BaseMessage[], use: ToolUse): Seen | undefined {
  const wanted = JSON.stringify(use.args);
  const ids = turn
    .flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []))
    .filter(({ name, args }) => name === use.name && JSON.stringify(args) === wanted)
    .map(({ id }) => id);
  const result = turn.findLast((message) => ToolMessage.isInstance(message) && ids.includes(message.tool_call_id));
  if (!ToolMessage.isInstance(result)) return undefined;
  return { content: textOf(result), failed: result.status === "error" };
}

function answer(turn: BaseMessage[], steps: string[], messages: BaseMessage[]): string {
  const lines = steps.map((step, at) => {
    const task = taskOf(step, steps.slice(0, at));
    const use = toolFor(task);
    return `${at + 1}. ${step}: ${finding(task, use && resultOf(turn, use))}`;
  });
  return withNotice(lines.join("\n"), messages);
}

/** Said once in a conversation. */
function withNotice(text: string, messages: BaseMessage[]): string {
  const told = messages.some((m) => AIMessage.isInstance(m) && !isHidden(m) && textOf(m).includes("rehearsal"));
  return told ? text : `${text}\n\n${HOW_TO_GET_A_MODEL}`;
}
