/** The whole bridge in this process: real channels, real model clients, real state; only the platforms are emulated. */

import { packageRoot } from "../../config/load.ts";
import { config as schema } from "../../config/schema.ts";
import { type App, type AppOptions, createApp } from "../../src/app.ts";
import type { SlackEmulator } from "./emulators/slack.ts";
import type { ModelServer } from "./model-server.ts";
import { tempFolder } from "./process.ts";

export interface House {
  app: App;
  /** Every log line, as JSON. */
  logs: string[];
  close(): Promise<void>;
}

export interface HouseOptions {
  channels: object;
  models?: object[];
  rest?: object;
  /** Instead of this process's own streams. */
  terminal?: AppOptions["terminal"];
  /** Keep the state across two houses. */
  folder?: ReturnType<typeof tempFolder>;
}

export async function openHouse({ channels, models = [], rest = {}, folder, terminal }: HouseOptions): Promise<House> {
  const place = folder ?? tempFolder();
  const logs: string[] = [];
  const config = schema.parse({
    channels: { terminal: { enabled: false }, ...channels },
    models,
    state: { url: `sqlite:${place.path}/state.db` },
    workspace: { dir: `${place.path}/workspaces` },
    agents: { data_dir: `${place.path}/agents` },
    runs: { shutdown_seconds: 1 },
    ...rest,
  });
  const log = recordingLog(logs);
  const loaded = { config, secrets: [], warnings: [], source: `${place.path}/none.yaml` };
  const app = await createApp({ loaded, root: packageRoot(), log, ...(terminal ? { terminal } : {}) });
  await app.start();
  return {
    app,
    logs,
    async close() {
      await app.stop();
      if (!folder) place.remove();
    },
  };
}

function recordingLog(lines: string[]) {
  const write = (level: string) => (data: object, message: string) => {
    lines.push(JSON.stringify({ level, message, ...data }));
  };
  const log = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => log,
  };
  return log;
}

export function slackChannel(slack: SlackEmulator, more: object = {}): object {
  return {
    slack: {
      enabled: true,
      bot_token: slack.botToken,
      app_token: slack.appToken,
      api_url: slack.apiUrl,
      allowed_users: ["*"],
      ...more,
    },
  };
}

export function openaiModel(server: ModelServer, more: object = {}): object {
  return {
    name: "default",
    provider: "openai",
    model: "gpt-test",
    base_url: server.openai,
    api_key: "k-123456",
    ...more,
  };
}

export function anthropicModel(server: ModelServer, more: object = {}): object {
  return {
    name: "default",
    provider: "anthropic",
    model: "claude-test",
    base_url: server.anthropic,
    api_key: "k-123456",
    ...more,
  };
}
