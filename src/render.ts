/** Every word a user sees, except what the model writes. Pure. One place to reword or translate. */
import type { BoardState, BoardView, Button, Subagent, Todo } from "../channels/channel.ts";
import type { Question, Run, RunStatus, Usage } from "./types.ts";

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

export const words = {
  stop: "Stop",
  approve: "Approve",
  change: "Change",
  reject: "Reject",
  resumed: "resumed after a restart",
  toolAsks: "This needs an approval:",
  paused: "the bridge is restarting; this goes on by itself",
  emptyAnswer: "I am done, but there is nothing to say.",
  lost: (attempts: number) =>
    `This run was interrupted ${attempts} times and is given up. Your message is not forgotten: send it again to retry.`,
  onlyMention: "Yes? Tell me what to do, or send `/help`.",
  notListed: (id: string) =>
    `You are not on the list of people I work for. An admin can add you: your id is \`${id}\`.`,
  pairing: (code: string) =>
    `We have not met. Ask an admin to approve this code within 10 minutes: \`/admin pair ${code}\` (or \`npm start -- pairing approve ${code}\`).`,
  quiet: (until: string) => `Quiet hours until ${until}. I did not take this message; please send it again then.`,
  pausedChat: "I am paused by an admin. I did not take this message.",
  busyRejected:
    "I am still busy here and do not queue messages in this chat. `/stop` ends the run, `/status` shows it.",
  queueFull: "Too many messages are waiting here. I did not take this one; please send it again later.",
  steered: "Noted. I take it into account in the running task.",
  queued: (position: number) => `Queued: ${position === 1 ? "one message" : `${position} messages`} before it.`,
  notStored: "I could not store this message, so I did not take it. Please send it again in a minute.",
  commandFailed: "That command failed; the cause is in the log. Nothing was changed by it as far as I know.",
  pressTooLate: "That is no longer open.",
  pressNotYours: "Only the person who asked or an admin can decide this.",
  pressStopNotYours: "Only the person who asked or an admin can stop this.",
  pressStopping: "Stopping.",
  pressChange: "Write what should be different; your next message here says it to me.",
  pressTaken: (decision: string) => `Noted: ${decision}.`,
  stopped: "Stopped.",
  failed: (text: string) => `⚠️ ${text}`,
  partial: "This is as far as I got:",
  fileTooLarge: (maxBytes: number) => `it is larger than ${Math.floor(maxBytes / 1_000_000)} MB, the most I take here`,
  fileNotFetched: "it could not be downloaded",
  fileNotStored: "it could not be stored",
  filesNotTaken: (files: { name: string; problem?: string | undefined }[]) =>
    files.map(({ name, problem }) => `I could not take \`${name.replaceAll("`", "'")}\`: ${problem}.`).join("\n"),
  filesWithAnswer: "I took your answer, but not the files that came with it. Please send them again as a message.",
  tokenRefused: (channel: string) =>
    `${channel} refuses my token, so I am not heard there. Put a new one into the configuration and restart me.`,
  configRefused: (problems: string[]) =>
    `The changed configuration was refused and the old one stays:\n\n${problems.map((line) => `- ${line}`).join("\n")}`,
  questionExpired: "Nobody answered, so I closed this question. Ask again when you like.",
} as const;

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
