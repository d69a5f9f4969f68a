/** The plan message as Telegram HTML. Always fits: long plans lose finished steps first, then the end. */

import type { BoardState, BoardView, Button, Subagent, Todo } from "../channel.ts";
import { truncate } from "../markdown/text.ts";

/** Telegram counts the text without tags; keeping the markup below it as well is stricter and simpler. */
const MOST = 4096;
const LINE = 200;
const TITLE = 120;
const ACTIVITY = 3;

const ICONS: Record<BoardState, string> = {
  planning: "📝",
  working: "⏳",
  waiting: "✋",
  done: "✅",
  failed: "❌",
  stopped: "⏹",
  lost: "⚠️",
};
const AGENT_ICONS: Record<Subagent["status"], string> = { running: "▶", done: "☑", failed: "✗" };

export function boardHtml(board: BoardView): string {
  const head = `<b>${ICONS[board.state]} ${line(board.title, TITLE)}</b>`;
  const tail = [
    ...board.subagents.map(subagentLine),
    ...board.activity.slice(-ACTIVITY).map((text) => `· ${line(text)}`),
    ...(board.note ? ["", `<i>${line(board.note, LINE * 2)}</i>`] : []),
  ];
  return fit(head, board.todos, tail);
}

export function boardPlain(board: BoardView): string {
  return unescapeHtml(boardHtml(board).replace(/<\/?[bis]>/g, ""));
}

/** Three short buttons in a row at most; long ones get a row each. */
export function boardKeyboard(buttons: Button[]): InlineKeyboard {
  const short = buttons.every(({ label }) => label.length <= 14);
  return short ? rows(buttons, 3) : questionKeyboard(buttons);
}

export function questionKeyboard(buttons: Button[]): InlineKeyboard {
  return rows(buttons, 1);
}

export interface InlineKeyboard {
  inline_keyboard: { text: string; callback_data: string }[][];
}

function rows(buttons: Button[], wide: number): InlineKeyboard {
  const keys = buttons.map(({ label, token }) => ({ text: truncate(label, 60) || "…", callback_data: token }));
  const count = Math.ceil(keys.length / wide);
  return { inline_keyboard: Array.from({ length: count }, (_, row) => keys.slice(row * wide, (row + 1) * wide)) };
}

function fit(head: string, todos: Todo[], tail: string[]): string {
  const shown = todos.map((todo) => ({ todo, text: todoLine(todo) }));
  let left = MOST - head.length - 80;
  const ending = tail.filter((text) => {
    left -= text.length + 1;
    return left > 0;
  });
  const size = () => shown.reduce((sum, { text }) => sum + text.length + 1, 0);
  let hidden = 0;
  while (shown.length > 0 && size() > left) {
    const finished = shown.findIndex(({ todo }) => todo.status === "completed");
    shown.splice(finished === -1 ? shown.length - 1 : finished, 1);
    hidden += 1;
  }
  const steps = shown.map(({ text }) => text);
  if (hidden > 0) steps.push(`… and ${hidden} more`);
  return [head, ...(steps.length ? ["", ...steps] : []), ...(ending.length ? ["", ...ending] : [])].join("\n").trim();
}

function todoLine(todo: Todo): string {
  if (todo.status === "completed") return `☑ <s>${line(todo.content)}</s>`;
  if (todo.status === "in_progress") return `▶ <i>${line(todo.activeForm || todo.content)}</i>`;
  return `☐ ${line(todo.content)}`;
}

function subagentLine({ status, title, detail }: Subagent): string {
  const more = detail ? `: ${line(detail)}` : "";
  return `${AGENT_ICONS[status]} <b>${line(title, TITLE)}</b>${more}`;
}

/** One line, without markup of its own. */
function line(text: string, most = LINE): string {
  return escapeHtml(truncate(text.replace(/\s+/g, " ").trim(), most));
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescapeHtml(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
