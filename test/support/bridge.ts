/** The whole bridge but for platform and model: real store, real lanes, real policy. */
import { type Config, config as schema } from "../../config/schema.ts";
import { type Core, createCore } from "../../src/core.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";
import type { Store } from "../../src/state/store.ts";
import { createFakeChannel, type FakeChannel } from "./fake-channel.ts";
import { createScriptedAgent, type ScriptedAgent } from "./scripted-agent.ts";

export const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

export interface TestBridge {
  core: Core;
  channel: FakeChannel;
  agent: ScriptedAgent;
  store: Store;
  setConfig(config: Config): void;
  close(): Promise<void>;
}

export interface BridgeOptions {
  slack?: object;
  rest?: object;
  channel?: FakeChannel;
  agent?: ScriptedAgent;
  store?: Store;
  now?: () => number;
}

export function slackConfig(slack: object = {}, rest: object = {}): Config {
  return schema.parse({ channels: { slack: { enabled: true, allowed_users: ["*"], ...slack } }, ...rest });
}

export async function openBridge(options: BridgeOptions = {}): Promise<TestBridge> {
  let config = slackConfig(options.slack, options.rest);
  const channel = options.channel ?? createFakeChannel();
  const agent = options.agent ?? createScriptedAgent();
  const now = options.now ?? Date.now;
  const store = options.store ?? openSqliteState({ path: ":memory:", keepDays: 30, log: silent, now }).store;
  const core = await createCore({
    config: () => config,
    root: "/nonexistent",
    store,
    agent,
    knowledge: () => ({
      skills: async () => [{ name: "weekly-report", description: "writes the weekly report" }],
      agents: async () => [{ name: "writer", description: "writes" }],
      facts: async () => [],
      forgetFact: async () => false,
      clearFacts: async () => undefined,
    }),
    channel: () => channel,
    reload: async () => [],
    log: silent,
    now,
  });
  await channel.start(core.door);
  return {
    core,
    channel,
    agent,
    store,
    setConfig(next) {
      config = next;
    },
    async close() {
      await core.close(0);
      if (!options.store) await store.close();
    },
  };
}
