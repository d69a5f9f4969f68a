import type { MessageRef } from "../../../channels/channel.ts";
import { createDiscord } from "../../../channels/discord/adapter.ts";
import { discordConfig } from "../discord-bot.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../emulators/discord.ts";
import type { Interaction } from "../emulators/discord-interactions.ts";
import { flatten } from "../emulators/discord-rules.ts";
import type { Stored } from "../emulators/discord-world.ts";
import { type ChannelDriver, ContractDoor, type DriverOptions, lineLog } from "./driver.ts";

const POST = "POST /channels/:id/messages";
const EDIT = "PATCH /channels/:id/messages/:id";

export async function discordDriver({
  limits = false,
}: DriverOptions = {}): Promise<ChannelDriver & { discord: DiscordEmulator }> {
  const discord = await startDiscordEmulator({ rateLimits: limits });
  const log = lineLog();
  const door = new ContractDoor();
  const channel = createDiscord(discordConfig(discord), { log, now: Date.now });
  const pressed: Interaction[] = [];
  const home = { channel: "discord" as const, account: discord.guildId };
  const { people, general, world } = discord;
  const other = world.person("other", { bot: true });

  function stored({ id }: MessageRef): Stored {
    const found = world.stored.get(id);
    if (!found) throw new Error(`no message ${id}`);
    return found;
  }

  return {
    discord,
    channel,
    door,
    log,
    secrets: [discord.token],
    mention: discord.mention,
    person: people.alice.id,
    dm: (text) => void discord.dm(text),
    say: (text) => void discord.say(general, text),
    followUp({ chat, thread }, text) {
      if (thread !== undefined && !world.channels.has(thread))
        people.startThread(chat, "a thread", { message: thread });
      discord.say(thread ?? chat, text);
    },
    otherBot: (text) => void discord.say(general, text, { user: other }),
    sendFile: ({ name, bytes }) => void discord.dm("", { files: [{ name, data: bytes }] }),
    press: (ref, token) => void pressed.push(discord.press(ref.id, token)),
    whispers: () => pressed.flatMap(({ followups }) => followups.map(({ content }) => content ?? "")),
    deleteMessage: ({ id }) => discord.remove(id),
    shown: (ref) => discord.shown(stored(ref).message),
    buttons: (ref) =>
      flatten(stored(ref).message.components).flatMap(({ type, custom_id }) => (type === 2 ? [custom_id ?? ""] : [])),
    posts: () => discord.everyPost().map(({ id, channel_id: chat }) => ({ at: { ...home, chat }, id })),
    limited: () => discord.limits?.hits ?? 0,
    edits: (ref) => stored(ref).payloads.length - 1,
    history: (ref) => stored(ref).payloads.map(({ content }) => content ?? ""),
    /** A payload that does not forbid them pings all that its text names. */
    pings: (ref) =>
      stored(ref).payloads.flatMap((it) => (it.allowed_mentions?.parse?.length === 0 ? [] : [String(it.content)])),
    links: (ref) =>
      [...discord.shown(stored(ref).message).matchAll(/\]\((https?:[^\s]+)\)/g)].map(([, url = ""]) => url),
    file(ref) {
      const [attachment] = stored(ref).message.attachments;
      return attachment && world.files.get(attachment.id)?.data;
    },
    reactions: (ref) => discord.reactions(ref.id),
    faults: {
      limitNext: (what) => discord.failNext(what === "post" ? POST : EDIT, { status: 429, retryAfter: 2 }),
      failNext: (what) => discord.failNext(what === "post" ? POST : EDIT, { status: 503 }),
      revokeToken: () => discord.failNext(/./, { status: 401, message: "401: Unauthorized" }, 1000),
      kick: () => people.kick(),
    },
    async close() {
      await channel.stop();
      await discord.stop();
    },
  };
}
