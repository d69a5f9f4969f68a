/** What admins set at run time, held in memory and reloaded when a worker says it changed. Keys are built only here. */
import type { Address, ChannelName } from "../channels/channel.ts";
import type { ChatPolicy } from "../config/schema.ts";
import type { Log } from "./log.ts";
import type { AuditEntry, Store } from "./state/store.ts";

/** `:` never occurs inside a chat key (its parts are URI-encoded), so it separates safely. */
export const settingKey = {
  policy: (chat: string, path: string) => `policy:${chat}:${path}`,
  admin: (channel: ChannelName, user: string) => `admin:${channel}:${encodeURIComponent(user)}`,
  /** `where` is a chat key or a channel name. */
  ruling: (where: string, user: string) => `ruling:${where}:${encodeURIComponent(user)}`,
  chat: (chat: string) => `chat:${chat}`,
  pause: (chat: string) => `pause:${chat}`,
  alias: (chat: string) => `alias:${chat}`,
};

export interface Settings {
  /** Run-time policy of one chat, in the config's shape. */
  policy(chat: string): ChatPolicy;
  isAdmin(channel: ChannelName, user: string): boolean;
  admins(channel: ChannelName): string[];
  ruling(chat: string, channel: ChannelName, user: string): "allow" | "deny" | undefined;
  isAllowedChat(chat: string): boolean;
  isPaused(chat: string): boolean;
  /** Where a migrated chat's sessions are filed: its first address. */
  canonical(at: Address, key: (at: Address) => string): Address;
  /** Where a chat lives now. */
  current(at: Address, key: (at: Address) => string): Address;
  all(): Record<string, unknown>;
}

export interface LiveSettings extends Settings {
  reload(): Promise<void>;
  /** Writes through, with its audit entry; returns the old value. */
  set(key: string, value: unknown, audit: AuditEntry): Promise<unknown>;
}

export async function openSettings(store: Store, log: Log): Promise<LiveSettings> {
  let current = settingsOf(await store.settings());
  const reload = async () => {
    current = settingsOf(await store.settings());
    log.debug({}, "settings reloaded");
  };
  return {
    policy: (chat) => current.policy(chat),
    isAdmin: (channel, user) => current.isAdmin(channel, user),
    admins: (channel) => current.admins(channel),
    ruling: (chat, channel, user) => current.ruling(chat, channel, user),
    isAllowedChat: (chat) => current.isAllowedChat(chat),
    isPaused: (chat) => current.isPaused(chat),
    canonical: (at, key) => current.canonical(at, key),
    current: (at, key) => current.current(at, key),
    all: () => current.all(),
    reload,
    async set(key, value, audit) {
      const old = await store.setSetting(key, value, audit);
      await reload();
      await store.signal({ kind: "settings" });
      return old;
    },
  };
}

/** Pure view over the stored map. */
export function settingsOf(values: Record<string, unknown>): Settings {
  const policies = policiesOf(values);
  const moved = aliasesOf(values);
  return {
    policy: (chat) => policies.get(chat) ?? {},
    isAdmin: (channel, user) => values[settingKey.admin(channel, user)] === true,
    admins: (channel) => suffixes(values, `admin:${channel}:`),
    ruling(chat, channel, user) {
      const ruling = values[settingKey.ruling(chat, user)] ?? values[settingKey.ruling(channel, user)];
      return ruling === "allow" || ruling === "deny" ? ruling : undefined;
    },
    isAllowedChat: (chat) => values[settingKey.chat(chat)] === "allow",
    isPaused: (chat) => values[settingKey.pause(chat)] === true || values[settingKey.pause("*")] === true,
    canonical: (at, key) => moveChat(at, moved.first.get(key(at))),
    current: (at, key) => moveChat(at, moved.last.get(key(at))),
    all: () => values,
  };
}

function suffixes(values: Record<string, unknown>, prefix: string): string[] {
  return Object.keys(values)
    .filter((key) => key.startsWith(prefix))
    .map((key) => decodeURIComponent(key.slice(prefix.length)));
}

function policiesOf(values: Record<string, unknown>): Map<string, ChatPolicy> {
  const found = new Map<string, Record<string, unknown>>();
  for (const [key, value] of Object.entries(values)) {
    const [kind, chat, path] = key.split(":");
    if (kind !== "policy" || !chat || !path) continue;
    const policy = found.get(chat) ?? {};
    found.set(chat, policy);
    put(policy, path.split("."), value);
  }
  // Values were validated against chatPolicy when they were set.
  return found as Map<string, ChatPolicy>;
}

function put(target: Record<string, unknown>, [head, ...rest]: string[], value: unknown): void {
  if (head === undefined) return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  target[head] ??= {};
  put(target[head] as Record<string, unknown>, rest, value);
}

interface Alias {
  /** Old and new chat ids of one platform chat. */
  from: string;
  to: string;
  fromKey: string;
}

function aliasesOf(values: Record<string, unknown>) {
  const first = new Map<string, string>();
  const last = new Map<string, string>();
  for (const [key, value] of Object.entries(values)) {
    if (!key.startsWith("alias:")) continue;
    const alias = value as Alias;
    first.set(key.slice("alias:".length), alias.from);
    last.set(alias.fromKey, alias.to);
  }
  return { first, last };
}

function moveChat(at: Address, chat: string | undefined): Address {
  return chat === undefined ? at : { ...at, chat };
}
