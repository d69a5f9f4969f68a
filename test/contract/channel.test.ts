import { discordDriver } from "../support/drivers/discord.ts";
import { slackDriver } from "../support/drivers/slack.ts";
import { telegramDriver } from "../support/drivers/telegram.ts";
import { terminalDriver } from "../support/drivers/terminal.ts";
import { channelContract } from "./channel.ts";

channelContract("Slack", slackDriver);
channelContract("Discord", discordDriver);
channelContract("Telegram", telegramDriver);
channelContract("the terminal", terminalDriver, false);
