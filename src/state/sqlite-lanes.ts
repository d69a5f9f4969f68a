/** Verbs of the lane that works on a session. */
import type { Run } from "../types.ts";
import { chatOf } from "./records.ts";
import type { Db } from "./sqlite-db.ts";
import { offerSession, type SqliteParts } from "./sqlite-inbound.ts";
import { endRun, readRun, readSession, runFrom, type SessionRow, writeRun } from "./sqlite-records.ts";
import type { Claim, Store } from "./store.ts";

type Lane = Pick<Store, "begin" | "renew" | "release" | "saveRun" | "park" | "finish" | "drop">;

export function sqliteLanes({ db, emit }: SqliteParts): Lane {
  return {
    async begin(session, owner, leaseMs, now) {
      return db.atomic(() => begin(db, { session, owner, until: now + leaseMs, now }));
    },

    async renew(session, owner, leaseMs, now) {
      const until = now + leaseMs;
      return db.run("UPDATE sessions SET lease_until = ? WHERE key = ? AND owner = ?", until, session, owner) > 0;
    },

    async release(session, owner) {
      db.atomic(() => {
        if (!freeLane(db, session, owner)) return;
        if (readSession(db, session)?.active === undefined && !hasQueue(db, session)) leaveWaiting(db, session);
      });
    },

    async saveRun(session, id, patch) {
      const chat = chatOf(session);
      db.atomic(() => {
        const run = readRun(db, chat, id);
        if (run) writeRun(db, chat, { ...run, ...patch });
      });
    },

    async park(session, id, owner, question) {
      const chat = chatOf(session);
      return db.atomic(() => {
        const run = readRun(db, chat, id);
        if (run?.status === "waiting" && run.question?.id === question.id) return true;
        if (!run || !owns(readSession(db, session), owner, id)) return false;
        writeRun(db, chat, { ...run, status: "waiting", question, answer: undefined });
        freeLane(db, session, owner);
        // A stop that was asked for meanwhile is still to be carried out.
        if (!run.stop) leaveWaiting(db, session);
        return true;
      });
    },

    async finish(session, id, owner, status, now) {
      const chat = chatOf(session);
      return db.atomic(() => {
        const run = readRun(db, chat, id);
        const row = readSession(db, session);
        if (!run || row?.owner !== owner) return "lease_lost";
        if (row.active !== id) return run.status === status ? "finished" : "lease_lost";
        if (hasSteers(db, chat, id)) return "steered";
        endRun(db, chat, run, status, now);
        db.run("UPDATE sessions SET active = NULL WHERE key = ?", session);
        return "finished";
      });
    },

    async drop(session, id, status, now) {
      const dropped = db.atomic(() => drop(db, session, id, status, now));
      if (dropped) emit({ kind: "wake", session });
      return dropped;
    },
  };
}

interface Taking {
  session: string;
  owner: string;
  until: number;
  now: number;
}

function begin(db: Db, taking: Taking): Claim {
  const row = readSession(db, taking.session);
  if (!row) return { kind: "idle" };
  if (row.owner !== undefined && row.owner !== taking.owner && row.leaseUntil > taking.now) return { kind: "busy" };
  const active = row.active === undefined ? undefined : readRun(db, chatOf(taking.session), row.active);
  if (active?.status === "running") return take(db, taking, { ...active, attempt: active.attempt + 1 });
  if (active?.status === "waiting") return active.answer || active.stop ? take(db, taking, active) : idle(db, taking);
  const next = db.get(
    "SELECT status, attempt, body FROM runs WHERE session = ? AND status = 'queued' ORDER BY seq LIMIT 1",
    taking.session,
  );
  if (!next) return idle(db, taking);
  const run = runFrom(next);
  return take(db, taking, { ...run, attempt: run.attempt + 1 });
}

function take(db: Db, { session, owner, until, now }: Taking, run: Run): Claim {
  const begun: Run = { ...run, status: "running", startedAt: run.startedAt ?? now };
  writeRun(db, chatOf(session), begun);
  db.run("UPDATE sessions SET active = ?, owner = ?, lease_until = ? WHERE key = ?", run.id, owner, until, session);
  offerSession(db, session, now);
  return { kind: "run", run: begun };
}

/** Giving the lane back and finding nothing to do are one step, so a message queued meanwhile is never forgotten. */
function idle(db: Db, { session }: Taking): Claim {
  db.run("UPDATE sessions SET owner = NULL, lease_until = NULL, waiting_since = NULL WHERE key = ?", session);
  return { kind: "idle" };
}

function drop(db: Db, session: string, id: string, status: Run["status"], now: number): boolean {
  const chat = chatOf(session);
  const run = readRun(db, chat, id);
  if (run?.status !== "queued" && run?.status !== "waiting") return false;
  endRun(db, chat, run, status, now);
  db.run("DELETE FROM steers WHERE chat = ? AND run = ?", chat, id);
  db.run("UPDATE sessions SET active = NULL WHERE key = ? AND active = ?", session, id);
  if (readSession(db, session)?.active !== undefined) return true;
  if (hasQueue(db, session)) offerSession(db, session, now);
  else leaveWaiting(db, session);
  return true;
}

function owns(row: SessionRow | undefined, owner: string, run: string): boolean {
  return row?.owner === owner && row.active === run;
}

function freeLane(db: Db, session: string, owner: string): boolean {
  const sql = "UPDATE sessions SET owner = NULL, lease_until = NULL WHERE key = ? AND owner = ?";
  return db.run(sql, session, owner) > 0;
}

function leaveWaiting(db: Db, session: string): void {
  db.run("UPDATE sessions SET waiting_since = NULL WHERE key = ?", session);
}

function hasQueue(db: Db, session: string): boolean {
  return db.get("SELECT 1 FROM runs WHERE session = ? AND status = 'queued' LIMIT 1", session) !== undefined;
}

function hasSteers(db: Db, chat: string, run: string): boolean {
  return db.get("SELECT 1 FROM steers WHERE chat = ? AND run = ? LIMIT 1", chat, run) !== undefined;
}
