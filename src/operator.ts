/** What an operator does from the command line, beside a running bridge or without one. */
import { CHANNEL_NAMES, type ChannelName } from "../channels/channel.ts";
import type { LoadedConfig } from "../config/load.ts";
import { policyTable } from "./commands/plan.ts";
import { OperatorError } from "./errors.ts";
import { callControl, type OperatorCall, socketPath } from "./gateway/control.ts";
import type { Log } from "./log.ts";
import { closePairing, pairingOf } from "./pairing.ts";
import { resolvePolicy } from "./policy.ts";
import { type LiveSettings, openSettings, settingKey, settingsOf } from "./settings.ts";
import { openState } from "./state/open.ts";
import type { AuditEntry, Store } from "./state/store.ts";

interface Start {
  loaded: LoadedConfig;
  root: string;
  log: Log;
}

type Print = (text: string) => void;

/** The work itself, in whichever process holds the state. */
export async function operate(store: Store, settings: LiveSettings, call: OperatorCall): Promise<unknown> {
  switch (call.kind) {
    case "pair":
      return pair(store, settings, call.code ?? "");
    case "audit":
      return store.audits(1_000_000);
    case "settings":
      return store.settings();
    default:
      throw new OperatorError("Unknown operator command.");
  }
}

async function pair(store: Store, settings: LiveSettings, code: string): Promise<string> {
  const found = await pairingOf(store, code);
  if (!found) throw new OperatorError("That code is unknown or older than 10 minutes.", 1);
  const audit = { at: Date.now(), who: "operator", where: "cli", what: `pair ${found.user}` };
  await settings.set(settingKey.ruling(found.channel, found.user), "allow", audit);
  await closePairing(store, code);
  return `${found.user} may talk to the bot on ${found.channel} now.`;
}

/** A bridge that runs on a local file is asked; otherwise the state is opened here. */
async function carryOut({ loaded, root, log }: Start, call: OperatorCall): Promise<unknown> {
  const path = socketPath(root, loaded.config.state.url);
  if (path !== undefined) {
    try {
      return await callControl(path, call);
    } catch (error) {
      if (!isNobody(error)) throw new OperatorError(error instanceof Error ? error.message : String(error), 1, error);
    }
  }
  const state = await openState(loaded.config.state, { root, log });
  try {
    return await operate(state.store, await openSettings(state.store, log), call);
  } finally {
    await state.store.close();
  }
}

function isNobody(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ECONNREFUSED";
}

interface Where {
  channel: string;
  chat: string;
  user?: string | undefined;
}

/** The chat may be given with its account (`T1/C1`); without it, every account's settings of that chat count. */
export async function explainPolicy(start: Start, { channel, chat, user }: Where, print: Print): Promise<number> {
  const [account, id] = chat.includes("/") ? chat.split("/", 2) : ["", chat];
  const at = { channel: channelName(channel), account: account ?? "", chat: id ?? chat };
  const stored = (await carryOut(start, { kind: "settings" })) as Record<string, unknown>;
  const person = user === undefined ? undefined : { id: user, name: user };
  const settings = settingsOf(withoutAccount(stored, at.account));
  print(policyTable(resolvePolicy(start.loaded.config, settings, { at, user: person })));
  return 0;
}

function withoutAccount(stored: Record<string, unknown>, account: string): Record<string, unknown> {
  if (account !== "") return stored;
  return Object.fromEntries(
    Object.entries(stored).map(([key, value]) => [key.replace(/^(policy:[^:/]+)\/[^:/]*\//, "$1//"), value]),
  );
}

function channelName(text: string): ChannelName {
  const found = CHANNEL_NAMES.find((name) => name === text);
  if (!found) throw new OperatorError(`There is no channel "${text}". Known: ${CHANNEL_NAMES.join(", ")}.`);
  return found;
}

export async function approvePairing(start: Start, code: string, print: Print): Promise<number> {
  print(String(await carryOut(start, { kind: "pair", code })));
  return 0;
}

export async function exportAudit(start: Start, print: Print): Promise<number> {
  const entries = (await carryOut(start, { kind: "audit" })) as AuditEntry[];
  for (const entry of entries.reverse()) print(JSON.stringify(entry));
  return 0;
}
