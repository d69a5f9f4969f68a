/** Verbs of the lane that works on a session. */
import { randomUUID } from "node:crypto";
import { decodeRun, encodePatch, fieldsOf } from "./redis-codec.ts";
import type { RedisParts } from "./redis-parts.ts";
import { begin, drop, finish, park, release, renew, saveRun } from "./redis-scripts-lanes.ts";
import type { Store } from "./store.ts";

type Lane = Pick<Store, "begin" | "renew" | "release" | "saveRun" | "park" | "finish" | "drop">;

export function redisLanes({ link, keys, runMs, sessionMs }: RedisParts): Lane {
  return {
    async begin(session, owner, leaseMs, now) {
      const { partition, ...own } = keys.ofSession(session);
      const names = [own.session, own.queue, partition.waiting, partition.active];
      const at = link.shared(now);
      const args = [session, keys.runPrefix(session), sessionMs, owner, at, at + leaseMs, randomUUID()];
      const [kind, fields] = (await link.script("work", begin, names, args)) as [string, string[]?]; // As documented there.
      if (kind === "busy") return { kind: "busy" };
      const run = fields && decodeRun(fieldsOf(fields));
      return run ? { kind: "run", run } : { kind: "idle" };
    },

    async renew(session, owner, leaseMs, now) {
      const args = [owner, link.shared(now) + leaseMs];
      return (await link.script("request", renew, [keys.ofSession(session).session], args)) === 1;
    },

    async release(session, owner) {
      const { partition, ...own } = keys.ofSession(session);
      const names = [own.session, own.queue, partition.waiting];
      await link.script("request", release, names, [session, owner, sessionMs]);
    },

    async saveRun(session, run, patch) {
      const { set, remove } = encodePatch(patch);
      if (set.length + remove.length === 0) return;
      await link.script("work", saveRun, [keys.run(session, run)], [set.length, ...set, ...remove]);
    },

    async park(session, run, owner, question) {
      const { partition, ...own } = keys.ofSession(session);
      const names = [own.session, partition.waiting, keys.run(session, run)];
      const args = [session, run, owner, JSON.stringify(question), question.id];
      return (await link.script("work", park, names, args)) === 1;
    },

    async finish(session, run, owner, status, now) {
      const { partition, ...own } = keys.ofSession(session);
      const names = [own.session, partition.active, keys.run(session, run), keys.steers(session, run)];
      const args = [run, owner, JSON.stringify(status), now, runMs];
      // The script's own three words.
      return (await link.script("work", finish, names, args)) as "finished" | "steered" | "lease_lost";
    },

    async drop(session, run, status, now) {
      const { partition, ...own } = keys.ofSession(session);
      const of = [keys.run(session, run), keys.steers(session, run)];
      const names = [own.session, own.queue, partition.waiting, partition.active, ...of];
      const news = [keys.signals, JSON.stringify({ kind: "wake", session })];
      const args = [session, run, JSON.stringify(status), now, runMs, sessionMs, ...news];
      return (await link.script("request", drop, names, args)) === 1;
    },
  };
}
