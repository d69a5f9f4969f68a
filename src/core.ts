/** The bridge's own parts wired together; channels, state and agent are handed in. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Address, Channel, Door } from "../channels/channel.ts";
import type { Config } from "../config/schema.ts";
import type { Knowledge } from "./agent/knowledge.ts";
import { createBridge } from "./bridge.ts";
import { messageOf } from "./errors.ts";
import { ShuttingDown } from "./execution.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { Log } from "./log.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { startRecovery } from "./recovery.ts";
import { createRuns } from "./runs.ts";
import { createSeen } from "./seen.ts";
import { type LiveSettings, openSettings } from "./settings.ts";
import type { Store } from "./state/store.ts";
import type { Agent } from "./types.ts";
import { createUploads } from "./uploads.ts";

export interface CoreDeps {
  config(): Config;
  root: string;
  store: Store;
  agent: Agent;
  /** Looked up at each use: a reload may replace it. */
  knowledge(): Knowledge;
  channel(at: Address): Channel;
  reload(): Promise<string[]>;
  /** Told when a platform refused the token. */
  onAuthFailure?(at: Address): void;
  log: Log;
  now(): number;
}

export interface Core {
  door: Door;
  lanes: Lanes;
  outbox: Outbox;
  settings: LiveSettings;
  /** Takes no new work and hands over what does not finish in time. */
  close(graceMs: number): Promise<void>;
}

/** A dead worker's sessions are found within one lease and one sweep. */
const LONGEST_SWEEP_MS = 5_000;

export async function createCore(deps: CoreDeps): Promise<Core> {
  const { config, root, store, agent, channel, log, now } = deps;
  const settings = await openSettings(store, log);
  const outbox = createOutbox({ channel, store, settings, log, now, onAuthFailure });
  const uploads = createUploads({ root, dir: config().workspace.dir, channel, maxBytes, outbox, store, log });
  const seen = createSeen({ config, settings, channel, log });
  const runs = createRuns({ config, root, store, settings, agent, outbox, uploads, seen, channel, log, now });
  const leaseMs = config().state.lease_seconds * 1_000;
  const lanes = createLanes({
    store,
    owner: `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`,
    leaseMs,
    concurrency: config().runs.concurrency,
    sweepMs: Math.min(leaseMs, LONGEST_SWEEP_MS),
    work: runs.work,
    renewed: async ({ session, id }) => {
      if ((await store.run(session, id))?.stop) runs.stop(id);
    },
    log,
    now,
  });
  const door = createBridge({ ...deps, settings, lanes, runs, outbox, seen });
  const unsubscribe = store.subscribe((signal) => {
    if (signal.kind === "wake") lanes.kick(signal.session);
    if (signal.kind === "stop") runs.stop(signal.run);
    if (signal.kind === "settings")
      settings.reload().catch((error) => log.warn({ error: messageOf(error) }, "settings stale"));
  });
  const stopRecovery = startRecovery({ config, store, runs, lanes, log, now });

  function onAuthFailure(at: Address): void {
    log.error({ channel: at.channel }, "the platform refused the token: this channel is down until it is replaced");
    deps.onAuthFailure?.(at);
  }

  function maxBytes(at: Address): number {
    return config().channels[at.channel].max_upload_mb * 1_000_000;
  }

  return {
    door,
    lanes,
    outbox,
    settings,
    async close(graceMs) {
      await lanes.close(graceMs, new ShuttingDown("the bridge shuts down"));
      stopRecovery();
      unsubscribe();
    },
  };
}
