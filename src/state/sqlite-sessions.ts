/** Reading the state, and what people set about a session. */
import type { Session } from "../types.ts";
import { chatOf } from "./records.ts";
import type { SqliteParts } from "./sqlite-inbound.ts";
import { readRun, readSession, runFrom, sessionRow, touchSession } from "./sqlite-records.ts";
import type { Store } from "./store.ts";

type Sessions = Pick<
  Store,
  "run" | "queue" | "waiting" | "activeRuns" | "sessions" | "renewSession" | "overrideSession"
>;

export function sqliteSessions({ db, now }: SqliteParts): Sessions {
  return {
    run: async (session, id) => readRun(db, chatOf(session), id),

    async queue(session) {
      const rows = db.all("SELECT id FROM runs WHERE session = ? AND status = 'queued' ORDER BY seq", session);
      return rows.map((row) => String(row.id));
    },

    async waiting(limit) {
      const rows = db.all(
        `SELECT key FROM sessions WHERE waiting_since IS NOT NULL AND (owner IS NULL OR lease_until <= ?)
         ORDER BY waiting_since, key LIMIT ?`,
        now(),
        limit,
      );
      return rows.map((row) => String(row.key));
    },

    async activeRuns(limit) {
      const rows = db.all(
        "SELECT status, attempt, body FROM runs WHERE status IN ('running', 'waiting') ORDER BY seq LIMIT ?",
        limit,
      );
      return rows.map(runFrom);
    },

    async sessions(limit) {
      const rows = db.all("SELECT * FROM sessions ORDER BY used_at DESC, key LIMIT ?", limit);
      return rows.map((row) => sessionRow(row).session);
    },

    async renewSession(key, at) {
      return db.atomic(() => {
        touchSession(db, key, at);
        db.run("UPDATE sessions SET epoch = epoch + 1 WHERE key = ?", key);
        return mustRead(key);
      });
    },

    async overrideSession(key, patch, at) {
      return db.atomic(() => {
        touchSession(db, key, at);
        // JSON drops the keys that the patch sets to undefined.
        const overrides = JSON.stringify({ ...mustRead(key).overrides, ...patch });
        db.run("UPDATE sessions SET overrides = ? WHERE key = ?", overrides, key);
        return mustRead(key);
      });
    },
  };

  function mustRead(key: string): Session {
    const row = readSession(db, key);
    if (!row) throw new Error(`session ${key} vanished within a transaction`);
    return row.session;
  }
}
