/** Puts the parts together. Starts nothing by itself: `main.ts` does. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Address, Channel, ChannelStatus, Door } from "../channels/channel.ts";
import { ChannelError } from "../channels/errors.ts";
import { openChannels } from "../channels/index.ts";
import type { TerminalOptions } from "../channels/terminal/adapter.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { type Watching, watchConfig } from "../config/watch.ts";
import { createAgentRuntime } from "./agent/agent.ts";
import { createParts } from "./agent/parts-all.ts";
import { createBridge } from "./bridge.ts";
import { nativeCommands } from "./commands/index.ts";
import { messageOf, OperatorError } from "./errors.ts";
import { ShuttingDown } from "./execution.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { Log } from "./log.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { startRecovery } from "./recovery.ts";
import { createRuns, type Runs } from "./runs.ts";
import { type LiveSettings, openSettings } from "./settings.ts";
import { openState, type State } from "./state/open.ts";
import { createUploads } from "./uploads.ts";

export interface App {
  config(): Config;
  state: State;
  settings: LiveSettings;
  outbox: Outbox;
  lanes: Lanes;
  channels: Channel[];
  /** Connects every channel. Rejects when none can start. */
  start(): Promise<void>;
  /** Takes no new work, hands over what does not finish in time, disconnects. Safe to call twice. */
  stop(): Promise<void>;
  /** Reads the config file again; the problems if it is refused, and the old one stays. */
  reload(): Promise<string[]>;
  statuses(): Record<string, ChannelStatus>;
  /** Reloads when the config file changes. */
  watch(): Watching;
  onlyTerminal(): boolean;
  door: Door;
}

export interface AppOptions {
  loaded: LoadedConfig;
  root: string;
  log: Log;
  terminal?: TerminalOptions;
  now?: () => number;
}

export async function createApp({ loaded, root, log, terminal, now = Date.now }: AppOptions): Promise<App> {
  let config = loaded.config;
  const current = () => config;
  const state = await openState(config.state, { root, log });
  const { store } = state;
  const settings = await openSettings(store, log);
  const open = await openChannels(config, { log, now }, terminal);
  const channel = (at: Address) => findChannel(open, at);
  const outbox = createOutbox({
    channel,
    store,
    settings,
    log,
    now,
    onAuthFailure: ({ channel: name }) => authFailed(name),
  });
  const parts = createParts(config, { root, log, store, now });
  const agent = createAgentRuntime({ config, root, checkpointer: state.checkpointer, log, parts, now });
  const uploads = createUploads({
    root,
    dir: config.workspace.dir,
    channel,
    maxBytes: (at) => uploadLimit(config, at),
    log,
  });
  const runs: Runs = createRuns({ config: current, store, settings, agent, outbox, uploads, channel, log, now });
  const lanes = createLanes({
    store,
    owner: `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`,
    leaseMs: config.state.lease_seconds * 1_000,
    concurrency: config.runs.concurrency,
    sweepMs: 5_000,
    work: runs.work,
    log,
    now,
  });

  function authFailed(name: string): void {
    log.error({ channel: name }, "the platform refused the token: this channel is down until the token is replaced");
  }

  async function reload(): Promise<string[]> {
    try {
      const { config: next, warnings } = loadConfig({ path: loaded.source, root });
      config = next;
      for (const warning of warnings) log.warn({}, warning);
      log.info({ source: loaded.source }, "config reloaded");
      return [];
    } catch (error) {
      log.warn({ error: messageOf(error) }, "config refused, the old one stays");
      return messageOf(error).split("\n");
    }
  }

  const door = createBridge({
    config: current,
    store,
    settings,
    lanes,
    runs,
    outbox,
    knowledge: parts.knowledge,
    skillNames: async () => (await parts.knowledge.skills()).map(({ name }) => name),
    reload,
    log,
    now,
  });
  const unsubscribe = store.subscribe((signal) => {
    if (signal.kind === "wake") lanes.kick(signal.session);
    if (signal.kind === "stop") runs.stop(signal.run);
    if (signal.kind === "settings")
      settings.reload().catch((error) => log.warn({ error: messageOf(error) }, "settings stale"));
  });
  const stopRecovery = startRecovery({ config: current, store, runs, lanes, log, now });
  let stopping: Promise<void> | undefined;

  async function start(): Promise<void> {
    const started = await Promise.allSettled(open.map(({ channel: it }) => startOne(it)));
    const failed = started.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
    for (const reason of failed) log.error({}, reason);
    if (open.length === 0) throw new OperatorError("No channel is enabled: set `enabled: true` under `channels`.");
    if (failed.length === open.length) throw new OperatorError(`No channel could start.\n${failed.join("\n")}`);
  }

  async function startOne(it: Channel): Promise<void> {
    await it.start(door);
    log.info({ channel: it.name }, "channel is up");
    await it.commands?.(nativeCommands()).catch((error) => {
      log.warn({ channel: it.name, error: messageOf(error) }, "native commands not registered");
    });
  }

  async function stop(): Promise<void> {
    await lanes.close(config.runs.shutdown_seconds * 1_000, new ShuttingDown("the bridge shuts down"));
    stopRecovery();
    unsubscribe();
    await Promise.allSettled(open.map(({ channel: it }) => it.stop()));
    await agent.close();
    await state.close();
  }

  return {
    config: current,
    state,
    settings,
    outbox,
    lanes,
    channels: open.map(({ channel: it }) => it),
    start,
    stop: () => (stopping ??= stop()),
    reload,
    watch: () => watchConfig(loaded.source, () => void reload()),
    onlyTerminal: () => open.every(({ channel: it }) => it.name === "terminal"),
    door,
    statuses: () => Object.fromEntries(open.map(({ bot, channel: it }) => [label(it.name, bot), it.status()])),
  };
}

function label(name: string, bot: string | undefined): string {
  return bot === undefined ? name : `${name}~${bot}`;
}

function findChannel(open: { bot: string | undefined; channel: Channel }[], at: Address): Channel {
  const found = open.find(({ bot, channel }) => channel.name === at.channel && bot === at.bot);
  if (found) return found.channel;
  throw new ChannelError({
    code: "chat_gone",
    message: `The channel ${label(at.channel, at.bot)} is not enabled here.`,
  });
}

function uploadLimit(config: Config, at: Address): number {
  return config.channels[at.channel].max_upload_mb * 1_000_000;
}
