/** `doctor`: what is wrong before anybody writes a message. Exit code 1 when something must be mended. */
import type { Finding } from "../channels/channel.ts";
import { openChannels } from "../channels/index.ts";
import type { LoadedConfig } from "../config/load.ts";
import { checkModels } from "./agent/models.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import { openState } from "./state/open.ts";

interface Start {
  loaded: LoadedConfig;
  root: string;
  log: Log;
}

const MARK = { ok: "ok  ", warn: "warn", error: "FAIL" } as const;

export async function doctor({ loaded, root, log }: Start, print: (text: string) => void): Promise<number> {
  const { config, source, warnings } = loaded;
  const findings: Finding[] = [
    { level: "ok", text: `config: ${source}` },
    ...warnings.map((text): Finding => ({ level: "warn", text: `config: ${text}` })),
    await stateFinding({ loaded, root, log }),
    ...(await checkModels(config)),
  ];
  for (const { bot, channel } of await openChannels(config, { log, now: Date.now })) {
    const name = bot === undefined ? channel.name : `${channel.name}~${bot}`;
    const found = (await channel.doctor?.().catch(failed)) ?? [{ level: "ok" as const, text: "nothing to check" }];
    findings.push(...found.map(({ level, text }) => ({ level, text: `${name}: ${text}` })));
  }
  for (const { level, text } of findings) print(`${MARK[level]}  ${text}`);
  return findings.some(({ level }) => level === "error") ? 1 : 0;
}

function failed(error: unknown): Finding[] {
  return [{ level: "error", text: messageOf(error) }];
}

async function stateFinding({ loaded, root, log }: Start): Promise<Finding> {
  try {
    const state = await openState(loaded.config.state, { root, log });
    await state.store.ping();
    await state.store.close();
    return { level: "ok", text: "state: reachable" };
  } catch (error) {
    return { level: "error", text: `state: ${messageOf(error)}` };
  }
}
