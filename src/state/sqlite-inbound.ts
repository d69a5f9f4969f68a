/** Verbs of the inbound pipeline: what a message, an edit or a press does. */
import { chatOf, isOver } from "./records.ts";
import { REF_MS, SEEN_MS } from "./retention.ts";
import type { Db } from "./sqlite-db.ts";
import { readRun, readSession, text, touchSession, writeRun } from "./sqlite-records.ts";
import type { RunHead, Signal, Steer, Store } from "./store.ts";

export interface SqliteParts {
  db: Db;
  now(): number;
  emit(signal: Signal): void;
}

type Inbound = Pick<
  Store,
  "lookup" | "accept" | "answer" | "edit" | "steer" | "steers" | "ackSteers" | "requestStop" | "remember"
>;

export function sqliteInbound({ db, now, emit }: SqliteParts): Inbound {
  return {
    async lookup(session, replyTo) {
      const chat = chatOf(session);
      const ref = replyTo && db.get("SELECT session FROM refs WHERE chat = ? AND id = ?", chat, replyTo.id);
      const key = text(ref?.session) ?? session;
      const row = readSession(db, key);
      if (!row) return { session: undefined, active: undefined, queued: 0 };
      return { session: row.session, active: head(db, chat, row.active), queued: queued(db, key) };
    },

    async accept(run) {
      const chat = chatOf(run.session);
      const accepted = db.atomic(() => {
        if (seen(db, chat, run.inbound.id, now()) || readRun(db, chat, run.id)) return undefined;
        markSeen(db, chat, run.inbound.id, now());
        touchSession(db, run.session, run.queuedAt);
        writeRun(db, chat, { ...run, status: "queued" });
        offerSession(db, run.session, run.queuedAt);
        return queued(db, run.session);
      });
      if (accepted === undefined) return { kind: "duplicate" };
      emit({ kind: "wake", session: run.session });
      return { kind: "queued", position: accepted };
    },

    async answer(session, id, inboundId, answer) {
      const chat = chatOf(session);
      const taken = db.atomic(() => {
        if (seen(db, chat, inboundId, now())) return "duplicate";
        const run = readRun(db, chat, id);
        if (run?.status !== "waiting" || run.answer || run.question?.id !== answer.questionId) return "closed";
        markSeen(db, chat, inboundId, now());
        writeRun(db, chat, { ...run, answer });
        touchSession(db, session, now());
        offerSession(db, session, now());
        return "taken";
      });
      if (taken === "taken") emit({ kind: "wake", session });
      return taken;
    },

    async edit(session, id, edit) {
      const chat = chatOf(session);
      return db.atomic(() => {
        const run = readRun(db, chat, id);
        if (!run) return "unknown";
        if (run.status !== "queued") return "too_late";
        const row = db.get("SELECT edited_at FROM runs WHERE chat = ? AND id = ?", chat, id);
        if (Number(row?.edited_at ?? 0) > edit.editedAt) return "edited";
        writeRun(db, chat, { ...run, inbound: { ...run.inbound, text: edit.text } });
        db.run("UPDATE runs SET edited_at = ? WHERE chat = ? AND id = ?", edit.editedAt, chat, id);
        return "edited";
      });
    },

    async steer(session, id, steer) {
      const chat = chatOf(session);
      const taken = db.atomic(() => {
        if (seen(db, chat, steer.id, now())) return "duplicate";
        const status = readRun(db, chat, id)?.status;
        if (status !== "queued" && status !== "running") return "closed";
        markSeen(db, chat, steer.id, now());
        const body = JSON.stringify(steer);
        db.run("INSERT INTO steers (chat, run, id, body) VALUES (?, ?, ?, ?)", chat, id, steer.id, body);
        return "taken";
      });
      if (taken === "taken") emit({ kind: "steer", run: id });
      return taken;
    },

    async steers(session, id) {
      const rows = db.all("SELECT body FROM steers WHERE chat = ? AND run = ? ORDER BY seq", chatOf(session), id);
      return rows.map((row) => JSON.parse(String(row.body)) as Steer); // Written by `steer` only.
    },

    async ackSteers(session, id, ids) {
      const chat = chatOf(session);
      db.atomic(() => {
        for (const steer of ids) db.run("DELETE FROM steers WHERE chat = ? AND run = ? AND id = ?", chat, id, steer);
      });
    },

    async requestStop(session, id, by) {
      const chat = chatOf(session);
      const marked = db.atomic(() => {
        const run = readRun(db, chat, id);
        if (!run || isOver(run.status)) return false;
        writeRun(db, chat, { ...run, stop: run.stop ?? by });
        // Should the caller die before it ends the run, the next lane finds it and does.
        if (run.status === "waiting") offerSession(db, session, now());
        return true;
      });
      if (marked) emit({ kind: "stop", run: id });
    },

    async remember(ref, session) {
      db.run(
        `INSERT INTO refs (chat, id, session, expires_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (chat, id) DO UPDATE SET session = excluded.session, expires_at = excluded.expires_at`,
        chatOf(session),
        ref.id,
        session,
        now() + REF_MS,
      );
    },
  };
}

function head(db: Db, chat: string, id: string | undefined): RunHead | undefined {
  const run = id === undefined ? undefined : readRun(db, chat, id);
  return run && { id: run.id, status: run.status, askedBy: run.inbound.user.id, question: run.question };
}

function queued(db: Db, session: string): number {
  const row = db.get("SELECT count(*) AS n FROM runs WHERE session = ? AND status = 'queued'", session);
  return Number(row?.n);
}

/** Puts the session on the waiting list; the place in it is kept if it is there already. */
export function offerSession(db: Db, session: string, since: number): void {
  db.run("UPDATE sessions SET waiting_since = coalesce(waiting_since, ?) WHERE key = ?", since, session);
}

function seen(db: Db, chat: string, id: string, now: number): boolean {
  return db.get("SELECT 1 FROM seen WHERE chat = ? AND id = ? AND expires_at > ?", chat, id, now) !== undefined;
}

function markSeen(db: Db, chat: string, id: string, now: number): void {
  db.run(
    `INSERT INTO seen (chat, id, expires_at) VALUES (?, ?, ?)
     ON CONFLICT (chat, id) DO UPDATE SET expires_at = excluded.expires_at`,
    chat,
    id,
    now + SEEN_MS,
  );
}
