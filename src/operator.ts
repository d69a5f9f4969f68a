/** What an operator does from the command line beside a running bridge. */
import type { ChannelName } from "../channels/channel.ts";
import { CHANNEL_NAMES } from "../channels/channel.ts";
import type { LoadedConfig } from "../config/load.ts";
import { policyTable } from "./commands/plan.ts";
import { messageOf, OperatorError } from "./errors.ts";
import type { Log } from "./log.ts";
import { closePairing, pairingOf } from "./pairing.ts";
import { resolvePolicy } from "./policy.ts";
import { openSettings, settingKey, settingsOf } from "./settings.ts";
import { openState } from "./state/open.ts";
import type { State } from "./state/state.ts";

interface Start {
  loaded: LoadedConfig;
  root: string;
  log: Log;
}

type Print = (text: string) => void;

async function withState<T>({ loaded, root, log }: Start, use: (state: State) => Promise<T>): Promise<T> {
  const state = await openState(loaded.config.state, { root, log });
  try {
    return await use(state);
  } finally {
    await state.store.close();
  }
}

interface Where {
  channel: string;
  chat: string;
  user?: string | undefined;
}

/** Run-time settings are included when the state can be opened; a local file may be in use by the bridge itself. */
export async function explainPolicy(start: Start, { channel, chat, user }: Where, print: Print): Promise<number> {
  const [account, id] = chat.includes("/") ? chat.split("/", 2) : ["", chat];
  const at = { channel: channelName(channel), account: account ?? "", chat: id ?? chat };
  const stored = await withState(start, (state) => state.store.settings()).catch((error) => {
    print(`(run-time settings are not shown: ${messageOf(error)})`);
    return {} as Record<string, unknown>;
  });
  const person = user === undefined ? undefined : { id: user, name: user };
  const policy = resolvePolicy(start.loaded.config, settingsOf(withoutAccount(stored, at.account)), {
    at,
    user: person,
  });
  print(policyTable(policy));
  return 0;
}

/** On the command line the account may be left out; then every account's settings of that chat count. */
function withoutAccount(stored: Record<string, unknown>, account: string): Record<string, unknown> {
  if (account !== "") return stored;
  return Object.fromEntries(
    Object.entries(stored).map(([key, value]) => [key.replace(/^(policy:[^:/]+)\/[^:/]*\//, "$1//"), value]),
  );
}

function channelName(text: string): ChannelName {
  const found = CHANNEL_NAMES.find((name) => name === text);
  if (!found) throw new OperatorError(`There is no channel "${text}".`);
  return found;
}

export async function approvePairing(start: Start, code: string, print: Print): Promise<number> {
  return withState(start, async ({ store }) => {
    const found = await pairingOf(store, code);
    if (!found) throw new OperatorError("That code is unknown or older than 10 minutes.", 1);
    const settings = await openSettings(store, start.log);
    const audit = { at: Date.now(), who: "operator", where: "cli", what: `pair ${found.user}` };
    await settings.set(settingKey.ruling(found.channel, found.user), "allow", audit);
    await closePairing(store, code);
    print(`${found.user} may talk to the bot on ${found.channel} now.`);
    return 0;
  });
}

export async function exportAudit(start: Start, print: Print): Promise<number> {
  return withState(start, async ({ store }) => {
    const entries = await store.audits(1_000_000);
    for (const entry of entries.reverse()) print(JSON.stringify(entry));
    return 0;
  });
}
