/** Checkpoints on plain Redis 7 or a Cluster. Every key lives for the thread's time to live after its last use. */
import { StoredCheckpoints } from "./checkpoints.ts";
import type { CheckpointStorage, Place } from "./checkpoints-storage.ts";
import { asBuffer, fieldOf, linksFrom, packed, storedFrom, writeField, writeValue } from "./redis-checkpoint-codec.ts";
import type { Arg, Client, RedisLink, Script } from "./redis-link.ts";
import { chain, load, put, putWrites, retain } from "./redis-scripts-checkpoints.ts";

export function redisCheckpoints(link: RedisLink, prefix: string, ttlMs: number): StoredCheckpoints {
  return new StoredCheckpoints(redisStorage(link, checkpointKeys(prefix), ttlMs));
}

const KINDS = ["ids", "links", "bodies", "values", "order", "writes"];

interface CheckpointKeys {
  /** In the order the scripts expect. */
  of(at: Place): string[];
  namespaces(thread: string): string;
  /** Glob for the namespace sets of all threads. */
  pattern: string;
  threadOf(namespacesKey: string): string;
}

function checkpointKeys(rawPrefix: string): CheckpointKeys {
  const prefix = rawPrefix.replace(/[{}]/g, "_");
  const start = `{${prefix}:thread:`;
  const end = "}:namespaces";
  const base = (thread: string) => `${start}${encodeURIComponent(thread)}}`;
  const namespaces = (thread: string) => start + encodeURIComponent(thread) + end;
  return {
    of: ({ thread, ns }) => [
      ...KINDS.map((kind) => `${base(thread)}:${kind}:${encodeURIComponent(ns)}`),
      namespaces(thread),
    ],
    namespaces,
    pattern: `${start.replace(/[*?[\]\\]/g, "\\$&")}*${end}`,
    threadOf: (key) => decodeURIComponent(key.slice(start.length, -end.length)),
  };
}

function redisStorage(link: RedisLink, keys: CheckpointKeys, ttlMs: number): CheckpointStorage {
  const run = (script: Script, at: Place, args: Arg[]) => link.script("work", script, keys.of(at), [ttlMs, ...args]);
  const read = async (script: Script, at: Place, args: Arg[]) => {
    const reply = await link.scriptBuffer("work", script, keys.of(at), [ttlMs, ...args]);
    return (reply as unknown[]).map(storedFrom); // The scripts reply with a list.
  };
  const namespaces = (thread: string) => link.call("work", (client) => client.smembers(keys.namespaces(thread)));
  return {
    load: async (at, ids) => (ids.length === 0 ? [] : read(load, at, ids)),
    latest: async (at) => (await read(load, at, []))[0],
    chain: (at, from, count, channels) => read(chain, at, [from, count, ...channels.map(encodeURIComponent)]),

    async ids(at, before, limit) {
      const [ids = ""] = keys.of(at);
      const end = before === undefined ? "+" : `(${before}`;
      return link.call("work", (client) => client.zrange(ids, end, "-", "BYLEX", "REV", "LIMIT", 0, limit));
    },

    async links(at) {
      const [, links = ""] = keys.of(at);
      const all = await link.call("work", (client) => client.hgetall(links));
      return Object.entries(all).map(([id, lines]) => linksFrom(id, lines));
    },

    async put(at, { id, parent, delta, body, metadata, values, carried }) {
      const pairs = values.flatMap((value) => [encodeURIComponent(value.channel), packed(value)]);
      const channels = carried.map(encodeURIComponent);
      const head = [
        at.ns,
        id,
        parent ?? "",
        delta.map(encodeURIComponent).join(","),
        asBuffer(body),
        asBuffer(metadata),
      ];
      return Number(await run(put, at, [...head, channels.length, ...channels, ...pairs]));
    },

    async putWrites(at, id, writes) {
      const triples = writes.flatMap((write) => [writeField(id, write), writeValue(write), write.idx < 0 ? "1" : "0"]);
      await run(putWrites, at, [at.ns, ...triples]);
    },

    async retain(at, kept, removed) {
      const used = new Set(
        kept.flatMap(({ refs }) => Object.entries(refs).map(([name, writer]) => fieldOf(writer, name))),
      );
      await run(retain, at, [removed.length, ...removed, ...used]);
    },

    namespaces: async (thread) => (await namespaces(thread)).toSorted(),

    async removeNamespace(at) {
      await link.call("work", (client) => client.del(...keys.of(at).slice(0, KINDS.length)));
      await link.call("work", (client) => client.srem(keys.namespaces(at.thread), at.ns));
    },

    async deleteThread(thread) {
      const own = (await namespaces(thread)).flatMap((ns) => keys.of({ thread, ns }));
      if (own.length > 0) await link.call("work", (client) => client.del(...own));
    },

    async threads() {
      const found = await Promise.all(primaries(link.client).map((client) => scan(client, keys.pattern)));
      return found.flat().map(keys.threadOf).toSorted();
    },
  };
}

type Scanning = Pick<Client, "scan">;

function primaries(client: Client): Scanning[] {
  return "nodes" in client ? client.nodes("master") : [client];
}

async function scan(client: Scanning, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  let cursor = "0";
  do {
    const [next, names] = await client.scan(cursor, "MATCH", pattern, "COUNT", 500);
    for (const name of names) found.add(name);
    cursor = next;
  } while (cursor !== "0");
  return [...found];
}
