/** The Discord client as we use it: little memory, raw events. */
import { Client, GatewayDispatchEvents, GatewayIntentBits, Options, Partials } from "discord.js";
import type { DiscordConfig } from "../../config/schema.ts";
import { apiRoot } from "./api.ts";
import type { Self } from "./inbound.ts";
import type { RawInteraction, RawMessage } from "./raw.ts";

export interface GatewayEvents {
  created(message: RawMessage): void;
  updated(message: RawMessage): void;
  interaction(interaction: RawInteraction): void;
  threadDeleted(id: string): void;
}

/** A guild that is not available must not hold up the others. */
const GUILD_WAIT_MS = 5000;

export function createClient(config: DiscordConfig): Client {
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    // A direct message comes without its channel having been announced.
    partials: [Partials.Channel],
    rest: { api: apiRoot(config) },
    shards: "auto",
    waitGuildTimeout: GUILD_WAIT_MS,
    // Messages are read once, as raw data.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      // People come with their messages; only our own roles are looked up.
      GuildMemberManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user.id },
      UserManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user.id },
    }),
  });
}

export function listen({ ws }: Client, events: GatewayEvents): void {
  ws.on(GatewayDispatchEvents.MessageCreate, (message: RawMessage) => events.created(message));
  ws.on(GatewayDispatchEvents.MessageUpdate, (message: RawMessage) => events.updated(message));
  ws.on(GatewayDispatchEvents.InteractionCreate, (data: RawInteraction) => events.interaction(data));
  ws.on(GatewayDispatchEvents.ThreadDelete, ({ id }: { id: string }) => events.threadDeleted(id));
}

/** Who we are in a guild, and the names that its messages can mention. */
export function selfIn(
  client: Client | undefined,
  guildId: string | null | undefined,
  config: DiscordConfig,
  account: string | undefined,
): Self {
  const guild = guildId ? client?.guilds.cache.get(guildId) : undefined;
  const held = guild?.members.me?.roles.cache.map(({ id }) => id) ?? [];
  return {
    selfId: client?.user?.id ?? applicationOf(config) ?? "",
    // `@everyone` is a role with the id of its server.
    selfRoles: config.role_is_mention ? held.filter((id) => id !== guildId) : [],
    role: (id) => guild?.roles.cache.get(id)?.name,
    channel: (id) => {
      const channel = client?.channels.cache.get(id);
      return channel && "name" in channel ? (channel.name ?? undefined) : undefined;
    },
    ...(account === undefined ? {} : { bot: account }),
  };
}

/** The first part of a token is the application's id in base64; not secret. */
export function applicationOf({ bot_token = "" }: DiscordConfig): string | undefined {
  const id = Buffer.from(bot_token.split(".")[0] ?? "", "base64").toString("latin1");
  return /^\d{15,21}$/.test(id) ? id : undefined;
}
