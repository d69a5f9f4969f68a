/** What a command is and what it is given. Commands have their own way: they never wait behind a run. */
import type { Address, Channel, Inbound } from "../../channels/channel.ts";
import type { Config } from "../../config/schema.ts";
import type { Knowledge } from "../agent/knowledge.ts";
import type { Lanes } from "../lanes.ts";
import type { Log } from "../log.ts";
import type { Outbox } from "../outbox.ts";
import type { Policy } from "../policy.ts";
import type { Runs } from "../runs.ts";
import type { Seen } from "../seen.ts";
import { chatKey } from "../sessions.ts";
import type { LiveSettings } from "../settings.ts";
import type { Lookup, Store } from "../state/store.ts";
import type { SessionContext } from "../types.ts";

export interface Command {
  name: string;
  /** As shown in help: `on|off|auto|<task>`. */
  usage: string;
  help: string;
  admin: boolean;
  run(context: CommandContext): Promise<CommandResult>;
}

export type CommandResult =
  /** Posted as a notice where the command was given. */
  | { say: string }
  /** The command carries a task: it goes on as a message. */
  | { task: string; once: Partial<SessionContext> };

export interface CommandContext {
  inbound: Inbound;
  args: string;
  /** Session key. */
  key: string;
  policy: Policy;
  lookup: Lookup;
  isAdmin: boolean;
  deps: CommandDeps;
}

export interface CommandDeps {
  config(): Config;
  store: Store;
  settings: LiveSettings;
  lanes: Pick<Lanes, "kick">;
  runs: Pick<Runs, "stop" | "close">;
  outbox: Outbox;
  seen: Seen;
  channel(at: Address): Channel;
  knowledge(): Knowledge;
  /** Reads the config file again; the problems if it is refused. */
  reload(): Promise<string[]>;
  log: Log;
  now(): number;
}

/** One setting with its audit entry; returns the old value. */
export async function change(context: CommandContext, key: string, value: unknown, what: string): Promise<unknown> {
  const { deps, inbound } = context;
  const entry = { at: deps.now(), who: inbound.user.id, where: chatKey(inbound.at), what };
  return deps.settings.set(key, value, entry);
}
