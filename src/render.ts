/** What is shown of a run: the plan, questions, status. Pure; the wording is in words.ts. */
import type { BoardState, BoardView, Button, Subagent, Todo } from "../channels/channel.ts";
import type { Question, Run, RunStatus, Usage } from "./types.ts";
import { words } from "./words.ts";

export interface BoardFacts {
  run: string;
  state: BoardState;
  todos: Todo[];
  subagents: Subagent[];
  activity: string[];
  note?: string | undefined;
  question?: Question | undefined;
}

const TITLES: Record<BoardState, string> = {
  planning: "Planning",
  working: "Working",
  waiting: "Waiting for you",
  done: "Done",
  failed: "Failed",
  stopped: "Stopped",
  lost: "Lost",
};

export function boardView(facts: BoardFacts): BoardView {
  const ended = isEnd(facts.state);
  const done = facts.todos.filter((todo) => todo.status === "completed").length;
  return {
    title: facts.todos.length === 0 ? TITLES[facts.state] : `${TITLES[facts.state]} · ${done}/${facts.todos.length}`,
    state: facts.state,
    todos: ended ? facts.todos.map(notRunning) : facts.todos,
    subagents: ended ? facts.subagents.map(notRunningAgent) : facts.subagents,
    activity: ended ? [] : facts.activity,
    note: facts.note,
    buttons: ended ? [] : boardButtons(facts),
  };
}

export function isEnd(state: BoardState): boolean {
  return state === "done" || state === "failed" || state === "stopped" || state === "lost";
}

/** An ended plan shows nothing as running: what was begun is shown as not finished. */
function notRunning(todo: Todo): Todo {
  return todo.status === "in_progress" ? { ...todo, status: "pending" } : todo;
}

function notRunningAgent(subagent: Subagent): Subagent {
  return subagent.status === "running" ? { ...subagent, status: "failed", detail: "not finished" } : subagent;
}

function boardButtons({ run, question }: BoardFacts): Button[] {
  const stop: Button = { token: token("stop", run), label: words.stop, style: "danger" };
  return question?.kind === "plan" ? questionButtons(run, question) : [stop];
}

export function questionButtons(run: string, question: Question): Button[] {
  if (question.kind === "clarification") {
    return question.options.map((label, index) => ({ token: token("opt", run, question, index), label }));
  }
  return [
    { token: token("ok", run, question), label: words.approve, style: "primary" },
    { token: token("chg", run, question), label: words.change },
    { token: token("no", run, question), label: words.reject, style: "danger" },
  ];
}

export type PressAction = "stop" | "ok" | "no" | "chg" | "opt";

/** At most 40 bytes: action, run id, first 8 characters of the question id, option number. */
function token(action: PressAction, run: string, question?: Question, option?: number): string {
  return [action, run, question?.id.slice(0, 8), option].filter((part) => part !== undefined).join(":");
}

export interface PressToken {
  action: PressAction;
  run: string;
  question: string | undefined;
  option: number | undefined;
}

export function parseToken(text: string): PressToken | undefined {
  const match = /^(stop|ok|no|chg|opt):([a-z0-9]{1,20})(?::([^:]{1,8}))?(?::(\d{1,2}))?$/.exec(text);
  if (!match) return undefined;
  return {
    action: match[1] as PressAction, // The pattern admits nothing else.
    run: match[2] ?? "",
    question: match[3],
    option: match[4] === undefined ? undefined : Number(match[4]),
  };
}

/** Options as words too, so that they can be answered by number where buttons do not show. */
export function questionText(question: Question): string {
  if (question.options.length === 0) return questionBody(question);
  return `${questionBody(question)}\n\n${question.options.map((option, index) => `${index + 1}. ${option}`).join("\n")}`;
}

/** A call is shown to the letter: in Markdown a `*` of a command would vanish. */
export function questionBody({ kind, text }: Question): string {
  if (kind !== "tool") return text;
  const ticks = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1;
  const fence = "`".repeat(ticks);
  return `${words.toolAsks}\n\n${fence}\n${text}\n${fence}`;
}

export function statusLine(run: Run | undefined, queued: number, plan: string): string {
  const head = run ? `${STATUS[run.status]} · ${done(run.todos)}` : "Idle";
  return [head, `Plan mode: ${plan}`, queued > 0 ? `${queued} waiting` : ""].filter(Boolean).join("\n");
}

const STATUS: Record<RunStatus, string> = {
  queued: "Queued",
  running: "Working",
  waiting: "Waiting for an answer",
  done: "Done",
  failed: "Failed",
  stopped: "Stopped",
  lost: "Lost",
};

function done(todos: Todo[]): string {
  if (todos.length === 0) return "no plan";
  return `${todos.filter((todo) => todo.status === "completed").length}/${todos.length} steps`;
}

export function todoList(todos: Todo[]): string {
  const mark = { completed: "[x]", in_progress: "[~]", pending: "[ ]" } as const;
  return todos.map((todo) => `- ${mark[todo.status]} ${todo.content}`).join("\n");
}

export function usageLine(usage: Usage): string {
  return `${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${usage.modelCalls} model calls`;
}
