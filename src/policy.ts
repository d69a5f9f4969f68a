/** Who may, whether to answer, how to plan. Pure: config and run-time settings in, one effective policy out. */
import type { Address, User } from "../channels/channel.ts";
import type { ChatPolicy, Config } from "../config/schema.ts";
import { chatKey, type Scope } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import type { Question, SessionContext } from "./types.ts";

type PolicyValue = ChatPolicy[keyof ChatPolicy] | SessionContext[keyof SessionContext];

/** One effective value and the layer it came from; `pnpm`-style explain tables print exactly this. */
export interface Explained {
  path: string;
  value: PolicyValue | undefined;
  from: string;
}

export interface Policy {
  respond: "mention" | "all" | "never";
  scope: Scope;
  queue: "queue" | "steer" | "collect" | "interrupt" | "reject";
  followThreads: boolean;
  replyIsMention: boolean;
  allowedUsers: string[];
  allowedRoles: string[];
  approvers: "asker" | "anyone" | "admins";
  quietHours: ChatPolicy["quiet_hours"];
  budget: NonNullable<ChatPolicy["budget"]>;
  tools: NonNullable<ChatPolicy["tools"]>;
  pinned: boolean;
  assistantId: string;
  recursionLimit: number;
  context: SessionContext;
  explain: Explained[];
}

interface Layer {
  name: string;
  policy: ChatPolicy;
}

const BUILT_IN = {
  respond: "mention",
  scope: "thread",
  queue: "queue",
  follow_threads: true,
  reply_is_mention: true,
  allowed_users: [],
  allowed_roles: [],
  approvers: "asker",
  budget: {},
  tools: {},
  session: {
    assistant_id: "lead_agent",
    pinned: false,
    config: { recursion_limit: 100 },
    context: {
      is_plan_mode: false,
      plan_approval: "never",
      thinking_enabled: true,
      subagent_enabled: false,
      max_concurrent_subagents: 3,
    },
  },
} satisfies ChatPolicy;

/** These objects are merged key by key; everything else is replaced whole. */
const MERGED = new Set(["session", "session.context", "session.config", "budget", "tools"]);

export interface Place {
  at: Address;
  user?: User | undefined;
  /** What the session's own commands set. */
  session?: Partial<SessionContext> | undefined;
  /** What this one message sets (`/plan do …`). */
  once?: Partial<SessionContext> | undefined;
}

export function resolvePolicy(config: Config, settings: Settings, place: Place): Policy {
  const merged = new Map<string, Explained>();
  for (const layer of layersOf(config, settings, place)) {
    const pinned = merged.get("session.pinned")?.value === true && layer.name === "session";
    for (const [path, value] of flatten(layer.policy)) {
      if (pinned && path === "session.context.is_plan_mode") continue;
      merged.set(path, { path, value, from: layer.name });
    }
  }
  return toPolicy(merged);
}

function layersOf(config: Config, settings: Settings, place: Place): Layer[] {
  const { at, user } = place;
  const channel = config.channels[at.channel];
  const { enabled: _e, groups: _g, pairing: _p, chats, users, ...rest } = channel;
  const layers: Layer[] = [
    { name: "built-in", policy: BUILT_IN },
    { name: "default_session", policy: { session: config.default_session, budget: config.budget } },
    { name: `channels.${at.channel}`, policy: pick(rest) },
  ];
  for (const [pattern, policy] of chatLayers(chats, at.chat)) {
    layers.push({ name: `channels.${at.channel}.chats.${pattern}`, policy });
  }
  const own = user && users[user.id];
  if (own) layers.push({ name: `channels.${at.channel}.users.${user.id}`, policy: own });
  layers.push({ name: "admin", policy: settings.policy(chatKey(at)) });
  if (place.session) layers.push({ name: "session", policy: { session: { context: place.session } } });
  if (place.once) layers.push({ name: "this message", policy: { session: { context: place.once } } });
  return layers;
}

const POLICY_KEYS = new Set([...Object.keys(BUILT_IN), "quiet_hours"]);

function pick(channel: object): ChatPolicy {
  return Object.fromEntries(Object.entries(channel).filter(([key]) => POLICY_KEYS.has(key))) as ChatPolicy;
}

/** Wildcards first, the longest pattern last, so that the most exact one wins; an exact id is the most exact. */
function chatLayers(chats: Record<string, ChatPolicy>, chat: string): [string, ChatPolicy][] {
  return Object.entries(chats)
    .filter(([pattern]) => matches(pattern, chat))
    .sort(([a], [b]) => Number(a === chat) - Number(b === chat) || a.length - b.length);
}

export function matches(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "u").test(text);
}

function flatten(policy: object, prefix = ""): [string, PolicyValue][] {
  return Object.entries(policy).flatMap(([key, value]): [string, PolicyValue][] => {
    const path = prefix + key;
    if (value === null || value === undefined) return [];
    return MERGED.has(path) ? flatten(value, `${path}.`) : [[path, value]];
  });
}

function toPolicy(merged: Map<string, Explained>): Policy {
  // Every read below names a path whose type the schema and BUILT_IN fix.
  const read = <T>(path: string) => merged.get(path)?.value as T;
  const under = (prefix: string) =>
    Object.fromEntries(
      [...merged.values()].filter((e) => e.path.startsWith(prefix)).map((e) => [e.path.slice(prefix.length), e.value]),
    );
  return {
    respond: read("respond"),
    scope: read("scope"),
    queue: read("queue"),
    followThreads: read("follow_threads"),
    replyIsMention: read("reply_is_mention"),
    allowedUsers: read("allowed_users"),
    allowedRoles: read("allowed_roles"),
    approvers: read("approvers"),
    quietHours: read("quiet_hours"),
    budget: under("budget."),
    tools: under("tools."),
    pinned: read("session.pinned"),
    assistantId: read("session.assistant_id"),
    recursionLimit: read("session.config.recursion_limit"),
    context: under("session.context.") as unknown as SessionContext,
    explain: [...merged.values()].sort((a, b) => a.path.localeCompare(b.path)),
  };
}

/** Ids only; a display name gives no right. Owners are the config's admins, the rest were granted at run time. */
export function isAdmin(config: Config, settings: Settings, at: Address, user: User): boolean {
  return isOwner(config, at, user) || settings.isAdmin(at.channel, user.id);
}

export function isOwner(config: Config, at: Address, user: User): boolean {
  return config.admins[at.channel].includes(user.id);
}

export type Access = "allowed" | "denied" | "unknown_group" | "not_listed";

export interface AccessQuestion {
  config: Config;
  settings: Settings;
  policy: Policy;
  at: Address;
  kind: "dm" | "group";
  user: User;
}

/** Closed by default: an empty list lets nobody in, everyone is written `*`. A run-time denial beats everything but admins. */
export function accessOf({ config, settings, policy, at, kind, user }: AccessQuestion): Access {
  if (isAdmin(config, settings, at, user)) return "allowed";
  const ruling = settings.ruling(chatKey(at), at.channel, user.id);
  if (ruling === "deny") return "denied";
  if (kind === "group" && !isKnownGroup(config, settings, at)) return "unknown_group";
  if (ruling === "allow") return "allowed";
  return isListed(policy, user) ? "allowed" : "not_listed";
}

export function isListed(policy: Pick<Policy, "allowedUsers" | "allowedRoles">, user: User): boolean {
  const { allowedUsers, allowedRoles } = policy;
  return (
    allowedUsers.includes("*") || allowedUsers.includes(user.id) || allowedRoles.some((r) => user.roles?.includes(r))
  );
}

function isKnownGroup(config: Config, settings: Settings, at: Address): boolean {
  const { groups, chats } = config.channels[at.channel];
  if (groups === "allow") return true;
  const named = Object.keys(chats).some((pattern) => matches(pattern, at.chat));
  return named || Object.keys(settings.policy(chatKey(at))).length > 0 || settings.isAllowedChat(chatKey(at));
}

export interface ForUs {
  kind: "dm" | "group";
  addressed: boolean;
  /** The session has accepted a message before. */
  known: boolean;
  inThread: boolean;
}

/** Whether a message from an allowed person is answered. */
export function respondsTo(policy: Policy, facts: ForUs): boolean {
  if (facts.kind === "dm") return true;
  if (policy.respond === "never") return false;
  if (facts.addressed || policy.respond === "all") return true;
  return policy.followThreads && facts.known && facts.inThread;
}

/** Wording of "until when", or undefined outside quiet hours. */
export function quietUntil(policy: Policy, now: number): string | undefined {
  const quiet = policy.quietHours;
  if (!quiet) return undefined;
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: quiet.timezone, hour: "2-digit", minute: "2-digit" });
  const time = clock.format(now);
  const inside = quiet.from <= quiet.to ? time >= quiet.from && time < quiet.to : time >= quiet.from || time < quiet.to;
  return inside ? `${quiet.to} ${quiet.timezone}` : undefined;
}

/** Who may decide about a plan or a tool call of `asker`'s run. */
export function mayApprove(policy: Policy, admin: boolean, asker: string, user: User): boolean {
  if (admin || policy.approvers === "anyone") return true;
  return policy.approvers === "asker" && asker === user.id;
}

/** Who may answer the question of `asker`'s run: everyone a clarification, else as the question and policy say. */
export function mayAnswer(question: Pick<Question, "kind" | "byAdmin">, policy: Policy, who: Answerer): boolean {
  if (question.kind === "clarification") return true;
  return question.byAdmin ? who.isAdmin : mayApprove(policy, who.isAdmin, who.asker, who.user);
}

export interface Answerer {
  isAdmin: boolean;
  asker: string;
  user: User;
}
