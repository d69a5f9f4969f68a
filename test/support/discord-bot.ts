/** One real adapter against one emulator, closed together. */
import { createDiscord } from "../../channels/discord/adapter.ts";
import { type DiscordConfig, discordChannel } from "../../config/schema.ts";
import { RecordingDoor } from "./discord-door.ts";
import { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from "./emulators/discord.ts";

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

export function discordConfig(emulator: DiscordEmulator, more: Partial<DiscordConfig> = {}): DiscordConfig {
  return {
    ...discordChannel.parse({ enabled: true, bot_token: emulator.token, api_url: emulator.apiUrl }),
    ...more,
  };
}

export async function discordBot(options: DiscordEmulatorOptions & { config?: Partial<DiscordConfig> } = {}) {
  const emulator = await startDiscordEmulator(options);
  const door = new RecordingDoor();
  const channel = createDiscord(discordConfig(emulator, options.config), { log: silent, now: Date.now });
  await channel.start(door);
  return {
    emulator,
    door,
    channel,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await emulator.stop();
    },
  };
}
