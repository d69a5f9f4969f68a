/** The plan: what a todo is, how a written list is cleaned, and how it is told to the model. All pure. */
import { z } from "zod";
import type { Todo } from "../types.ts";
import { escapeText } from "./escape.ts";

export const MAX_TODOS = 100;
export const MAX_TODO_LENGTH = 500;

const status = z.enum(["pending", "in_progress", "completed"]);

export const todoSchema = z.object({
  content: z.string().describe("What is to be done, as an order: Read the report"),
  status: status.describe("pending, in_progress or completed"),
  activeForm: z.string().optional().describe("The same while it is being done: Reading the report"),
});

/** What the model may send; `null` is how some models say "absent". */
export const todoInput = todoSchema.extend({ activeForm: z.string().nullish() });
type TodoInput = z.infer<typeof todoInput>;

export type Checked = { ok: true; todos: Todo[] } | { ok: false; error: string };

export function checkTodos(written: TodoInput[]): Checked {
  if (written.length > MAX_TODOS) {
    const error =
      `The list has ${written.length} items; at most ${MAX_TODOS} are kept, so nothing was changed. ` +
      `Group the work into at most ${MAX_TODOS} items (3 to 6 are best) and write the list again, ` +
      "or tell the person that the list is too long for one plan.";
    return { ok: false, error };
  }
  const todos = written.map(cleanTodo);
  const blank = todos.findIndex(({ content }) => content === "");
  if (blank >= 0) return { ok: false, error: `Item ${blank + 1} has no content, so nothing was changed.` };
  return { ok: true, todos };
}

function cleanTodo({ content, status, activeForm }: TodoInput): Todo {
  const active = oneLine(activeForm ?? "");
  return { content: oneLine(content), status, ...(active === "" ? {} : { activeForm: active }) };
}

/** One line without control or direction characters: the list is shown in chats and read back by the model. */
export function oneLine(text: string, limit = MAX_TODO_LENGTH): string {
  const line = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .toWellFormed()
    .replace(/ {2,}/g, " ")
    .trim();
  return line.length <= limit
    ? line
    : `${line
        .slice(0, limit - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

export function openTodos(todos: Todo[]): Todo[] {
  return todos.filter((todo) => todo.status !== "completed");
}

/** One line per todo, escaped: content came from a model that read people's words. */
export function listTodos(todos: Todo[]): string {
  return todos.map(({ content, status }) => `- [${status}] ${escapeText(content)}`).join("\n");
}

export function sameContents(one: string[], two: string[]): boolean {
  return one.length === two.length && one.every((content, index) => content === two[index]);
}
