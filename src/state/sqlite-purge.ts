/** Removes what has outlived its time. */
import { keepMs, sessionMs } from "./retention.ts";
import type { Db } from "./sqlite-db.ts";

export function purge(db: Db, keepDays: number, now: number): void {
  const kept = now - keepMs(keepDays);
  db.atomic(() => {
    for (const table of ["seen", "refs", "items"]) db.run(`DELETE FROM ${table} WHERE expires_at <= ?`, now);
    db.run("DELETE FROM paces WHERE tat <= ?", now);
    db.run("DELETE FROM runs WHERE ended_at <= ?", kept);
    db.run(
      `DELETE FROM sessions WHERE used_at <= ? AND active IS NULL
       AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.session = sessions.key AND runs.ended_at IS NULL)`,
      now - sessionMs(keepDays),
    );
    for (const table of ["checkpoints", "checkpoint_values", "checkpoint_writes"]) {
      db.run(`DELETE FROM ${table} WHERE thread IN (SELECT thread FROM threads WHERE used_at <= ?)`, kept);
    }
    db.run("DELETE FROM threads WHERE used_at <= ?", kept);
  });
}
