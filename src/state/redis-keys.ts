/**
 * Names of keys. All state of a chat lies in one of 64 partitions, each under one hash tag, so that a script on it runs
 * on one node of a Cluster. Scripts build the keys of runs they find in a queue from a prefix with the same tag.
 */
import { crc32 } from "node:zlib";
import { chatOf } from "./records.ts";

export const PARTITIONS = 64;

/** The partition of a session key or chat key: 0..63, from its chat part alone. */
export function partitionOf(session: string): number {
  return crc32(chatOf(session)) % PARTITIONS;
}

export interface SessionKeys {
  /** Hash: epoch, createdAt, usedAt, active, owner, until, token, and `o.<name>` for each override. */
  session: string;
  /** List of run ids, oldest first. */
  queue: string;
  partition: PartitionKeys;
}

export interface PartitionKeys {
  /** Sorted set of session keys with work, by the time they began to wait. */
  waiting: string;
  /** Sorted set of run keys that are running or waiting, by the time they first began. */
  active: string;
  /** Sorted set of session keys by last use. */
  sessions: string;
  /** A session key is this and the session's own key. */
  sessionPrefix: string;
  queuePrefix: string;
}

export interface Keys {
  ofSession(session: string): SessionKeys;
  partitions(): PartitionKeys[];
  /** Hash of JSON values, one field per field of a run. */
  run(session: string, id: string): string;
  /** A run's key is this and its id. */
  runPrefix(session: string): string;
  /** Hash: steer id -> `<order>:<JSON>`. */
  steers(session: string, id: string): string;
  seen(session: string, inboundId: string): string;
  ref(session: string, messageId: string): string;
  settings: string;
  audits: string;
  item(key: string): string;
  pace(key: string): string;
  /** Pub/sub channel. */
  signals: string;
}

export function redisKeys(rawPrefix: string): Keys {
  // Braces in the prefix would become the hash tag.
  const prefix = rawPrefix.replace(/[{}]/g, "_");
  const base = (session: string) => tag(prefix, partitionOf(session));
  const runPrefix = (session: string) => `${base(session)}:run:${chatOf(session)}/`;
  return {
    ofSession(session) {
      const partition = partitionKeys(base(session));
      return { session: partition.sessionPrefix + session, queue: partition.queuePrefix + session, partition };
    },
    partitions: () => Array.from({ length: PARTITIONS }, (_, index) => partitionKeys(tag(prefix, index))),
    run: (session, id) => runPrefix(session) + id,
    runPrefix,
    steers: (session, id) => `${runPrefix(session)}${id}:steers`,
    seen: (session, inboundId) => `${base(session)}:seen:${chatOf(session)}/${inboundId}`,
    ref: (session, messageId) => `${base(session)}:ref:${chatOf(session)}/${messageId}`,
    settings: `{${prefix}:settings}:values`,
    audits: `{${prefix}:settings}:audits`,
    item: (key) => `${prefix}:item:${key}`,
    pace: (key) => `${prefix}:pace:${key}`,
    signals: `${prefix}:signals`,
  };
}

function tag(prefix: string, partition: number): string {
  return `{${prefix}:${String(partition).padStart(2, "0")}}`;
}

function partitionKeys(base: string): PartitionKeys {
  return {
    waiting: `${base}:waiting`,
    active: `${base}:active`,
    sessions: `${base}:sessions`,
    sessionPrefix: `${base}:session:`,
    queuePrefix: `${base}:queue:`,
  };
}
