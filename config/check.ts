/** What a schema cannot say: keys that need each other, names that must exist, lists that open a door. Pure. */
import { suggestion } from "./explain.ts";
import { dotted, type Path, type Problem } from "./parse.ts";
import type { ChatPolicy, Config, SessionLayer, SlackConfig, TelegramConfig } from "./schema.ts";

export type ChatChannel = "slack" | "discord" | "telegram";
export const CHAT_CHANNELS: readonly ChatChannel[] = ["slack", "discord", "telegram"];

type Report = (path: Path, message: string) => void;

/** What the checks need to know beyond a valid config. */
export interface Facts {
  /** Whether a named agent has a folder. */
  agentExists(name: string): boolean;
  /** Every model name the file gives, also of models that are refused. */
  modelNames: readonly string[];
}

export function check(config: Config, facts: Facts): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (path, message) => void problems.push({ path: dotted(path), message });
  checkChannels(config, report);
  checkModels(config, report);
  checkReferences(config, facts, report);
  checkTools(config, report);
  checkState(config, report);
  return problems;
}

function checkChannels({ channels, admins }: Config, report: Report): void {
  const { slack, discord, telegram } = channels;
  if (slack.enabled) checkSlack(slack, report);
  if (discord.enabled) needTokens("discord", discord, ["bot_token"], report);
  if (telegram.enabled) checkTelegram(telegram, report);
  for (const name of CHAT_CHANNELS) {
    if (channels[name].enabled) checkAccess(name, channels[name], report);
    checkPeople(name, channels[name], report);
    checkIds({ name, ids: admins[name] }, ["admins", name], report);
  }
  if (!Object.values(channels).some((it) => it.enabled))
    report(["channels"], "no channel is enabled; set enabled: true for one");
}

type Keys = { accounts: Record<string, object> };

/** Every bot of a channel needs these keys, its own or the channel's. */
function needTokens(channel: ChatChannel, settings: Keys, keys: string[], report: Report): void {
  const need = (path: Path, values: object) => {
    for (const key of keys.filter((it) => !(it in values && values[it as keyof object]))) {
      report(
        [...path, key],
        `is missing; write ${key}: $${channel.toUpperCase()}_${key.toUpperCase()} and set that variable`,
      );
    }
  };
  const accounts = Object.entries(settings.accounts);
  if (accounts.length === 0) need(["channels", channel], settings);
  for (const [name, account] of accounts) need(["channels", channel, "accounts", name], { ...settings, ...account });
}

function checkSlack(slack: SlackConfig, report: Report): void {
  needTokens("slack", slack, ["bot_token", slack.mode === "socket" ? "app_token" : "signing_secret"], report);
  if (slack.mode === "http" && !slack.http) {
    report(["channels", "slack", "http"], "is missing; mode: http needs it, with port and path");
  }
}

function checkTelegram(telegram: TelegramConfig, report: Report): void {
  const webhook = telegram.mode === "webhook";
  needTokens("telegram", telegram, webhook ? ["bot_token", "webhook_secret"] : ["bot_token"], report);
  if (webhook && !telegram.webhook) {
    report(["channels", "telegram", "webhook"], "is missing; mode: webhook needs it, with public_url, port and path");
  }
}

const EXAMPLE: Record<ChatChannel, string> = {
  slack: "U0123ABCD",
  discord: "80351110224678912",
  telegram: "123456789",
};
const ID: Record<ChatChannel, RegExp> = { slack: /^[UW][A-Z0-9]+$/, discord: /^\d+$/, telegram: /^\d+$/ };

function checkAccess(name: ChatChannel, channel: ChatPolicy & { pairing: string }, report: Report): void {
  if (channel.allowed_users || channel.allowed_roles?.length || channel.pairing === "code") return;
  const advice = `write ["${EXAMPLE[name]}", ...] for some people, ["*"] for everyone or [] for admins only`;
  report(["channels", name, "allowed_users"], `is missing: nobody is let in by accident, so ${advice}`);
}

type People = ChatPolicy & { chats: Record<string, ChatPolicy>; users: Record<string, object> };

function checkPeople(name: ChatChannel, channel: People, report: Report): void {
  const path = ["channels", name];
  for (const [at, policy] of [[path, channel] as const, ...chatsOf(name, channel)]) {
    checkIds({ name, ids: policy.allowed_users ?? [], everyone: "*" }, [...at, "allowed_users"], report);
    checkQuietHours(policy, [...at, "quiet_hours"], report);
  }
  checkIds({ name, ids: Object.keys(channel.users) }, [...path, "users"], report);
}

function chatsOf(name: string, channel: People): [string[], ChatPolicy][] {
  return Object.entries(channel.chats).map(([chat, policy]) => [["channels", name, "chats", chat], policy]);
}

interface Ids {
  name: ChatChannel;
  ids: readonly string[];
  /** The word that may stand instead of an id. */
  everyone?: "*";
}

// A name instead of an id would let in whoever takes that name next; a typo would match nobody.
function checkIds({ name, ids, everyone }: Ids, path: Path, report: Report): void {
  for (const [index, id] of ids.entries()) {
    if (id === everyone || ID[name].test(id)) continue;
    report([...path, index], `"${id}" is not a ${name} user id; write an id such as "${EXAMPLE[name]}"`);
  }
}

function checkQuietHours({ quiet_hours: quiet }: ChatPolicy, path: Path, report: Report): void {
  if (!quiet) return;
  for (const key of ["from", "to"] as const) {
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(quiet[key])) report([...path, key], "must be a time from 00:00 to 23:59");
  }
  if (quiet.from === quiet.to) report(path, "from and to are the same time; remove quiet_hours or change one");
  if (!isTimezone(quiet.timezone))
    report([...path, "timezone"], "is not a known time zone; write one such as Europe/Berlin");
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false; // the constructor's only way to say so
  }
}

function checkModels({ models, subagents }: Config, report: Report): void {
  checkUnique(models, "models", report);
  checkUnique(subagents, "subagents", report);
  for (const [index, model] of models.entries()) {
    if (model.provider === "rehearsal") continue;
    if (!model.model) report(["models", index, "model"], `is missing; write the ${model.provider} name of the model`);
    if (!model.api_key && !model.base_url) {
      report(
        ["models", index, "api_key"],
        `is missing; write api_key: $${model.provider.toUpperCase()}_API_KEY and set that variable`,
      );
    }
  }
}

function checkUnique(items: readonly { name: string }[], list: string, report: Report): void {
  for (const [index, { name }] of items.entries()) {
    const first = items.findIndex((it) => it.name === name);
    if (first < index) report([list, index, "name"], `"${name}" is already the name of ${list}.${first}`);
  }
}

function checkReferences(config: Config, { agentExists, modelNames: names }: Facts, report: Report): void {
  const needModel = (path: Path, name: string | null | undefined) => {
    if (!name || names.includes(name)) return;
    report(path, `there is no model "${name}" under models${suggestion(name, names)}`);
  };
  for (const [index, name] of config.model_fallback.entries()) needModel(["model_fallback", index], name);
  for (const [index, subagent] of config.subagents.entries()) needModel(["subagents", index, "model"], subagent.model);
  for (const [path, { context }] of sessionLayers(config)) {
    needModel([...path, "context", "model_name"], context?.model_name);
    const agent = context?.agent_name;
    if (agent && !agentExists(agent))
      report([...path, "context", "agent_name"], `there is no agent "${agent}" in ${config.agents.dir}`);
  }
}

function sessionLayers({ default_session, channels }: Config): [string[], SessionLayer][] {
  const layers: [string[], SessionLayer][] = [[["default_session"], default_session]];
  const add = (path: string[], owner: { session?: SessionLayer | null | undefined }) => {
    if (owner.session) layers.push([[...path, "session"], owner.session]);
  };
  for (const [name, channel] of Object.entries(channels)) {
    add(["channels", name], channel);
    for (const [chat, policy] of Object.entries(channel.chats)) add(["channels", name, "chats", chat], policy);
    for (const [user, policy] of Object.entries(channel.users)) add(["channels", name, "users", user], policy);
  }
  return layers;
}

function checkTools({ tools: { search } }: Config, report: Report): void {
  const { provider } = search;
  if ((provider === "tavily" || provider === "brave") && !search.api_key) {
    report(
      ["tools", "search", "api_key"],
      `is missing; ${provider} needs one: write $${provider.toUpperCase()}_API_KEY and set that variable`,
    );
  }
  if (provider === "searxng" && !search.base_url) {
    report(["tools", "search", "base_url"], "is missing; write the address of your SearXNG server");
  }
}

function checkState({ state, health }: Config, report: Report): void {
  const redis = state.url.startsWith("redis");
  if (redis && !URL.canParse(state.url)) report(["state", "url"], "must be a URL such as redis://127.0.0.1:6379/0");
  if (!redis && state.url === "sqlite:")
    report(["state", "url"], "must name a file, such as sqlite:./data/planbridge.db");
  if (!redis && state.cluster.length > 0) report(["state", "cluster"], "needs a redis:// address in state.url");
  if (health.port < 0 || health.port > 65535) report(["health", "port"], "must be from 0 to 65535");
}
