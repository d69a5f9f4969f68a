/** Redis commands per message, counted at the server while the whole bridge is at work. */
import { Redis } from "ioredis";
import { openRedisState } from "../../src/state/redis.ts";
import type { State } from "../../src/state/state.ts";
import { openBridge, silent, type TestBridge } from "../support/bridge.ts";
import { freshPrefix, type PrivateRedis, privateRedis } from "../support/redis.ts";

let redis: PrivateRedis;
let state: State;
let bridge: TestBridge;
let watcher: Redis;
let monitor: Redis;
const seen: string[] = [];

beforeAll(async () => {
  redis = await privateRedis();
  state = await openRedisState({ url: redis.url, cluster: [], prefix: freshPrefix(), keepDays: 1, log: silent });
  bridge = await openBridge({ store: state.store });
  // The first run loads the scripts; what counts is every one after it.
  await bridge.channel.say("warm up");
  await vi.waitFor(() => expect(bridge.agent.requests).toHaveLength(1));
  await bridge.core.lanes.idle();
  watcher = new Redis(redis.url);
  monitor = await watcher.monitor();
  monitor.on("monitor", (_time: string, args: string[], source: string) => {
    if (source !== "lua") seen.push(args.join(" "));
  });
});
afterAll(async () => {
  monitor.disconnect();
  watcher.disconnect();
  await bridge.close();
  await state.store.close();
  await redis.dispose();
});

/** Commands about `chat`, up to a mark that the monitor has passed. */
async function sentAbout(chat: string): Promise<string[]> {
  await watcher.call("ECHO", `mark-${chat}`);
  await expect.poll(() => seen.some((command) => command.includes(`mark-${chat}`)), { interval: 5 }).toBe(true);
  return seen.filter((command) => command.includes(`/${chat}`));
}

const at = (chat: string) => ({ channel: "slack", account: "T1", chat, thread: "1.1" }) as const;

describe("Redis commands", () => {
  it("are at most four from a message to the begin of its run", async () => {
    let atBegin: Promise<string[]> = Promise.resolve([]);
    bridge.agent.script(async function* () {
      atBegin = sentAbout("C500");
      await atBegin;
      yield { type: "done", text: "ok" };
    });
    await bridge.channel.say("do it", { at: at("C500") });
    await vi.waitFor(async () => expect((await atBegin).length).toBeGreaterThan(0));
    expect((await atBegin).length).toBeLessThanOrEqual(4);
  });

  it("are one for a message in a thread that is not ours, and none outside of threads", async () => {
    await bridge.channel.say("just talking", { addressed: false, at: at("C501") });
    expect(await sentAbout("C501")).toHaveLength(1);
    await bridge.channel.say("just talking", { addressed: false, at: { ...at("C502"), thread: undefined } });
    expect(await sentAbout("C502")).toHaveLength(0);
  });
});
