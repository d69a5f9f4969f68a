/** Settings with their audit trail, limits shared by all senders, and small values with a lifetime. */
import { randomUUID } from "node:crypto";
import type { RedisParts } from "./redis-parts.ts";
import { audit, count, setSetting, take } from "./redis-scripts-values.ts";
import type { AuditEntry, Store } from "./store.ts";

type Values = Pick<
  Store,
  "settings" | "setSetting" | "audit" | "audits" | "take" | "put" | "once" | "count" | "get" | "remove"
>;

export function redisValues({ link, keys }: RedisParts): Values {
  return {
    async settings() {
      const values = await link.call("request", (client) => client.hgetall(keys.settings));
      return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.parse(value)]));
    },

    async setSetting(key, value, entry) {
      const full = JSON.stringify({ new: value, ...entry });
      const json = value === undefined ? "" : JSON.stringify(value);
      const args = [key, json, full, entry.old === undefined ? "0" : "1"];
      const old = await link.script("request", setSetting, [keys.settings, keys.audits], args);
      return typeof old === "string" ? JSON.parse(old) : undefined;
    },

    async audit(entry) {
      await link.script("request", audit, [keys.audits], [JSON.stringify(entry)]);
    },

    async audits(limit) {
      const entries = await link.call("request", (client) => client.lrange(keys.audits, 0, limit - 1));
      return entries.map((entry) => JSON.parse(entry) as AuditEntry); // Written by the two verbs above only.
    },

    async take(key, burst, perMs, now, reserve = 0) {
      return Number(await link.script("work", take, [keys.pace(key)], [burst, perMs, link.shared(now), reserve]));
    },

    async put(key, value, ttlMs) {
      const json = JSON.stringify(value ?? null);
      await link.call("request", (client) => client.set(keys.item(key), json, "PX", Math.ceil(ttlMs)));
    },

    /** A command that is sent again after a lost connection finds its own token and is still the first. */
    async once(key, ttlMs) {
      const token = JSON.stringify(randomUUID());
      const set = await link.call("request", (client) =>
        client.set(keys.item(key), token, "PX", Math.ceil(ttlMs), "NX", "GET"),
      );
      return set === null || set === token;
    },

    async count(key, by, ttlMs) {
      return Number(await link.script("work", count, [keys.item(key)], [by, Math.ceil(ttlMs)]));
    },

    async get(key) {
      const value = await link.call("request", (client) => client.get(keys.item(key)));
      return value === null ? undefined : JSON.parse(value);
    },

    async remove(key) {
      await link.call("request", (client) => client.del(keys.item(key)));
    },
  };
}
