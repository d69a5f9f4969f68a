/** Opens state, agent and channels, and puts the core between them. Starts nothing by itself: `main.ts` does. */
import type { Address, Channel, ChannelStatus, Door } from "../channels/channel.ts";
import { ChannelError } from "../channels/errors.ts";
import { type OpenChannel, openChannels } from "../channels/index.ts";
import type { TerminalOptions } from "../channels/terminal/adapter.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { type Watching, watchConfig } from "../config/watch.ts";
import { createAgentRuntime } from "./agent/agent.ts";
import { createParts } from "./agent/parts-all.ts";
import { nativeCommands } from "./commands/index.ts";
import { createCore } from "./core.ts";
import { messageOf, OperatorError } from "./errors.ts";
import type { OperatorCall } from "./gateway/control.ts";
import type { Lanes } from "./lanes.ts";
import type { Log } from "./log.ts";
import { createNotices } from "./notices.ts";
import { operate } from "./operator.ts";
import { openState } from "./state/open.ts";
import type { State } from "./state/state.ts";
import { words } from "./words.ts";

export interface App {
  config(): Config;
  state: State;
  lanes: Lanes;
  door: Door;
  /** Connects every channel. Rejects when none can start. */
  start(): Promise<void>;
  /** Takes no new work, hands over what does not finish in time, disconnects. Safe to call twice. */
  stop(): Promise<void>;
  /** Reads the config file again; the problems if it is refused, and the old one stays. */
  reload(): Promise<string[]>;
  /** Reloads when the config file changes. */
  watch(): Watching;
  statuses(): Record<string, ChannelStatus>;
  /** Carries out what an operator asks from the command line. */
  operate(call: OperatorCall): Promise<unknown>;
}

export interface AppOptions {
  loaded: LoadedConfig;
  root: string;
  log: Log;
  terminal?: TerminalOptions;
  now?: () => number;
}

const RESTART_MS = 2_000;
const LONGEST_RESTART_MS = 5 * 60_000;

export async function createApp({ loaded, root, log, terminal, now = Date.now }: AppOptions): Promise<App> {
  let config = loaded.config;
  const current = () => config;
  const state = await openState(config.state, { root, log });
  const { store, checkpointer } = state;
  const open = await openChannels(config, { log, now }, terminal);
  let parts = createParts(config, { root, log, now, memory: store });
  const agent = createAgentRuntime({
    get config() {
      return config;
    },
    get parts() {
      return parts;
    },
    root,
    checkpointer,
    log,
    warn: (text) => notices.tellAdmins(text),
    now,
  });
  const channel = (at: Address) => findChannel(open, at);
  const core = await createCore({
    config: current,
    root,
    store,
    agent,
    knowledge: () => parts.knowledge,
    channel,
    reload,
    onAuthFailure: (at) => notices.tellAdmins(words.tokenRefused(label(at.channel, at.bot)), at),
    log,
    now,
  });
  const notices = createNotices({ config: current, settings: core.settings, outbox: core.outbox, store, open, log });
  let stopping: Promise<void> | undefined;

  async function reload(): Promise<string[]> {
    try {
      const next = loadConfig({ path: loaded.source, root });
      const old = parts;
      config = next.config;
      parts = createParts(config, { root, log, now, memory: store });
      await old.close();
      for (const warning of next.warnings) log.warn({}, warning);
      log.info({ source: loaded.source }, "config reloaded");
      return [];
    } catch (error) {
      log.warn({ error: messageOf(error) }, "config refused, the old one stays");
      return messageOf(error).split("\n");
    }
  }

  /** Nobody asked for it, so nobody reads the problems unless they are told. */
  async function reloadAndTell(): Promise<string[]> {
    const problems = await reload();
    if (problems.length > 0) notices.tellAdmins(words.configRefused(problems));
    return problems;
  }

  async function start(): Promise<void> {
    if (open.length === 0) throw new OperatorError("No channel is enabled: set `enabled: true` under `channels`.");
    const started = await Promise.allSettled(open.map((it) => startOne(it)));
    const failed = started.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
    if (failed.length === open.length) throw new OperatorError(failed.join("\n"));
    started.forEach((result, index) => {
      if (result.status === "rejected") startLater(open[index] as OpenChannel, result.reason, 1);
    });
  }

  /** A platform that cannot be reached yet is tried again; one that refuses the token waits for the operator. */
  function startLater(it: OpenChannel, reason: unknown, attempt: number): void {
    log.error({ channel: it.channel.name, error: messageOf(reason) }, "channel did not start");
    if (reason instanceof ChannelError && reason.code === "auth")
      notices.tellAdmins(words.tokenRefused(label(it.channel.name, it.bot)));
    if (!(reason instanceof ChannelError) || reason.code !== "unavailable" || stopping) return;
    const wait = Math.min(RESTART_MS * 2 ** attempt, LONGEST_RESTART_MS);
    setTimeout(() => {
      if (!stopping) startOne(it).catch((error) => startLater(it, error, attempt + 1));
    }, wait).unref();
  }

  async function startOne({ channel: it }: OpenChannel): Promise<void> {
    await it.start(core.door);
    log.info({ channel: it.name }, "channel is up");
    await it.commands?.(nativeCommands()).catch((error) => {
      log.warn({ channel: it.name, error: messageOf(error) }, "native commands not registered");
    });
  }

  async function stop(): Promise<void> {
    notices.close();
    await core.close(config.runs.shutdown_seconds * 1_000);
    await Promise.allSettled(open.map(({ channel: it }) => it.stop()));
    await agent.close();
    await store.close();
  }

  return {
    config: current,
    state,
    lanes: core.lanes,
    door: core.door,
    start,
    stop: () => (stopping ??= stop()),
    reload: reloadAndTell,
    watch: () => watchConfig(loaded.source, () => void reloadAndTell()),
    operate: (call) => operate(store, core.settings, call),
    statuses: () => Object.fromEntries(open.map(({ bot, channel: it }) => [label(it.name, bot), it.status()])),
  };
}

function label(name: string, bot: string | undefined): string {
  return bot === undefined ? name : `${name}+${bot}`;
}

function findChannel(open: OpenChannel[], at: Address): Channel {
  const found = open.find(({ bot, channel }) => channel.name === at.channel && bot === at.bot);
  if (found) return found.channel;
  throw new ChannelError({
    code: "chat_gone",
    message: `The channel ${label(at.channel, at.bot)} is not enabled here.`,
  });
}
