/** Rows to records and back. */
import type { Run, Session } from "../types.ts";
import { sessionFrom } from "./records.ts";
import type { Db, Row } from "./sqlite-db.ts";

/** What the store itself needs to know of a session, beside the record. */
export interface SessionRow {
  session: Session;
  active: string | undefined;
  owner: string | undefined;
  leaseUntil: number;
}

export function readSession(db: Db, key: string): SessionRow | undefined {
  const row = db.get("SELECT * FROM sessions WHERE key = ?", key);
  return row && sessionRow(row);
}

export function sessionRow(row: Row): SessionRow {
  const record = {
    key: String(row.key),
    epoch: Number(row.epoch),
    overrides: JSON.parse(String(row.overrides)) as Session["overrides"], // Written by saveOverrides only.
    createdAt: Number(row.created_at),
    usedAt: Number(row.used_at),
  };
  return {
    session: sessionFrom(record),
    active: text(row.active),
    owner: text(row.owner),
    leaseUntil: Number(row.lease_until ?? 0),
  };
}

/** Creates the session if new, and marks it as used. */
export function touchSession(db: Db, key: string, now: number): void {
  db.run(
    `INSERT INTO sessions (key, epoch, overrides, created_at, used_at) VALUES (?, 0, '{}', ?, ?)
     ON CONFLICT (key) DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
    key,
    now,
    now,
  );
}

export function readRun(db: Db, chat: string, id: string): Run | undefined {
  const row = db.get("SELECT status, attempt, body FROM runs WHERE chat = ? AND id = ?", chat, id);
  return row && runFrom(row);
}

export function runFrom(row: Row): Run {
  const body = JSON.parse(String(row.body)) as Run; // Written by writeRun only.
  return { ...body, status: row.status as Run["status"], attempt: Number(row.attempt) };
}

export function writeRun(db: Db, chat: string, run: Run): void {
  db.run(
    `INSERT INTO runs (chat, id, session, status, attempt, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (chat, id) DO UPDATE SET
       status = excluded.status, attempt = excluded.attempt, body = excluded.body`,
    chat,
    run.id,
    run.session,
    run.status,
    run.attempt,
    JSON.stringify(run),
  );
}

export function endRun(db: Db, chat: string, run: Run, status: Run["status"], now: number): void {
  writeRun(db, chat, { ...run, status, endedAt: now });
  db.run("UPDATE runs SET ended_at = ? WHERE chat = ? AND id = ?", now, chat, run.id);
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
