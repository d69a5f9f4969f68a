/** How many messages a second go through the door, and what each costs the shared store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { openRedisState } from "../src/state/redis.ts";
import { openSqliteState } from "../src/state/sqlite.ts";
import type { Store } from "../src/state/store.ts";
import { openBridge, silent } from "../test/support/bridge.ts";
import { inboundOf } from "../test/support/fake-channel.ts";
import { privateRedis } from "../test/support/redis.ts";
import { print } from "./print.ts";

const MESSAGES = 500;
const CHATS = 50;

export async function benchMessages(): Promise<void> {
  print(`${MESSAGES} messages in ${CHATS} chats    accepted/s   answered/s`);
  const folder = mkdtempSync(join(tmpdir(), "planbridge-bench-"));
  const file = openSqliteState({ path: join(folder, "bench.db"), keepDays: 30, log: silent });
  await measure("sqlite, on disk", file.store);
  rmSync(folder, { recursive: true });
  const redis = await privateRedis();
  try {
    const shared = await openRedisState({ url: redis.url, cluster: [], prefix: "bench", keepDays: 30, log: silent });
    const commands = await counted(redis.url, () => measure("Redis, on loopback", shared.store));
    print(`  Redis commands for one message, door to answer: ${(commands / MESSAGES).toFixed(1)}`);
  } finally {
    await redis.dispose();
  }
}

async function measure(name: string, store: Store): Promise<void> {
  const bridge = await openBridge({ store });
  const begun = performance.now();
  const inbounds = Array.from({ length: MESSAGES }, (_, n) =>
    inboundOf(`message ${n}`, { at: { channel: "slack", account: "T1", chat: `C${n % CHATS}`, thread: "1.1" } }),
  );
  await Promise.all(inbounds.map((inbound) => bridge.core.door.accept(inbound)));
  const accepted = performance.now() - begun;
  while (bridge.channel.messages.length < MESSAGES) await new Promise((resolve) => setTimeout(resolve, 5));
  const answered = performance.now() - begun;
  await bridge.close();
  await store.close();
  print(`  ${name.padEnd(28)} ${perSecond(accepted)} ${perSecond(answered)}`);
}

const perSecond = (ms: number) =>
  Math.round(MESSAGES / (ms / 1000))
    .toString()
    .padStart(12);

/** Commands that clients sent; those inside scripts are part of one. */
async function counted(url: string, work: () => Promise<void>): Promise<number> {
  const client = new Redis(url);
  const monitor = await client.monitor();
  let count = 0;
  monitor.on("monitor", (_time: string, _args: string[], source: string) => {
    if (source !== "lua") count += 1;
  });
  await work();
  // The monitor hears of a command a little after its client.
  await client.ping();
  monitor.disconnect();
  client.disconnect();
  return count;
}
