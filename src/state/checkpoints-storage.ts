/** What a checkpoint saver needs from a database: rows of bytes. Both savers are the same class over one of these. */

export interface Place {
  thread: string;
  ns: string;
}

/** A stored value and the name of its serialization. */
export interface Packed {
  type: string;
  body: Uint8Array;
}

export interface StoredWrite extends Packed {
  task: string;
  /** Place within the task; below 0 for LangGraph's special channels, which overwrite. */
  idx: number;
  path: string;
  channel: string;
}

/** What a checkpoint refers to. */
export interface Links {
  id: string;
  parent: string | undefined;
  /** Channel -> checkpoint that wrote its value: a value is stored once per change, also when a thread forks. */
  refs: Record<string, string>;
  /** Channels without a value of their own here: rebuilt from the writes of the checkpoints before. */
  delta: string[];
}

export interface StoredCheckpoint extends Links {
  /** The checkpoint without its channel values. */
  body: Uint8Array;
  metadata: Uint8Array;
  values: ({ channel: string } & Packed)[];
  writes: StoredWrite[];
}

export interface NewCheckpoint {
  id: string;
  parent: string | undefined;
  delta: string[];
  body: Uint8Array;
  metadata: Uint8Array;
  /** Values that changed. */
  values: ({ channel: string } & Packed)[];
  /** Channels that keep the value they have in the parent. */
  carried: string[];
}

export interface CheckpointStorage {
  /** Those of `ids` that exist, in their order. */
  load(at: Place, ids: string[]): Promise<StoredCheckpoint[]>;
  latest(at: Place): Promise<StoredCheckpoint | undefined>;
  /** The checkpoint `from` and its ancestors, at most `count`; of values and writes only those of `channels`. */
  chain(at: Place, from: string, count: number, channels: string[]): Promise<StoredCheckpoint[]>;
  /** Newest first, older than `before`. */
  ids(at: Place, before: string | undefined, limit: number): Promise<string[]>;
  /** Of every checkpoint here. */
  links(at: Place): Promise<Links[]>;
  /** Resolves to the number of checkpoints in this place now. */
  put(at: Place, checkpoint: NewCheckpoint): Promise<number>;
  /** A write that is there already stays as it is, unless its `idx` is below 0. */
  putWrites(at: Place, checkpoint: string, writes: StoredWrite[]): Promise<void>;
  /** Removes checkpoints with their writes, and all values but those that `kept` refers to. */
  retain(at: Place, kept: Links[], removed: string[]): Promise<void>;
  namespaces(thread: string): Promise<string[]>;
  removeNamespace(at: Place): Promise<void>;
  deleteThread(thread: string): Promise<void>;
  /** Slow; only for listing across threads. */
  threads(): Promise<string[]>;
}
