/** The one command table, the same on every platform; help is made from it. */
import type { NativeCommand } from "../../channels/channel.ts";
import { words } from "../words.ts";
import { adminCommands } from "./admin.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";
import { planCommands } from "./plan.ts";
import { sessionCommands } from "./session.ts";

const help: Command = {
  name: "help",
  usage: "",
  help: "this list",
  admin: false,
  run: async (context) => ({ say: helpText(context.isAdmin) }),
};

export const commands: Command[] = [help, ...planCommands, ...sessionCommands, ...adminCommands];

export const commandNames: string[] = commands.map((command) => command.name);

export function helpText(admin: boolean): string {
  const lines = commands
    .filter((command) => admin || !command.admin)
    .map(({ name, usage, help: text }) => `- \`/${name}${usage ? ` ${usage}` : ""}\`: ${text}`);
  return [words.helpHead, ...lines].join("\n");
}

export function nativeCommands(): NativeCommand[] {
  return commands.map(({ name, help: description, admin }) => ({ name, description, admin }));
}

export async function runCommand(name: string, context: CommandContext): Promise<CommandResult> {
  const command = commands.find((entry) => entry.name === name);
  if (!command) return { say: words.unknownCommand(name, undefined) };
  return command.run(context);
}
