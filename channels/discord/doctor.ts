/** Checks of the token and the application, for `doctor` and for the sentence when a start is refused. */
import { ApplicationFlags, PermissionsBitField, Routes } from "discord.js";
import type { Finding } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";

const PERMISSIONS = new PermissionsBitField([
  "ViewChannel",
  "ReadMessageHistory",
  "SendMessages",
  "SendMessagesInThreads",
  "CreatePublicThreads",
  "AttachFiles",
  "AddReactions",
]).bitfield;

export const intentSentence = (application: string | undefined) =>
  'Discord does not let this bot read messages: switch on "Message Content Intent" on the "Bot" page of ' +
  `https://discord.com/developers/applications${application === undefined ? "" : `/${application}`}.`;

export const tokenSentence = (account: string | undefined) => {
  const key = account === undefined ? "bot_token" : `accounts.${account}.bot_token`;
  return `Discord refuses the token in channels.discord.${key}: copy it again from the "Bot" page of the application.`;
};

export async function examine(api: Api, account: string | undefined): Promise<Finding[]> {
  try {
    const me = await api.call<{ id: string; username: string }>("GET", Routes.user());
    const named: Finding = { level: "ok", text: `Discord: signed in as ${me.username} (${me.id}).` };
    return [named, await intent(api), await servers(api)];
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    const text = error.code === "auth" ? tokenSentence(account) : error.message;
    return [{ level: "error", text }];
  }
}

async function intent(api: Api): Promise<Finding> {
  const { id, flags = 0 } = await api.call<{ id: string; flags?: number }>("GET", Routes.currentApplication());
  const granted = flags & (ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited);
  if (granted) return { level: "ok", text: "Discord: the Message Content intent is on." };
  return { level: "error", text: intentSentence(id) };
}

async function servers(api: Api): Promise<Finding> {
  const guilds = await api.call<unknown[]>("GET", Routes.userGuilds());
  if (guilds.length > 0) return { level: "ok", text: `Discord: the bot is in ${guilds.length} server(s).` };
  const { id } = await api.call<{ id: string }>("GET", Routes.currentApplication());
  const link = `https://discord.com/oauth2/authorize?client_id=${id}&scope=bot+applications.commands`;
  return { level: "warn", text: `Discord: the bot is in no server. Invite it: ${link}&permissions=${PERMISSIONS}` };
}
