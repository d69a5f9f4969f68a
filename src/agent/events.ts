/** From LangGraph's stream to what a chat may see. An allow-list: only the lead's own words pass. */
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { AgentEvent, Question, Todo } from "../types.ts";
import { isHidden, textOf } from "./messages.ts";
import { type Asked, askedSchema } from "./questions.ts";
import { todoSchema } from "./todos.ts";

/** One piece of the `messages` stream, reduced to what decides whether it may be shown. */
export interface StreamPiece {
  /** Namespace of the graph it came from; the lead's own is empty. */
  ns: string[];
  tags: string[];
  message: BaseMessage;
}

const INTERNAL_TAGS = ["nostream", "internal"];

export function visibleText({ ns, tags, message }: StreamPiece): string {
  if (ns.length > 0 || tags.some((tag) => INTERNAL_TAGS.includes(tag))) return "";
  if (!AIMessageChunk.isInstance(message) || isHidden(message)) return "";
  return textOf(message);
}

/** Deltas only ever append; a new model message begins a new text. */
export class TextSoFar {
  #id: string | undefined;
  #text = "";

  add(piece: StreamPiece): Extract<AgentEvent, { type: "text" }> | undefined {
    const delta = visibleText(piece);
    if (delta === "") return undefined;
    const { id } = piece.message;
    if (id !== undefined && id !== this.#id) {
      this.#id = id;
      this.#text = "";
    }
    this.#text += delta;
    return { type: "text", text: this.#text };
  }
}

/** The list that this step wrote, if any; `chunk` is a piece of the `updates` stream: what each node wrote. */
export function writtenTodos(chunk: Record<string, unknown>): Todo[] | undefined {
  const written = [chunk.tools].flat().flatMap((update) => {
    const todos = todoSchema.array().safeParse(fieldOf(update, "todos"));
    return todos.success ? [todos.data] : [];
  });
  return written.at(-1);
}

/** Interrupts, as `updates` or a thread's tasks tell them. */
export function questionsIn(interrupts: unknown, now: number): Question[] {
  if (!Array.isArray(interrupts)) return [];
  return interrupts.flatMap((interrupt) => {
    const asked = askedSchema.safeParse(fieldOf(interrupt, "value"));
    const id = fieldOf(interrupt, "id");
    return asked.success && typeof id === "string" ? [{ ...questionOf(asked.data), id, askedAt: now }] : [];
  });
}

export function plannedTodos(interrupts: unknown): Todo[] | undefined {
  if (!Array.isArray(interrupts)) return undefined;
  const asked = askedSchema.safeParse(fieldOf(interrupts[0], "value"));
  return asked.success ? asked.data.todos : undefined;
}

function questionOf({ kind, text, options, byAdmin }: Asked): Pick<Question, "kind" | "text" | "options" | "byAdmin"> {
  return { kind, text, options, ...(byAdmin ? { byAdmin } : {}) };
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
