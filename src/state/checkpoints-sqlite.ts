/** Checkpoints in the embedded store's file. */
import { StoredCheckpoints } from "./checkpoints.ts";
import type { CheckpointStorage, Links, Place, StoredCheckpoint, StoredWrite } from "./checkpoints-storage.ts";
import type { Db, Row } from "./sqlite-db.ts";
import { text } from "./sqlite-records.ts";

export function sqliteCheckpoints(db: Db, now: () => number): StoredCheckpoints {
  return new StoredCheckpoints(sqliteStorage(db, now));
}

const HERE = "thread = ? AND ns = ?";

function sqliteStorage(db: Db, now: () => number): CheckpointStorage {
  const find = ({ thread, ns }: Place, id: string) =>
    db.get(`SELECT * FROM checkpoints WHERE ${HERE} AND id = ?`, thread, ns, id);
  return {
    async load(at, ids) {
      touch(db, at.thread, now());
      const rows = ids.map((id) => find(at, id)).filter((row) => row !== undefined);
      return rows.map((row) => stored(db, at, row));
    },

    async latest(at) {
      touch(db, at.thread, now());
      const row = db.get(`SELECT * FROM checkpoints WHERE ${HERE} ORDER BY id DESC LIMIT 1`, at.thread, at.ns);
      return row && stored(db, at, row);
    },

    async chain(at, from, count, channels) {
      const found: StoredCheckpoint[] = [];
      for (let row = find(at, from); row && found.length < count; ) {
        found.push(stored(db, at, row, channels));
        const parent = text(row.parent);
        row = parent === undefined ? undefined : find(at, parent);
      }
      return found;
    },

    async ids({ thread, ns }, before, limit) {
      const sql = `SELECT id FROM checkpoints WHERE ${HERE} AND (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?`;
      return db.all(sql, thread, ns, before ?? null, before ?? null, limit).map((row) => String(row.id));
    },

    links: async ({ thread, ns }) =>
      db.all(`SELECT id, parent, refs, delta FROM checkpoints WHERE ${HERE}`, thread, ns).map(linksOf),

    async put(at, checkpoint) {
      const { thread, ns } = at;
      return db.atomic(() => {
        touch(db, thread, now());
        const parent = checkpoint.parent === undefined ? undefined : find(at, checkpoint.parent);
        const inherited = parent ? linksOf(parent).refs : {};
        const carried = checkpoint.carried.filter((name) => inherited[name] !== undefined);
        const refs = Object.fromEntries([
          ...carried.map((name) => [name, inherited[name]]),
          ...checkpoint.values.map(({ channel }) => [channel, checkpoint.id]),
        ]);
        db.run(
          `INSERT OR REPLACE INTO checkpoints (thread, ns, id, parent, body, metadata, refs, delta)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          thread,
          ns,
          checkpoint.id,
          checkpoint.parent ?? null,
          checkpoint.body,
          checkpoint.metadata,
          JSON.stringify(refs),
          JSON.stringify(checkpoint.delta),
        );
        for (const { channel, type, body } of checkpoint.values) {
          db.run(
            `INSERT OR REPLACE INTO checkpoint_values (thread, ns, channel, writer, type, body)
             VALUES (?, ?, ?, ?, ?, ?)`,
            thread,
            ns,
            channel,
            checkpoint.id,
            type,
            body,
          );
        }
        return Number(db.get(`SELECT count(*) AS n FROM checkpoints WHERE ${HERE}`, thread, ns)?.n);
      });
    },

    async putWrites(at, checkpoint, writes) {
      db.atomic(() => {
        touch(db, at.thread, now());
        for (const write of writes) putWrite(db, at, checkpoint, write);
      });
    },

    async retain(at, kept, removed) {
      const used = new Set(
        kept.flatMap(({ refs }) => Object.entries(refs).map(([name, writer]) => `${writer}/${name}`)),
      );
      const { thread, ns } = at;
      db.atomic(() => {
        for (const id of removed) {
          db.run(`DELETE FROM checkpoints WHERE ${HERE} AND id = ?`, thread, ns, id);
          db.run(`DELETE FROM checkpoint_writes WHERE ${HERE} AND checkpoint = ?`, thread, ns, id);
        }
        for (const row of db.all(`SELECT channel, writer FROM checkpoint_values WHERE ${HERE}`, thread, ns)) {
          const [writer, channel] = [String(row.writer), String(row.channel)];
          if (used.has(`${writer}/${channel}`)) continue;
          db.run(
            `DELETE FROM checkpoint_values WHERE ${HERE} AND writer = ? AND channel = ?`,
            thread,
            ns,
            writer,
            channel,
          );
        }
      });
    },

    namespaces: async (thread) =>
      db.all("SELECT DISTINCT ns FROM checkpoints WHERE thread = ? ORDER BY ns", thread).map((row) => String(row.ns)),

    async removeNamespace({ thread, ns }) {
      db.atomic(() => {
        for (const table of TABLES) db.run(`DELETE FROM ${table} WHERE ${HERE}`, thread, ns);
      });
    },

    async deleteThread(thread) {
      db.atomic(() => {
        for (const table of [...TABLES, "threads"]) db.run(`DELETE FROM ${table} WHERE thread = ?`, thread);
      });
    },

    threads: async () => db.all("SELECT thread FROM threads ORDER BY thread").map((row) => String(row.thread)),
  };
}

const TABLES = ["checkpoints", "checkpoint_values", "checkpoint_writes"];
/** A thread's last use is written at most this often: reads should not cost a write each. */
const TOUCH_EVERY_MS = 60 * 60_000;

function touch(db: Db, thread: string, now: number): void {
  db.run(
    `INSERT INTO threads (thread, used_at) VALUES (?, ?)
     ON CONFLICT (thread) DO UPDATE SET used_at = excluded.used_at WHERE used_at < excluded.used_at - ?`,
    thread,
    now,
    TOUCH_EVERY_MS,
  );
}

function putWrite(db: Db, { thread, ns }: Place, checkpoint: string, write: StoredWrite): void {
  db.run(
    `INSERT OR ${write.idx < 0 ? "REPLACE" : "IGNORE"} INTO checkpoint_writes
     (thread, ns, checkpoint, task, idx, path, channel, type, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    thread,
    ns,
    checkpoint,
    write.task,
    write.idx,
    write.path,
    write.channel,
    write.type,
    write.body,
  );
}

function linksOf(row: Row): Links {
  return {
    id: String(row.id),
    parent: text(row.parent),
    refs: JSON.parse(String(row.refs)),
    delta: JSON.parse(String(row.delta)),
  };
}

function stored(db: Db, at: Place, row: Row, channels?: string[]): StoredCheckpoint {
  const links = linksOf(row);
  const wanted = (name: string) => channels === undefined || channels.includes(name);
  return {
    ...links,
    body: row.body as Uint8Array, // The columns are BLOB in a STRICT table.
    metadata: row.metadata as Uint8Array,
    values: Object.entries(links.refs)
      .filter(([name]) => wanted(name))
      .flatMap(([name, writer]) => readValue(db, at, name, writer)),
    writes: writesOf(db, at, links.id).filter(({ channel }) => wanted(channel)),
  };
}

function readValue(db: Db, { thread, ns }: Place, channel: string, writer: string): StoredCheckpoint["values"] {
  const sql = `SELECT type, body FROM checkpoint_values WHERE ${HERE} AND writer = ? AND channel = ?`;
  const row = db.get(sql, thread, ns, writer, channel);
  return row ? [{ channel, type: String(row.type), body: row.body as Uint8Array }] : [];
}

function writesOf(db: Db, { thread, ns }: Place, checkpoint: string): StoredWrite[] {
  const rows = db.all(`SELECT * FROM checkpoint_writes WHERE ${HERE} AND checkpoint = ?`, thread, ns, checkpoint);
  return rows.map((row) => ({
    task: String(row.task),
    idx: Number(row.idx),
    path: String(row.path),
    channel: String(row.channel),
    type: String(row.type),
    body: row.body as Uint8Array,
  }));
}
