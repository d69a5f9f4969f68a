/** Old checkpoints go, and what a conversation needs stays: with a real graph, a delta channel and an interrupt. */
import {
  Annotation,
  Command,
  DeltaChannel,
  END,
  interrupt,
  isInterrupted,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { createLog } from "../../src/log.ts";
import type { StoredCheckpoints } from "../../src/state/checkpoints.ts";
import { needed } from "../../src/state/checkpoints-prune.ts";
import { openRedisState } from "../../src/state/redis.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";
import type { State } from "../../src/state/state.ts";
import { freshPrefix, privateCluster, sharedRedisUrl } from "../support/redis.ts";

const log = createLog({ level: "silent" });

/** Counts to `until`, noting each number in a delta channel; asks at every full ten if `asks`. */
function counter(checkpointer: StoredCheckpoints, until: number, asks = false) {
  const state = Annotation.Root({
    count: Annotation<number>({ reducer: (_old, next) => next, default: () => 0 }),
    big: Annotation<string>({ reducer: (_old, next) => next, default: () => "" }),
    notes: () =>
      new DeltaChannel<number[], number[]>((old, writes) => [...old, ...writes.flat()], { snapshotFrequency: 7 }),
  });
  return new StateGraph(state)
    .addNode("step", ({ count }) => {
      if (asks && count % 10 === 9) interrupt({ at: count });
      return { count: count + 1, notes: [count + 1], ...(count === 0 ? { big: "kept from the first step" } : {}) };
    })
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ count }) => (count < until ? "step" : END))
    .compile({ checkpointer });
}

const numbers = (until: number) => Array.from({ length: until }, (_, index) => index + 1);
const configOf = (thread_id: string) => ({
  configurable: { thread_id },
  recursionLimit: 500,
  durability: "sync" as const,
});

async function ids(checkpointer: StoredCheckpoints, thread_id: string, checkpoint_ns?: string): Promise<string[]> {
  const found: string[] = [];
  for await (const tuple of checkpointer.list({ configurable: { thread_id, checkpoint_ns } }))
    found.push(tuple.checkpoint.id);
  return found;
}

prunes("embedded checkpoints", async () => openSqliteState({ path: ":memory:", keepDays: 30, log }));
prunes("Redis checkpoints", () => openRedis([sharedRedisUrl()]));

let cluster: Awaited<ReturnType<typeof privateCluster>> | undefined;
prunes("Redis checkpoints on a Cluster", async () => {
  cluster = await privateCluster();
  return openRedis(cluster.urls);
});
afterAll(() => cluster?.dispose());

function openRedis([url = "", ...seeds]: string[]): Promise<State> {
  return openRedisState({ url, cluster: seeds, prefix: freshPrefix(), keepDays: 30, log });
}

function prunes(name: string, open: () => Promise<State>): void {
  describe(name, () => {
    let state: State;
    beforeAll(async () => {
      state = await open();
    });
    afterAll(() => state.store.close());

    it("stay few over a long run, and the whole history can still be rebuilt", async () => {
      const { checkpointer } = state;
      const config = configOf("slack/T1/C#1:2.3/%7B#0");
      await counter(checkpointer, 180).invoke({}, config);
      expect((await ids(checkpointer, config.configurable.thread_id)).length).toBeLessThan(80);
      await checkpointer.prune(config.configurable.thread_id, 1);
      expect((await ids(checkpointer, config.configurable.thread_id)).length).toBeLessThanOrEqual(8);
      const { values } = await counter(checkpointer, 180).getState(config);
      expect(values).toEqual({ count: 180, notes: numbers(180), big: "kept from the first step" });
    });

    it("resume an interrupted run that was pruned to the least", async () => {
      const { checkpointer } = state;
      const config = configOf("interrupted");
      let result: unknown = await counter(checkpointer, 25, true).invoke({}, config);
      for (let answers = 0; isInterrupted(result); answers += 1) {
        expect(answers).toBeLessThan(3);
        await checkpointer.prune("interrupted", 1);
        result = await counter(checkpointer, 25, true).invoke(new Command({ resume: true }), config);
      }
      expect(result).toMatchObject({ count: 25, notes: numbers(25) });
    });

    it("of subgraph calls go with the checkpoint that called them", async () => {
      const { checkpointer } = state;
      const inner = counterGraph();
      const outer = new StateGraph(Annotation.Root({ turns: Annotation<number>() }))
        .addNode("call", async ({ turns }) => {
          await inner.invoke({ turns: 0 });
          return { turns: (turns ?? 0) + 1 };
        })
        .addEdge(START, "call")
        .addConditionalEdges("call", ({ turns }) => (turns < 6 ? "call" : END))
        .compile({ checkpointer });
      await outer.invoke({ turns: 0 }, configOf("nested"));
      const all = await ids(checkpointer, "nested");
      const own = await ids(checkpointer, "nested", "");
      expect(all.length).toBeGreaterThan(own.length);
      await checkpointer.prune("nested", 1);
      expect(await ids(checkpointer, "nested")).toEqual([own[0]]);
    });

    it("are listed over all threads", async () => {
      const { checkpointer } = state;
      const threads = ["all/1#a", "all/2:{b}", "all/3*?"];
      for (const thread of threads) await counter(checkpointer, 1).invoke({}, configOf(thread));
      const found = new Set<string>();
      for await (const tuple of checkpointer.list({})) found.add(tuple.config.configurable?.thread_id);
      expect([...found]).toEqual(expect.arrayContaining(threads));
    });

    it("leave nothing of a deleted thread", async () => {
      const { checkpointer } = state;
      await counter(checkpointer, 5).invoke({}, configOf("gone"));
      await counter(checkpointer, 5).invoke({}, configOf("stays"));
      await checkpointer.deleteThread("gone");
      expect(await ids(checkpointer, "gone")).toEqual([]);
      expect(await checkpointer.getTuple({ configurable: { thread_id: "gone" } })).toBeUndefined();
      expect((await counter(checkpointer, 5).getState(configOf("stays"))).values).toMatchObject({ count: 5 });
    });
  });
}

function counterGraph() {
  return new StateGraph(Annotation.Root({ turns: Annotation<number>() }))
    .addNode("inner", ({ turns }) => ({ turns: turns + 1 }))
    .addEdge(START, "inner")
    .compile({ checkpointer: undefined });
}

describe("what pruning keeps", () => {
  const link = (id: string, parent: string | undefined, refs: Record<string, string>, delta: string[] = []) => ({
    id,
    parent,
    refs,
    delta,
  });

  it("is the newest, and its ancestors back to the value of each delta channel", () => {
    const chain = [
      link("1", undefined, { a: "1", b: "1" }),
      link("2", "1", { b: "2" }, ["a"]),
      link("3", "2", {}, ["a", "b"]),
      link("4", "3", { a: "4" }, ["b"]),
      link("5", "4", {}, ["a", "b"]),
    ];
    const kept = (keep: number) =>
      needed(chain, keep)
        .map(({ id }) => id)
        .toSorted();
    expect(kept(1)).toEqual(["2", "3", "4", "5"]);
    expect(kept(3)).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("follows the path of each fork, not the order of time", () => {
    const forks = [
      link("1", undefined, { a: "1" }),
      link("2", "1", {}, ["a"]),
      link("3", "1", {}, ["a"]),
      link("4", "3", {}, ["a"]),
    ];
    expect(
      needed(forks, 1)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(["1", "3", "4"]);
  });
});
