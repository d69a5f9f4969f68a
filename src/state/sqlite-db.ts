/** Opens the one file of the embedded store and keeps it to this process. */
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { messageOf, OperatorError } from "../errors.ts";
import { SCHEMA, SCHEMA_VERSION } from "./sqlite-schema.ts";

export type Row = Record<string, unknown>;

export interface Db {
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  /** Number of rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** All of `work` or nothing. Not reentrant, and `work` is synchronous: nothing can come between its statements. */
  atomic<T>(work: () => T): T;
  close(): void;
}

/** A process that is shutting down may hold the file a moment longer. */
const LOCK_WAIT_MS = 1_000;

export function openDb(path: string): Db {
  const file = open(path);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? file.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    get: (sql, ...values) => prepared(sql).get(...values),
    all: (sql, ...values) => prepared(sql).all(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    atomic: (work) => atomic(file, work),
    close() {
      if (file.isOpen) file.close();
    },
  };
}

function atomic<T>(file: DatabaseSync, work: () => T): T {
  file.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    file.exec("COMMIT");
    return result;
  } catch (error) {
    if (file.isTransaction) file.exec("ROLLBACK");
    throw error;
  }
}

function open(path: string): DatabaseSync {
  const inMemory = path === ":memory:";
  const where = inMemory ? path : resolve(path);
  let file: DatabaseSync | undefined;
  try {
    if (!inMemory) mkdirSync(dirname(where), { recursive: true });
    file = new DatabaseSync(where, { timeout: LOCK_WAIT_MS });
    prepareFile(file);
    return file;
  } catch (error) {
    if (file?.isOpen) file.close();
    throw explained(error, where);
  }
}

function prepareFile(file: DatabaseSync): void {
  // Before the first access: then the lock is taken for as long as the file is open, and no -shm file is used.
  file.exec("PRAGMA locking_mode = EXCLUSIVE");
  file.exec("PRAGMA journal_mode = WAL");
  file.exec("PRAGMA synchronous = FULL");
  file.exec("BEGIN EXCLUSIVE");
  const version = Number(file.prepare("PRAGMA user_version").get()?.user_version);
  if (version > SCHEMA_VERSION) throw new OperatorError("it was written by a newer version of planbridge");
  if (version === 0) file.exec(`${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  // One process owns the file, so whoever held these leases is gone.
  file.exec("UPDATE sessions SET owner = NULL, lease_until = NULL WHERE owner IS NOT NULL");
  file.exec("COMMIT");
}

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

function explained(error: unknown, path: string): OperatorError {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  if (code === SQLITE_BUSY) {
    const what = `The state file ${path} is in use by another process`;
    return new OperatorError(`${what}: stop it, or use redis:// in state.url to run several workers.`, 2, error);
  }
  const why = code === SQLITE_NOTADB ? "it is not a SQLite database" : messageOf(error);
  return new OperatorError(`The state file ${path} cannot be opened (${why}).`, 2, error);
}
