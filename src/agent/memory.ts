/**
 * What is remembered beyond one conversation: about a person, for that person's private chats only,
 * and about a chat, for everyone in it. A person's facts never enter a group, nor anybody else's run.
 */

import type { RunContext } from "../types.ts";
import { block, escapeText } from "./escape.ts";

export interface Fact {
  id: string;
  text: string;
}

export interface MemoryStore {
  /** Oldest first. */
  list(scope: string): Promise<Fact[]>;
  add(scope: string, text: string): Promise<Fact>;
  /** False: there is no such fact. */
  remove(scope: string, id: string): Promise<boolean>;
  clear(scope: string): Promise<void>;
}

/** The part of the state that memory is kept in; shared by all workers. */
export interface KeyValue {
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown, ttlMs: number): Promise<void>;
  remove(key: string): Promise<void>;
  /** Adds in one step and returns the total. */
  count(key: string, by: number, ttlMs: number): Promise<number>;
}

/** For good, as far as a store with lifetimes allows. */
const KEEP_MS = 10 * 365 * 86_400_000;
export const MAX_FACT = 500;

/**
 * One key per fact, numbered by an atomic counter, so that two workers that remember at the same time
 * never overwrite each other. The newest `maxFacts` numbers are kept.
 */
export function createMemory(state: KeyValue, maxFacts: number): MemoryStore {
  const keyOf = (scope: string, id: string): string => `memory/${scope}/${id}`;
  const lastOf = (scope: string, by: number) => state.count(`memory/${scope}/last`, by, KEEP_MS);

  async function list(scope: string): Promise<Fact[]> {
    const last = await lastOf(scope, 0);
    const ids = Array.from({ length: Math.min(last, maxFacts) }, (_, back) => String(last - back)).reverse();
    const texts = await Promise.all(ids.map((id) => state.get(keyOf(scope, id))));
    return ids.flatMap((id, at) => (typeof texts[at] === "string" ? [{ id, text: texts[at] }] : []));
  }

  return {
    list,
    async add(scope, text) {
      const clean = text.replace(/\s+/g, " ").trim().slice(0, MAX_FACT).toWellFormed();
      if (clean === "") throw new Error("There is nothing to remember.");
      const same = (await list(scope)).find((fact) => fact.text.toLowerCase() === clean.toLowerCase());
      if (same) return same;
      const number = await lastOf(scope, 1);
      await state.put(keyOf(scope, String(number)), clean, KEEP_MS);
      if (number > maxFacts) await state.remove(keyOf(scope, String(number - maxFacts)));
      return { id: String(number), text: clean };
    },
    async remove(scope, id) {
      if (!/^\d{1,15}$/.test(id) || typeof (await state.get(keyOf(scope, id))) !== "string") return false;
      await state.remove(keyOf(scope, id));
      return true;
    },
    async clear(scope) {
      await Promise.all((await list(scope)).map((fact) => state.remove(keyOf(scope, fact.id))));
    },
  };
}

export function scopeOf(kind: "user" | "chat", id: string): string {
  return `${kind}/${encodeURIComponent(id)}`;
}

/** The scope a run reads and writes: the person's in a private chat, else the chat's. */
export function scopeOfRun(run: Pick<RunContext, "private" | "user_id" | "chat_id">): string {
  return run.private === true ? scopeOf("user", run.user_id) : scopeOf("chat", run.chat_id);
}

/** Facts were told by people, so they are data. */
export function memorySection(facts: Fact[], intro: string): string {
  if (facts.length === 0) return "";
  const lines = facts.map((fact) => `- [${fact.id}] ${escapeText(fact.text)}`);
  return block("memory_context", [intro, ...lines].join("\n"));
}
