/** The real core and a real adapter against an emulated platform; only the agent is scripted. */
import { config as schema } from "../../config/schema.ts";
import { type Core, createCore } from "../../src/core.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";
import type { Store } from "../../src/state/store.ts";
import { silent } from "./bridge.ts";
import type { ChannelDriver } from "./drivers/driver.ts";
import { createScriptedAgent, type ScriptedAgent } from "./scripted-agent.ts";

export interface LiveBridge {
  driver: ChannelDriver;
  core: Core;
  agent: ScriptedAgent;
  store: Store;
  close(): Promise<void>;
}

export interface LiveOptions {
  /** Of this channel. */
  channel?: object;
  rest?: object;
  root?: string;
  store?: Store;
}

export async function openLive(driver: ChannelDriver, options: LiveOptions = {}): Promise<LiveBridge> {
  const { channel } = driver;
  const own = { enabled: true, allowed_users: ["*"], ...options.channel };
  const config = schema.parse({ channels: { [channel.name]: own }, ...options.rest });
  const store = options.store ?? openSqliteState({ path: ":memory:", keepDays: 30, log: silent, now: Date.now }).store;
  const agent = createScriptedAgent();
  const core = await createCore({
    config: () => config,
    root: options.root ?? "/nonexistent",
    store,
    agent,
    knowledge: () => ({
      skills: async () => [],
      agents: async () => [],
      facts: async () => [],
      forgetFact: async () => false,
      clearFacts: async () => undefined,
    }),
    channel: () => channel,
    reload: async () => [],
    log: { ...driver.log, child: () => ({ ...silent, ...driver.log }) },
    now: Date.now,
  });
  await channel.start(core.door);
  return {
    driver,
    core,
    agent,
    store,
    async close() {
      await core.close(0);
      await driver.close();
      await store.close();
    },
  };
}
