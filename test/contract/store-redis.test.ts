/** What only the shared store has: its partitions, its cost, expiry, lost replies and clocks. */
import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { createLog } from "../../src/log.ts";
import { openRedisState } from "../../src/state/redis.ts";
import { PARTITIONS, partitionOf, redisKeys } from "../../src/state/redis-keys.ts";
import type { State } from "../../src/state/state.ts";
import { freshPrefix, type PrivateRedis, privateRedis, sharedRedisUrl } from "../support/redis.ts";
import { type RedisProxy, redisProxy } from "../support/redis-proxy.ts";
import { aChat, approval, LEASE, parked, question, running, T0, take } from "./store-fixtures.ts";

const log = createLog({ level: "silent" });
const DAY = 24 * 60 * 60_000;

function open(url: string, prefix = freshPrefix()): Promise<State> {
  return openRedisState({ url, cluster: [], prefix, keepDays: 30, log });
}

describe("the partition of a session", () => {
  it("depends on the chat alone, so that all state of a chat is together", () => {
    const partition = partitionOf("slack/T1/C1");
    expect(partitionOf("slack/T1/C1/100.1")).toBe(partition);
    expect(partitionOf("slack/T1/C1/100.1/~U1")).toBe(partition);
    expect(redisKeys("pb").ofSession("slack/T1/C1/1").session).toContain(`{pb:${String(partition).padStart(2, "0")}}`);
  });

  it("spreads chats over all 64", () => {
    const hit = new Set(Array.from({ length: 2_000 }, (_, index) => partitionOf(`slack/T1/C${index}`)));
    expect(hit.size).toBe(PARTITIONS);
  });

  it("cannot be moved by braces in the prefix", () => {
    expect(redisKeys("{x}").ofSession("slack/T1/C1").session).toMatch(/^\{_x_:\d\d\}:/);
  });
});

describe("the cost in commands", () => {
  const commands: string[] = [];
  let state: State;
  let watcher: Redis;
  let monitor: Redis;

  beforeAll(async () => {
    state = await open(sharedRedisUrl());
    await state.store.lookup(aChat().session);
    // Scripts are loaded with their first use; what counts is every use after it.
    await wholeRun(await running(state.store));
    watcher = new Redis(sharedRedisUrl());
    monitor = await watcher.monitor();
    monitor.on("monitor", (_time: string, args: string[], source: string) => {
      if (source !== "lua") commands.push(args.join(" "));
    });
  });

  afterAll(async () => {
    monitor.disconnect();
    watcher.disconnect();
    await state.store.close();
  });

  async function wholeRun({ session, run }: { session: string; run: { id: string } }): Promise<void> {
    await state.store.saveRun(session, run.id, { todos: [], posting: undefined });
    await state.store.renew(session, "w1", LEASE, T0);
    await state.store.finish(session, run.id, "w1", "done", T0);
    await state.store.begin(session, "w1", LEASE, T0);
  }

  /** Commands that clients sent about `chat` while `work` went on. */
  async function sent(chat: string, work: () => Promise<unknown>): Promise<string[]> {
    await caughtUp();
    commands.length = 0;
    await work();
    await caughtUp();
    return commands.filter((command) => command.includes(chat));
  }

  /** The monitor hears of commands a little after their clients have their replies. */
  async function caughtUp(): Promise<void> {
    const mark = `mark ${randomUUID()}`;
    await watcher.call("ECHO", mark);
    await expect.poll(() => commands.some((command) => command.includes(mark)), { interval: 5 }).toBe(true);
  }

  it("is one for a message that is not for us", async () => {
    const { session } = aChat();
    expect(await sent(session, () => state.store.lookup(session))).toHaveLength(1);
    const ref = { at: aChat().run().inbound.at, id: "m1" };
    expect(await sent(session, () => state.store.lookup(session, ref))).toHaveLength(1);
  });

  it("is three for a message that starts a run", async () => {
    const chat = aChat();
    const start = async () => {
      await state.store.lookup(chat.session);
      await state.store.accept(chat.run());
      await take(state.store, chat.session);
    };
    expect(await sent(chat.session, start)).toHaveLength(3);
  });

  it("is one for each save, renewal and end of a run", async () => {
    const work = await running(state.store);
    expect(await sent(work.session, () => wholeRun(work))).toHaveLength(4);
  });
});

describe("expiry", () => {
  it("covers every key of a chat whose work is done, and of its checkpoints", async () => {
    const prefix = freshPrefix();
    const { store, checkpointer } = await open(sharedRedisUrl(), prefix);
    const { session, run, chat } = await running(store);
    await store.steer(session, run.id, { id: "s1", text: "x", speaker: { id: "U1", name: "Ann" } });
    await store.ackSteers(session, run.id, ["s1"]);
    await store.remember({ at: run.inbound.at, id: "m1" }, session);
    await store.park(session, run.id, "w1", question);
    await store.answer(session, run.id, "a1", approval);
    await take(store, session);
    const dropped = chat.run();
    await store.accept(dropped);
    await store.drop(session, dropped.id, "stopped", T0);
    await store.finish(session, run.id, "w1", "done", T0);
    await store.begin(session, "w1", LEASE, T0);
    await store.overrideSession(session, { is_plan_mode: true }, T0);
    await store.put("code", 1, DAY);
    await store.once("press", DAY);
    await store.count("spent", 5, DAY);
    await store.take("pace", 2, 60_000, Date.now());
    const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
    const metadata = { source: "loop" as const, step: 0, parents: {} };
    const checkpoint = {
      v: 4,
      id: "1",
      ts: "",
      channel_values: { a: 1 },
      channel_versions: { a: 1 },
      versions_seen: {},
    };
    await checkpointer.putWrites(await checkpointer.put(config, checkpoint, metadata, { a: 1 }), [["a", 2]], "task");

    const redis = new Redis(sharedRedisUrl());
    const keys = await redis.keys(`*${prefix}*`);
    const forever = [];
    for (const key of keys) if ((await redis.pttl(key)) < 0) forever.push(key.replace(/^.*\}:/, ""));
    redis.disconnect();
    await store.close();
    expect(keys.length).toBeGreaterThan(15);
    expect(forever).toEqual(["sessions"]);
  });

  it("spares a session as long as it has work", async () => {
    const prefix = freshPrefix();
    const { store } = await open(sharedRedisUrl(), prefix);
    const { session } = await parked(store);
    await store.overrideSession(session, { is_plan_mode: true }, T0);
    const redis = new Redis(sharedRedisUrl());
    const ttl = await redis.pttl(redisKeys(prefix).ofSession(session).session);
    redis.disconnect();
    await store.close();
    expect(ttl).toBe(-1);
  });
});

describe("a command whose reply was lost", () => {
  let server: PrivateRedis;
  let proxy: RedisProxy;
  let state: State;

  beforeAll(async () => {
    server = await privateRedis();
    proxy = await redisProxy(server.port, { secondsAhead: 3_600 });
    state = await open(proxy.url);
    await running(state.store);
  });
  afterAll(async () => {
    await state.store.close();
    proxy.close();
    await server.dispose();
  });

  it("takes the lane once and counts one attempt", async () => {
    const chat = aChat();
    await state.store.accept(chat.run());
    proxy.loseNextReply();
    expect(await take(state.store, chat.session)).toMatchObject({ attempt: 1, status: "running" });
    expect(proxy.lost()).toBe(1);
  });

  it("is still the first to do what happens once", async () => {
    proxy.loseNextReply();
    expect(await state.store.once("press", DAY)).toBe(true);
    expect(await state.store.once("press", DAY)).toBe(false);
    expect(proxy.lost()).toBe(2);
  });

  it("parks and finishes once", async () => {
    const { session, run } = await running(state.store);
    proxy.loseNextReply();
    expect(await state.store.park(session, run.id, "w1", question)).toBe(true);
    await state.store.answer(session, run.id, "a1", approval);
    await take(state.store, session);
    proxy.loseNextReply();
    expect(await state.store.finish(session, run.id, "w1", "done", T0)).toBe("finished");
    expect(proxy.lost()).toBe(4);
  });

  it("leaves leases to Redis's clock, which here is an hour ahead of this worker's", async () => {
    const { store } = await open(server.url, "clock");
    const { store: behind } = await open(proxy.url, "clock");
    const chat = aChat();
    await store.accept(chat.run());
    await take(store, chat.session, "w1", Date.now() + 3_600_000);
    expect(await behind.begin(chat.session, "w2", LEASE, Date.now())).toEqual({ kind: "busy" });
    expect(await behind.begin(chat.session, "w2", LEASE, Date.now() + LEASE + 1_000)).toMatchObject({ kind: "run" });
    await Promise.all([store.close(), behind.close()]);
  });
});
