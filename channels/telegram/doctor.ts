/** What an operator should know before blaming the bot. */
import type { TelegramConfig } from "../../config/schema.ts";
import type { Finding } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";
import { publicUrl } from "./webhook.ts";
import type { TgMe, TgWebhookInfo } from "./wire.ts";

export async function examine(api: Api, config: TelegramConfig): Promise<Finding[]> {
  try {
    const me = await api.call<TgMe>("getMe");
    const webhook = await api.call<TgWebhookInfo>("getWebhookInfo");
    const name: Finding = { level: "ok", text: `Telegram: signed in as @${me.username ?? "?"} (id ${me.id})` };
    return [name, ...ofGroups(me, config), ...ofWebhook(webhook, config)];
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    const hint = "the bot token is refused; copy it again from @BotFather into channels.telegram.bot_token";
    return [{ level: "error", text: `Telegram: ${error.code === "auth" ? hint : error.message}` }];
  }
}

function ofGroups(me: TgMe, config: TelegramConfig): Finding[] {
  const found: Finding[] = [];
  if (me.can_join_groups === false) {
    found.push({ level: "warn", text: "Telegram: the bot may not join groups (@BotFather /setjoingroups)" });
  }
  if (me.can_read_all_group_messages !== false) return found;
  const wantsAll = [config, ...Object.values(config.chats)].some(({ respond }) => respond === "all");
  const text =
    "Telegram: privacy mode is on: in groups the bot gets only commands, mentions and replies to it " +
    "(@BotFather /setprivacy turns it off; then add the bot to the group again)";
  return [...found, { level: wantsAll ? "warn" : "ok", text }];
}

function ofWebhook(info: TgWebhookInfo, config: TelegramConfig): Finding[] {
  const url = info.url ?? "";
  if (config.mode === "polling") {
    if (!url) return [];
    const text = "Telegram: a webhook is set although mode is polling; the start removes it, whoever set it goes deaf";
    return [{ level: "warn", text }];
  }
  const found: Finding[] = [];
  const wanted = config.webhook ? publicUrl(config.webhook.public_url, config.webhook.path) : "";
  if (url !== wanted) {
    found.push({ level: "warn", text: "Telegram: the webhook is not set to public_url yet; the start does that" });
  }
  if (info.last_error_message) {
    found.push({ level: "warn", text: `Telegram: last webhook delivery failed: ${info.last_error_message}` });
  }
  return found;
}
