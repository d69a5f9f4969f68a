/** `--once "text"`: one message through the whole bridge, printed state by state. */
import type { Inbound } from "../channels/channel.ts";
import type { LoadedConfig } from "../config/load.ts";
import { createApp } from "./app.ts";
import type { Log } from "./log.ts";
import { runId } from "./sessions.ts";
import type { RunStatus } from "./types.ts";

interface Start {
  loaded: LoadedConfig;
  root: string;
  log: Log;
}

/** Exit codes by outcome; a run that waits for an answer cannot get one here. */
const EXIT: Record<RunStatus, number> = { done: 0, failed: 1, stopped: 1, lost: 1, waiting: 3, queued: 1, running: 1 };

export async function once(text: string, { loaded, root, log }: Start): Promise<number> {
  const app = await createApp({ loaded: onlyTerminal(loaded), root, log, terminal: { once: text } });
  try {
    const inbound: Inbound = {
      id: `terminal/once/${process.pid}/${Date.now()}`,
      at: { channel: "terminal", account: "local", chat: "local" },
      messageId: "once",
      user: { id: "local", name: "you" },
      kind: "dm",
      addressed: true,
      text,
      attachments: [],
      sentAt: Date.now(),
    };
    await app.start();
    await app.door.accept(inbound);
    await app.lanes.idle();
    const run = await app.state.store.run("terminal/local/local", runId(inbound.id));
    return run ? EXIT[run.status] : 0;
  } finally {
    await app.stop();
  }
}

/** A local file is left alone, so that this works beside a running bridge. */
function onlyTerminal(loaded: LoadedConfig): LoadedConfig {
  const { config } = loaded;
  const off = { enabled: false };
  const { slack, discord, telegram, terminal } = config.channels;
  return {
    ...loaded,
    config: {
      ...config,
      channels: {
        slack: { ...slack, ...off },
        discord: { ...discord, ...off },
        telegram: { ...telegram, ...off },
        terminal: { ...terminal, enabled: true, allowed_users: ["*"] },
      },
      state: config.state.url.startsWith("sqlite:") ? { ...config.state, url: "sqlite::memory:" } : config.state,
    },
  };
}
