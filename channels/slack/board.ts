/** A board as Slack's `plan` block, and as plain sections where a workspace refuses that. Pure. */
import type { types } from "@slack/bolt";
import type { BoardState, BoardView, Button, Subagent, Todo } from "../channel.ts";
import { escapeText } from "./text.ts";

type Status = types.TaskCardBlock["status"];

interface Step {
  id: string;
  title: string;
  status: Status;
  detail?: string | undefined;
}

const MARKS: Record<Status, string> = { pending: "○", in_progress: "▸", complete: "✓", error: "✗" };
const MAX_STEPS = 45;
const MAX_TITLE = 250;
const MAX_DETAIL = 500;
/** Slack refuses the text of an update above about 4,000 bytes. */
export const EDIT_BYTES = 3900;
const SECTION_CHARS = 2900;
const ENDED: ReadonlySet<BoardState> = new Set(["done", "failed", "stopped", "lost"]);

export function clip(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= max
    ? line
    : `${line
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}

const titleOf = (view: BoardView): string => clip(view.title || "Plan", MAX_TITLE);

/** Slack spins an `in_progress` card for ever, so nothing that stands still may have that status. */
function standing(state: BoardState): { status: Status; suffix: string } | undefined {
  if (state === "waiting") return { status: "pending", suffix: " (waiting)" };
  if (state === "failed") return { status: "error", suffix: " (not finished)" };
  return ENDED.has(state) ? { status: "pending", suffix: " (not finished)" } : undefined;
}

function todoStep(todo: Todo, index: number, state: BoardState): Step {
  const id = `todo-${index}`;
  const content = clip(todo.content, MAX_TITLE) || "…";
  if (todo.status === "completed") return { id, title: content, status: "complete" };
  if (todo.status === "pending") return { id, title: content, status: "pending" };
  const still = standing(state);
  if (still !== undefined) return { id, title: content + still.suffix, status: still.status };
  return { id, title: clip(todo.activeForm || "", MAX_TITLE) || content, status: "in_progress" };
}

function agentStep(agent: Subagent, index: number, state: BoardState): Step {
  const id = `agent-${index}`;
  const title = `↳ ${clip(agent.title, MAX_TITLE) || "subagent"}`;
  const detail = agent.detail ? clip(agent.detail, MAX_DETAIL) : undefined;
  if (agent.status === "done") return { id, title, status: "complete", detail };
  if (agent.status === "failed") return { id, title, status: "error", detail };
  const still = standing(state);
  return still === undefined
    ? { id, title, status: "in_progress", detail }
    : { id, title: title + still.suffix, status: still.status, detail };
}

const folded = (id: string, count: number, what: string, status: Status): Step[] =>
  count === 0 ? [] : [{ id, title: `${count} ${what}`, status }];

/** Keeps what runs and what comes next; the ends become one line each. */
function fold(steps: Step[], max: number): Step[] {
  if (steps.length <= max) return steps;
  const current = steps.findIndex((step) => step.status !== "complete");
  const wanted = current < 0 ? steps.length - max : current - 2;
  const from = Math.max(0, Math.min(wanted, steps.length - max));
  const [before, shown, after] = [steps.slice(0, from), steps.slice(from, from + max), steps.slice(from + max)];
  const allDone = (list: Step[]) => (list.every((step) => step.status === "complete") ? "complete" : "pending");
  return [
    ...folded("before", before.length, "earlier steps", allDone(before)),
    ...shown,
    ...folded("after", after.length, "more steps", allDone(after)),
  ];
}

function stepsOf(view: BoardView): Step[] {
  const agents = fold(view.subagents.map((agent, index) => agentStep(agent, index, view.state)).slice(-10), 10);
  const todos = view.todos.map((todo, index) => todoStep(todo, index, view.state));
  return [...fold(todos, MAX_STEPS - agents.length - 2), ...agents];
}

function richText(text: string): types.RichTextBlock {
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }] };
}

function taskCard(step: Step): types.TaskCardBlock {
  const { id, title, status, detail } = step;
  return { type: "task_card", task_id: id, title, status, ...(detail ? { details: richText(detail) } : {}) };
}

function smallPrint(view: BoardView): string[] {
  const activity = ENDED.has(view.state) ? [] : view.activity.slice(-3);
  return [...activity, ...(view.note ? [view.note] : [])].map((line) => clip(line, 300)).filter((line) => line !== "");
}

function context(view: BoardView): types.ContextBlock[] {
  const elements = smallPrint(view).map((text): types.PlainTextElement => ({ type: "plain_text", text, emoji: false }));
  return elements.length === 0 ? [] : [{ type: "context", elements }];
}

export function actions(buttons: Button[]): types.ActionsBlock[] {
  if (buttons.length === 0) return [];
  const elements = buttons.slice(0, 25).map(
    (button, index): types.Button => ({
      type: "button",
      action_id: `planbridge-${index}`,
      text: { type: "plain_text", text: clip(button.label, 75) || "…", emoji: true },
      value: button.token,
      ...(button.style ? { style: button.style } : {}),
    }),
  );
  return [{ type: "actions", elements }];
}

/** `stamp` differs on every update: Slack's clients keep showing a plan whose block_id they know. */
export function planBlocks(view: BoardView, stamp: string): types.KnownBlock[] {
  const tasks = stepsOf(view).map(taskCard);
  const plan: types.PlanBlock = { type: "plan", block_id: `plan-${stamp}`, title: titleOf(view), tasks };
  return [plan, ...context(view), ...actions(view.buttons)];
}

function stepLine(step: Step): string {
  const title = escapeText(step.title);
  const detail = step.detail ? ` — ${escapeText(clip(step.detail, 120))}` : "";
  return `${MARKS[step.status]} ${step.status === "in_progress" ? `*${title.replaceAll("*", "∗")}*` : title}${detail}`;
}

/** The cut falls outside entities and surrogate pairs, which would show raw. */
function cutLine(line: string, fits: (text: string) => boolean): string {
  for (let length = line.length; length > 0; length = Math.floor(length * 0.9)) {
    const part = line.slice(0, length).replace(/&[a-z]{0,3}$|[\uD800-\uDBFF]$/, "");
    if (fits(`${part}…`)) return `${part}…`;
  }
  return "…";
}

/** As many whole lines as fit, or the part of the first that does. */
export function capLines(lines: string[], fits: (text: string) => boolean): string {
  for (let count = lines.length; count > 0; count -= 1) {
    const text = [...lines.slice(0, count), ...(count < lines.length ? ["…"] : [])].join("\n");
    if (fits(text)) return text;
  }
  return cutLine(lines[0] ?? "", fits);
}

const boardLines = (view: BoardView): string[] => [
  `*${escapeText(titleOf(view)).replaceAll("*", "∗")}*`,
  ...stepsOf(view).map(stepLine),
  ...smallPrint(view).map((line) => `_${escapeText(line).replaceAll("_", "＿")}_`),
];

export function boardText(view: BoardView): string {
  return capLines(boardLines(view), (text) => Buffer.byteLength(text) <= EDIT_BYTES);
}

export function sectionBlocks(view: BoardView): types.KnownBlock[] {
  const text = capLines(boardLines(view), (t) => t.length <= SECTION_CHARS && Buffer.byteLength(t) <= EDIT_BYTES);
  return [{ type: "section", text: { type: "mrkdwn", text }, expand: true }, ...actions(view.buttons)];
}
