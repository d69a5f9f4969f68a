/** What the terminal shows for each kind of content, as plain lines. Pure. */
import { stripVTControlCharacters } from "node:util";
import type { BoardView, Button, Content, Subagent, Todo } from "../channel.ts";

const TODO = { completed: "✓", in_progress: "▸", pending: "○" } as const;
const SUBAGENT = { running: "▸", done: "✓", failed: "✗" } as const;

/** `activity` is only worth its lines where they are overwritten. */
export function linesOf(content: Content, options: { activity: boolean }): string[] {
  switch (content.kind) {
    case "markdown":
    case "notice":
      return clean(content.text).split("\n");
    case "question":
      return [...clean(content.text).split("\n"), ...choiceLines(content.buttons, content.text)];
    case "board":
      return boardLines(content.board, options.activity);
    case "file": {
      const { file, comment } = content;
      return [`File: ${oneLine(file.name)} (${oneLine(file.path)})`, ...(comment ? [clean(comment)] : [])];
    }
  }
}

/** The buttons that a typed number presses. While a plan is worked on its only button stops it, so "1" must not. */
export function choicesOf(content: Content): Button[] {
  if (content.kind === "question") return content.buttons;
  return content.kind === "board" && content.board.state === "waiting" ? content.board.buttons : [];
}

/** Lines of `next` that `previous` did not have. */
export function newLines(previous: readonly string[], next: readonly string[]): string[] {
  return next.filter((line) => !previous.includes(line));
}

function boardLines(board: BoardView, activity: boolean): string[] {
  return [
    oneLine(board.title),
    ...board.todos.map(todoLine),
    ...board.subagents.map(subagentLine),
    ...(activity ? board.activity.map((line) => `  … ${oneLine(line)}`) : []),
    ...(board.note ? [oneLine(board.note)] : []),
    ...choiceLines(choicesOf({ kind: "board", board }), ""),
  ];
}

function todoLine({ content, status, activeForm }: Todo): string {
  return `${TODO[status]} ${oneLine(status === "in_progress" ? (activeForm ?? content) : content)}`;
}

function subagentLine({ title, status, detail }: Subagent): string {
  return `  ${SUBAGENT[status]} ${oneLine(detail ? `${title}: ${detail}` : title)}`;
}

// A clarification lists its options itself; the choices of a plan are only on the buttons.
function choiceLines(buttons: readonly Button[], text: string): string[] {
  if (buttons.length === 0) return [];
  const listed = buttons.every(({ label }, index) => text.includes(`${index + 1}. ${label}`));
  const options = buttons.map(({ label }, index) => `  ${index + 1}. ${oneLine(label)}`);
  return [...(listed ? [] : options), "Type a number, or answer in words."];
}

// Text of models and people must not move the cursor, set the title or ring the bell.
function clean(text: string): string {
  return stripVTControlCharacters(text.replace(/\r\n?/g, "\n")).replace(/[^\P{Cc}\n\t]/gu, "");
}

function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, " ").trim();
}
