/** The embedded store: one file, one process, nothing to install. */
import { messageOf, OperatorError } from "../errors.ts";
import { sqliteCheckpoints } from "./checkpoints-sqlite.ts";
import { createSignals } from "./signals.ts";
import { openDb } from "./sqlite-db.ts";
import { sqliteInbound } from "./sqlite-inbound.ts";
import { sqliteLanes } from "./sqlite-lanes.ts";
import { purge } from "./sqlite-purge.ts";
import { sqliteSessions } from "./sqlite-sessions.ts";
import { sqliteValues } from "./sqlite-values.ts";
import type { State, StateOptions } from "./state.ts";
import type { Store } from "./store.ts";

export interface SqliteOptions extends StateOptions {
  /** `:memory:` forgets everything at close. */
  path: string;
}

const PURGE_EVERY_MS = 60 * 60_000;

/** Throws an OperatorError when the file is in use by another process or cannot be opened. */
export function openSqliteState({ path, keepDays, log, now = Date.now }: SqliteOptions): State {
  const db = openDb(path);
  const failed = (error: unknown) => log.error({ error: messageOf(error) }, "signal listener failed");
  const signals = createSignals(failed);
  // Later, not within the verb: listeners must see its result and may call the store.
  const emit: typeof signals.emit = (signal) => void setImmediate(() => signals.emit(signal));
  const parts = { db, now, emit };
  purge(db, keepDays, now());
  const purging = setInterval(() => {
    try {
      purge(db, keepDays, now());
    } catch (error) {
      log.warn({ error: messageOf(error) }, "old state could not be removed");
    }
  }, PURGE_EVERY_MS).unref();
  const store: Store = {
    ...sqliteInbound(parts),
    ...sqliteLanes(parts),
    ...sqliteSessions(parts),
    ...sqliteValues(parts),
    signal: async (signal) => emit(signal),
    subscribe: signals.subscribe,
    async ping() {
      try {
        db.get("SELECT count(*) FROM sessions");
      } catch (error) {
        throw new OperatorError(`The state file ${path} cannot be read (${messageOf(error)}).`, 2, error);
      }
    },
    async close() {
      clearInterval(purging);
      db.close();
    },
  };
  return { store, checkpointer: sqliteCheckpoints(db, now) };
}
