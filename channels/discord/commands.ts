/** The bridge's commands as Discord slash commands. Pure. */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPutAPIApplicationCommandsJSONBody,
} from "discord.js";
import type { NativeCommand } from "../channel.ts";

const DESCRIPTION = 100;
const MOST = 100;

/** Admin commands are shown to people who manage the server; whether they may is the bridge's decision. */
export function nativeCommands(table: NativeCommand[]): RESTPutAPIApplicationCommandsJSONBody {
  return table.slice(0, MOST).map(({ name, description, admin }) => ({
    type: ApplicationCommandType.ChatInput,
    name,
    description: description.slice(0, DESCRIPTION) || name,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: "text",
        description: "What follows the command, as you would write it in a message",
        required: false,
      },
    ],
    default_member_permissions: admin ? String(PermissionFlagsBits.ManageGuild) : null,
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  }));
}
