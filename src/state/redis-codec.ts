/** Redis hashes to records and back. Values are JSON strings that no script looks into. */
import type { Run, Session } from "../types.ts";
import { sessionFrom } from "./records.ts";

export type Fields = Record<string, string>;

/** Every field of a run that is stored as JSON; `satisfies` makes the compiler complain about a forgotten one. */
const RUN_FIELDS = Object.keys({
  id: true,
  session: true,
  threadId: true,
  inbound: true,
  context: true,
  planReason: true,
  status: true,
  attempt: true,
  todos: true,
  subagents: true,
  board: true,
  question: true,
  answer: true,
  outcome: true,
  delivered: true,
  posting: true,
  draft: true,
  files: true,
  stop: true,
  queuedAt: true,
  startedAt: true,
  endedAt: true,
  usage: true,
} satisfies Record<keyof Run, true>);

/** A flat `[field, value, ...]` reply. */
export function fieldsOf(reply: unknown): Fields {
  const flat = reply as string[]; // HGETALL and our scripts reply with strings only.
  const fields: Fields = {};
  for (let index = 0; index + 1 < flat.length; index += 2) fields[flat[index] ?? ""] = flat[index + 1] ?? "";
  return fields;
}

/** Pairs to set; what is undefined has none. Beside the run's own fields, the facts that scripts decide by. */
export function encodeRun(run: Run): string[] {
  return [...encodePatch({ ...run, status: "queued" }).set, "askedBy", run.inbound.user.id];
}

export interface Changes {
  /** Field, value, field, value ... */
  set: string[];
  remove: string[];
}

export function encodePatch(patch: Partial<Run>): Changes {
  const { set, remove } = changes(patch, "");
  if ("question" in patch) {
    if (patch.question) set.push("questionId", patch.question.id);
    else remove.push("questionId");
  }
  return { set, remove };
}

/** `text` holds the newest edit of a message that was still queued. */
export function decodeRun(fields: Fields): Run | undefined {
  if (fields.id === undefined) return undefined;
  const entries = RUN_FIELDS.filter((field) => fields[field] !== undefined);
  // Written by encodeRun and encodePatch only.
  const run = Object.fromEntries(entries.map((field) => [field, JSON.parse(fields[field] ?? "null")])) as Run;
  return fields.text === undefined ? run : { ...run, inbound: { ...run.inbound, text: JSON.parse(fields.text) } };
}

const OVERRIDE = "o.";

export function decodeSession(key: string, fields: Fields): Session | undefined {
  if (fields.epoch === undefined) return undefined;
  const overrides = Object.entries(fields)
    .filter(([field]) => field.startsWith(OVERRIDE))
    .map(([field, value]) => [field.slice(OVERRIDE.length), JSON.parse(value)]);
  return sessionFrom({
    key,
    epoch: Number(fields.epoch),
    overrides: Object.fromEntries(overrides),
    createdAt: Number(fields.createdAt),
    usedAt: Number(fields.usedAt),
  });
}

export function encodeOverrides(patch: Session["overrides"]): Changes {
  return changes(patch, OVERRIDE);
}

function changes(patch: object, prefix: string): Changes {
  const set: string[] = [];
  const remove: string[] = [];
  for (const [field, value] of Object.entries(patch)) {
    if (value === undefined) remove.push(prefix + field);
    else set.push(prefix + field, JSON.stringify(value));
  }
  return { set, remove };
}
