/** Reading the state, and what people set about a session. */
import type { Run, Session } from "../types.ts";
import { type Changes, decodeRun, decodeSession, encodeOverrides, fieldsOf } from "./redis-codec.ts";
import type { PartitionKeys } from "./redis-keys.ts";
import type { RedisParts } from "./redis-parts.ts";
import { changeSession, waiting } from "./redis-scripts-lanes.ts";
import type { Store } from "./store.ts";

type Sessions = Pick<
  Store,
  "run" | "queue" | "waiting" | "activeRuns" | "sessions" | "renewSession" | "overrideSession"
>;

/** A member of a partition's index and its score. */
type Listed = [member: string, score: number];

export function redisSessions({ link, keys, sessionMs, now }: RedisParts): Sessions {
  return {
    run: (session, id) => readRun(keys.run(session, id)),

    queue: (session) => link.call("request", (client) => client.lrange(keys.ofSession(session).queue, 0, -1)),

    async waiting(limit) {
      const at = link.shared(now());
      const listed = await everywhere(async (partition) =>
        pairsOf(await link.script("work", waiting, [partition.waiting], [partition.sessionPrefix, at, limit])),
      );
      return oldestFirst(listed, limit).map(([session]) => session);
    },

    async activeRuns(limit) {
      const listed = await everywhere(async ({ active }) =>
        pairsOf(await link.call("request", (client) => client.zrange(active, 0, String(limit - 1), "WITHSCORES"))),
      );
      const runs = await Promise.all(oldestFirst(listed, limit).map(([key]) => readRun(key)));
      return runs.filter((run) => run !== undefined);
    },

    async sessions(limit) {
      const listed = await everywhere(async ({ sessions }) =>
        pairsOf(
          await link.call("request", (client) => client.zrange(sessions, 0, String(limit - 1), "REV", "WITHSCORES")),
        ),
      );
      const newest = oldestFirst(listed, listed.length).reverse().slice(0, limit);
      const found = await Promise.all(newest.map(([key]) => readSession(key)));
      return found.filter((session) => session !== undefined);
    },

    renewSession: (session, at) => change(session, at, 1, { set: [], remove: [] }),
    overrideSession: (session, patch, at) => change(session, at, 0, encodeOverrides(patch)),
  };

  /** One command per partition; they travel together. */
  async function everywhere(list: (partition: PartitionKeys) => Promise<Listed[]>): Promise<Listed[]> {
    return (await Promise.all(keys.partitions().map(list))).flat();
  }

  async function readRun(key: string): Promise<Run | undefined> {
    return decodeRun(await link.call("request", (client) => client.hgetall(key)));
  }

  async function readSession(session: string): Promise<Session | undefined> {
    return decodeSession(
      session,
      await link.call("request", (client) => client.hgetall(keys.ofSession(session).session)),
    );
  }

  async function change(session: string, at: number, epochs: number, { set, remove }: Changes): Promise<Session> {
    const { partition, ...own } = keys.ofSession(session);
    const names = [own.session, own.queue, partition.sessions];
    const args = [session, at, sessionMs, epochs, set.length, ...set, ...remove];
    const changed = decodeSession(session, fieldsOf(await link.script("request", changeSession, names, args)));
    if (!changed) throw new Error(`session ${session} vanished within a script`);
    return changed;
  }
}

function pairsOf(reply: unknown): Listed[] {
  return Object.entries(fieldsOf(reply)).map(([member, score]) => [member, Number(score)]);
}

function oldestFirst(listed: Listed[], limit: number): Listed[] {
  return listed.toSorted((a, b) => a[1] - b[1]).slice(0, limit);
}
