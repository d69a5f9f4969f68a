/** LangGraph's checkpoint saver over a {@link CheckpointStorage}. */
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  copyCheckpoint,
  type DeltaChannelHistory,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import { pruneThread } from "./checkpoints-prune.ts";
import type { CheckpointStorage, Packed, Place, StoredCheckpoint, StoredWrite } from "./checkpoints-storage.ts";

/** Checkpoints kept per namespace; only the newest is ever resumed, the others are for looking back. */
const KEEP = 20;
/** A namespace is pruned each time its size is a multiple of this. */
const PRUNE_EVERY = 50;
const PAGE = 32;

export class StoredCheckpoints extends BaseCheckpointSaver {
  readonly #storage: CheckpointStorage;

  constructor(storage: CheckpointStorage) {
    super();
    this.#storage = storage;
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const at = placeOf(config);
    if (!at) return undefined;
    const stored = await this.#find(at, idOf(config));
    return stored && this.#tuple(at, stored);
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { filter, before } = options;
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    for await (const at of this.#places(config)) {
      for await (const stored of this.#pages(at, idOf(config), before && idOf(before))) {
        if (left <= 0) return;
        const tuple = await this.#tuple(at, stored);
        if (!matches(tuple.metadata, filter)) continue;
        left -= 1;
        yield tuple;
      }
    }
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const at = requirePlace(config, "put a checkpoint");
    const { channel_values: values, ...rest } = copyCheckpoint(checkpoint);
    const names = Object.keys(values).filter((name) => values[name] !== undefined);
    const changed = names.filter((name) => name in newVersions);
    const size = await this.#storage.put(at, {
      id: checkpoint.id,
      parent: idOf(config),
      delta: deltaChannels(checkpoint, metadata),
      body: await this.#dump(rest),
      metadata: await this.#dump(metadata),
      values: await Promise.all(changed.map(async (name) => ({ channel: name, ...(await this.#pack(values[name])) }))),
      carried: names.filter((name) => !(name in newVersions)),
    });
    if (size % PRUNE_EVERY === 0) await this.prune(at.thread);
    return configOf(at, checkpoint.id);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
    const at = requirePlace(config, "put writes");
    const id = idOf(config);
    if (id === undefined) throw new Error("Cannot put writes: the config has no checkpoint_id.");
    const stored = writes.map(async ([channel, value], index): Promise<StoredWrite> => {
      const idx = WRITES_IDX_MAP[channel] ?? index;
      return { task: taskId, idx, path: taskPath, channel, ...(await this.#pack(value)) };
    });
    await this.#storage.putWrites(at, id, await Promise.all(stored));
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#storage.deleteThread(threadId);
  }

  /** Runs by itself now and then; what resuming needs is always kept. */
  prune(threadId: string, keep = KEEP): Promise<void> {
    return pruneThread(this.#storage, threadId, keep, async (at) => {
      const newest = await this.getTuple(configOf(at));
      return newest?.metadata?.parents[""];
    });
  }

  /** As in the base class, but a page of ancestors at a time. */
  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const at = placeOf(options.config);
    const newestFirst = new Map(options.channels.map((name) => [name, [] as CheckpointPendingWrite[]]));
    const seeds = new Map<string, unknown>();
    const start = at && options.channels.length > 0 ? await this.#find(at, idOf(options.config)) : undefined;
    for await (const stored of this.#ancestors(at, start?.parent, options.channels)) {
      const open = options.channels.filter((name) => !seeds.has(name));
      if (open.length === 0) break;
      for (const write of (await this.#writes(stored.writes)).reverse()) {
        if (open.includes(write[1])) newestFirst.get(write[1])?.push(write);
      }
      for (const value of stored.values)
        if (open.includes(value.channel)) seeds.set(value.channel, await this.#load(value));
    }
    const entries = [...newestFirst].map(([name, writes]): [string, DeltaChannelHistory] => {
      const history = { writes: writes.toReversed() };
      return [name, seeds.has(name) ? { ...history, seed: seeds.get(name) } : history];
    });
    return Object.fromEntries(entries);
  }

  async *#ancestors(at: Place | undefined, from: string | undefined, channels: string[]) {
    let next = from;
    while (at && next !== undefined) {
      const page = await this.#storage.chain(at, next, PAGE, channels);
      yield* page;
      next = page.length < PAGE ? undefined : page.at(-1)?.parent;
    }
  }

  async #find(at: Place, id: string | undefined): Promise<StoredCheckpoint | undefined> {
    return id === undefined ? this.#storage.latest(at) : (await this.#storage.load(at, [id]))[0];
  }

  async *#places(config: RunnableConfig): AsyncGenerator<Place> {
    const { thread_id, checkpoint_ns } = config.configurable ?? {};
    const threads = thread_id === undefined ? await this.#storage.threads() : [String(thread_id)];
    for (const thread of threads) {
      const namespaces = checkpoint_ns === undefined ? await this.#storage.namespaces(thread) : [String(checkpoint_ns)];
      for (const ns of namespaces) yield { thread, ns };
    }
  }

  async *#pages(at: Place, id: string | undefined, before: string | undefined): AsyncGenerator<StoredCheckpoint> {
    if (id !== undefined) {
      if (before === undefined || id < before) yield* await this.#storage.load(at, [id]);
      return;
    }
    let end = before;
    for (;;) {
      const ids = await this.#storage.ids(at, end, PAGE);
      yield* await this.#storage.load(at, ids);
      if (ids.length < PAGE) return;
      end = ids.at(-1);
    }
  }

  async #tuple(at: Place, stored: StoredCheckpoint): Promise<CheckpointTuple> {
    const values = await Promise.all(
      stored.values.map(async (value): Promise<[string, unknown]> => [value.channel, await this.#load(value)]),
    );
    const body = (await this.serde.loadsTyped("json", stored.body)) as Omit<Checkpoint, "channel_values">;
    const checkpoint: Checkpoint = { ...body, channel_values: Object.fromEntries(values) };
    if (checkpoint.v < 4 && stored.parent !== undefined) await this.#addPendingSends(at, stored.parent, checkpoint);
    return {
      config: configOf(at, stored.id),
      checkpoint,
      metadata: (await this.serde.loadsTyped("json", stored.metadata)) as CheckpointMetadata,
      pendingWrites: await this.#writes(stored.writes),
      ...(stored.parent === undefined ? {} : { parentConfig: configOf(at, stored.parent) }),
    };
  }

  /** Checkpoints of format 3 and older kept pending sends as writes of their parent. */
  async #addPendingSends(at: Place, parent: string, checkpoint: Checkpoint): Promise<void> {
    const [stored] = await this.#storage.load(at, [parent]);
    const sends = (await this.#writes(stored?.writes ?? [])).filter(([, channel]) => channel === TASKS);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  /** In the order in which a live run applies them. */
  async #writes(writes: StoredWrite[]): Promise<CheckpointPendingWrite[]> {
    const key = (write: StoredWrite) => writesSortKey(write.path, write.task, write.idx);
    const sorted = writes.toSorted((a, b) => compareWritesSortKeys(key(a), key(b)));
    return Promise.all(
      sorted.map(
        async (write): Promise<CheckpointPendingWrite> => [write.task, write.channel, await this.#load(write)],
      ),
    );
  }

  async #dump(value: unknown): Promise<Uint8Array> {
    return (await this.serde.dumpsTyped(value))[1];
  }

  async #pack(value: unknown): Promise<Packed> {
    const [type, body] = await this.serde.dumpsTyped(value);
    return { type, body };
  }

  #load({ type, body }: Packed): Promise<unknown> {
    return this.serde.loadsTyped(type, body);
  }
}

/** Delta channels that were ever written and have no snapshot in this checkpoint. */
function deltaChannels(checkpoint: Checkpoint, metadata: CheckpointMetadata): string[] {
  return Object.keys(metadata.counters_since_delta_snapshot ?? {}).filter(
    (name) => name in checkpoint.channel_versions && !(name in checkpoint.channel_values),
  );
}

function matches(metadata: CheckpointMetadata | undefined, filter: Record<string, unknown> | undefined): boolean {
  const facts = metadata as Record<string, unknown> | undefined; // Filters may name any key.
  return Object.entries(filter ?? {}).every(([key, value]) => facts?.[key] === value);
}

function placeOf(config: RunnableConfig): Place | undefined {
  const { thread_id, checkpoint_ns } = config.configurable ?? {};
  return thread_id === undefined ? undefined : { thread: String(thread_id), ns: String(checkpoint_ns ?? "") };
}

function requirePlace(config: RunnableConfig, what: string): Place {
  const at = placeOf(config);
  if (!at) throw new Error(`Cannot ${what}: the config has no thread_id.`);
  return at;
}

function idOf(config: RunnableConfig): string | undefined {
  const id: unknown = config.configurable?.checkpoint_id ?? config.configurable?.thread_ts;
  return id === undefined || id === "" ? undefined : String(id);
}

function configOf({ thread, ns }: Place, id?: string): RunnableConfig {
  const at = { thread_id: thread, checkpoint_ns: ns };
  return { configurable: id === undefined ? at : { ...at, checkpoint_id: id } };
}
