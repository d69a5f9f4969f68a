/** Every enabled channel of a config, one per account. SDKs load only when their channel is on. */
import type { Config } from "../config/schema.ts";
import type { Channel, ChannelDeps } from "./channel.ts";
import { createTerminal, type TerminalOptions } from "./terminal/adapter.ts";

export interface OpenChannel {
  /** The account's name under `accounts:`; undefined for the platform's only bot. */
  bot: string | undefined;
  channel: Channel;
}

export async function openChannels(
  config: Config,
  deps: ChannelDeps,
  terminal: TerminalOptions = {},
): Promise<OpenChannel[]> {
  const { slack, discord, telegram } = config.channels;
  const open: OpenChannel[] = [];
  const add = (bot: string | undefined, channel: Channel) => open.push({ bot, channel });
  if (slack.enabled) {
    const { createSlack } = await import("./slack/adapter.ts");
    for (const [bot, own] of accountsOf(slack)) add(bot, createSlack(own, { ...deps, account: bot }));
  }
  if (discord.enabled) {
    const { createDiscord } = await import("./discord/adapter.ts");
    for (const [bot, own] of accountsOf(discord)) add(bot, createDiscord(own, { ...deps, account: bot }));
  }
  if (telegram.enabled) {
    const { createTelegram } = await import("./telegram/adapter.ts");
    for (const [bot, own] of accountsOf(telegram)) add(bot, createTelegram(own, { ...deps, account: bot }));
  }
  if (config.channels.terminal.enabled) {
    add(undefined, createTerminal(config.channels.terminal, { ...deps, ...terminal }));
  }
  return open;
}

/** The platform's own tokens make the bot without a name; each entry of `accounts` makes another. */
function accountsOf<C extends { bot_token?: string | undefined; accounts: Record<string, object> }>(
  config: C,
): [string | undefined, C][] {
  const named = Object.entries(config.accounts).map(([name, own]): [string, C] => [name, { ...config, ...own }]);
  return config.bot_token === undefined ? named : [[undefined, config], ...named];
}
