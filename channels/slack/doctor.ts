import { webApi } from "@slack/bolt";
import type { SlackConfig } from "../../config/schema.ts";
import type { Finding } from "../channel.ts";
import { toChannelError } from "./errors.ts";

/** What stops working without each scope. */
const NEEDED: Record<string, string> = {
  "chat:write": "nothing can be posted",
  "app_mentions:read": "mentions are not heard",
  "channels:history": "follow-ups in public channels are not heard",
  "groups:history": "private channels are not heard",
  "im:history": "direct messages are not heard",
  "mpim:history": "group direct messages are not heard",
};
const USEFUL: Record<string, string> = {
  "im:write": "admins are not told of trouble",
  "users:read": "people are shown by their ids",
  "files:read": "files that people send cannot be read",
  "files:write": "files cannot be sent",
  "reactions:write": "the 👀 acknowledgement is not shown",
  commands: "the slash command does not work",
};

function missing(scopes: Set<string>, table: Record<string, string>, level: Finding["level"]): Finding[] {
  return Object.entries(table)
    .filter(([scope]) => !scopes.has(scope))
    .map(([scope, effect]) => ({ level, text: `The bot token lacks the scope ${scope}: ${effect}.` }));
}

async function checkBot(client: webApi.WebClient): Promise<Finding[]> {
  try {
    const me = await client.auth.test();
    const scopes = new Set(me.response_metadata?.scopes ?? []);
    const who: Finding = { level: "ok", text: `The bot token is ${me.user ?? "a bot"} in ${me.team ?? me.team_id}.` };
    if (scopes.size === 0) return [who, { level: "warn", text: "Slack did not tell the scopes of the bot token." }];
    return [who, ...missing(scopes, NEEDED, "error"), ...missing(scopes, USEFUL, "warn")];
  } catch (error) {
    return [{ level: "error", text: toChannelError(error, "auth.test").message }];
  }
}

async function checkSocket(appToken: string | undefined, apiUrl: string): Promise<Finding> {
  if (!appToken) return { level: "error", text: "app_token is not set; Socket Mode needs one (xapp-…)." };
  const options = { slackApiUrl: apiUrl, timeout: 15_000, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true };
  try {
    await new webApi.WebClient(appToken, options).apps.connections.open({});
    return { level: "ok", text: "The app token opens Socket Mode connections." };
  } catch (error) {
    const { message } = toChannelError(error, "apps.connections.open");
    return { level: "error", text: `${message} The app token needs the scope connections:write and Socket Mode on.` };
  }
}

export async function examine(config: SlackConfig, client: webApi.WebClient, apiUrl: string): Promise<Finding[]> {
  if (!config.bot_token) return [{ level: "error", text: "bot_token is not set (xoxb-…)." }];
  const bot = await checkBot(client);
  if (config.mode === "socket") return [...bot, await checkSocket(config.app_token, apiUrl)];
  const secret: Finding = config.signing_secret
    ? { level: "ok", text: "A signing secret is set; requests are verified with it." }
    : { level: "error", text: "signing_secret is not set; mode http needs it." };
  return [...bot, secret];
}
