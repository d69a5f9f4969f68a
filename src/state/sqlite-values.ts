/** Settings with their audit trail, limits shared by all senders, and small values with a lifetime. */
import { gcra } from "./gcra.ts";
import { MAX_AUDITS } from "./retention.ts";
import type { Db } from "./sqlite-db.ts";
import type { SqliteParts } from "./sqlite-inbound.ts";
import type { AuditEntry, Store } from "./store.ts";

type Values = Pick<
  Store,
  "settings" | "setSetting" | "audit" | "audits" | "take" | "put" | "once" | "count" | "get" | "remove"
>;

export function sqliteValues({ db, now }: SqliteParts): Values {
  return {
    async settings() {
      const rows = db.all("SELECT key, value FROM settings");
      return Object.fromEntries(rows.map((row) => [String(row.key), JSON.parse(String(row.value))]));
    },

    async setSetting(key, value, audit) {
      return db.atomic(() => {
        const row = db.get("SELECT value FROM settings WHERE key = ?", key);
        const old: unknown = row && JSON.parse(String(row.value));
        if (value === undefined) db.run("DELETE FROM settings WHERE key = ?", key);
        else db.run("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", key, JSON.stringify(value));
        writeAudit(db, { old, new: value, ...audit });
        return old;
      });
    },

    audit: async (entry) => db.atomic(() => writeAudit(db, entry)),

    async audits(limit) {
      const rows = db.all("SELECT entry FROM audits ORDER BY seq DESC LIMIT ?", limit);
      return rows.map((row) => JSON.parse(String(row.entry)) as AuditEntry); // Written by writeAudit only.
    },

    async take(key, burst, perMs, at, reserve = 0) {
      return db.atomic(() => {
        const row = db.get("SELECT tat FROM paces WHERE key = ?", key);
        const { wait, tat } = gcra({ tat: Number(row?.tat ?? 0), burst, perMs, now: at, reserve });
        if (wait === 0) db.run("INSERT OR REPLACE INTO paces (key, tat) VALUES (?, ?)", key, tat);
        return wait;
      });
    },

    put: async (key, value, ttlMs) => write(key, JSON.stringify(value ?? null), ttlMs),

    async once(key, ttlMs) {
      return db.atomic(() => {
        if (read(key) !== undefined) return false;
        write(key, "true", ttlMs);
        return true;
      });
    },

    async count(key, by, ttlMs) {
      return db.atomic(() => {
        const known = read(key);
        const total = Number(known ?? 0) + by;
        if (known !== undefined) db.run("UPDATE items SET value = ? WHERE key = ?", String(total), key);
        else if (by !== 0) write(key, String(total), ttlMs);
        return total;
      });
    },

    async get(key) {
      const value = read(key);
      return value === undefined ? undefined : JSON.parse(value);
    },

    remove: async (key) => void db.run("DELETE FROM items WHERE key = ?", key),
  };

  function read(key: string): string | undefined {
    const row = db.get("SELECT value FROM items WHERE key = ? AND expires_at > ?", key, now());
    return row && String(row.value);
  }

  function write(key: string, value: string, ttlMs: number): void {
    const sql = "INSERT OR REPLACE INTO items (key, value, expires_at) VALUES (?, ?, ?)";
    db.run(sql, key, value, now() + Math.ceil(ttlMs));
  }
}

function writeAudit(db: Db, entry: AuditEntry): void {
  db.run("INSERT INTO audits (entry) VALUES (?)", JSON.stringify(entry));
  db.run("DELETE FROM audits WHERE seq <= (SELECT max(seq) FROM audits) - ?", MAX_AUDITS);
}
