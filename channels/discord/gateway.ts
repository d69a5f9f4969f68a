/** One connection to Discord's gateway: who we are in it, what we know by it, and whether it is up. */
import {
  Client,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayIntentBits,
  Options,
  Partials,
} from "discord.js";
import type { DiscordConfig } from "../../config/schema.ts";
import type { ChannelLog, ChannelStatus } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { apiRoot } from "./api.ts";
import { intentSentence, tokenSentence } from "./doctor.ts";
import { toChannelError } from "./errors.ts";
import type { Self } from "./inbound.ts";
import type { RawChannel, RawInteraction, RawMessage } from "./raw.ts";

export interface GatewayDeps {
  config: DiscordConfig;
  account: string | undefined;
  log: ChannelLog;
  now(): number;
}

export interface GatewayEvents {
  created(message: RawMessage): void;
  updated(message: RawMessage): void;
  interaction(interaction: RawInteraction): void;
  threadDeleted(id: string): void;
}

export interface Gateway {
  /** Rejects with a ChannelError when Discord does not let us in. */
  open(events: GatewayEvents): Promise<void>;
  close(): Promise<void>;
  status(): ChannelStatus;
  /** The application's id, known once open. */
  application(): string | undefined;
  cached(id: string): RawChannel | undefined;
  self(guild: string | null | undefined): Self;
}

/** A guild that is not available must not hold up the others. */
const GUILD_WAIT_MS = 5000;

function createClient(config: DiscordConfig): Client {
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

export function createGateway({ config, account, log, now }: GatewayDeps): Gateway {
  let client: Client | undefined;
  let abandon: ((reason: ChannelError) => void) | undefined;
  let status: ChannelStatus = { state: "stopped" };
  let lastEventAt: number | undefined;

  async function open(events: GatewayEvents): Promise<void> {
    status = { state: "starting" };
    const opened = createClient(config);
    let closeCode: number | undefined;
    opened.on(Events.ShardDisconnect, ({ code }) => {
      closeCode = code;
    });
    watch(opened);
    listen(opened, events);
    const ready = new Promise<void>((resolve, reject) => {
      opened.once(Events.ClientReady, () => resolve());
      // The client would go on trying to connect, and its login would never settle.
      abandon = reject;
    });
    client = opened;
    try {
      await Promise.all([opened.login(config.bot_token), ready]);
    } catch (error) {
      const refusal = error instanceof ChannelError ? error : refusalOf(error, closeCode);
      if (client === opened) status = { state: "down", detail: refusal.message };
      throw refusal;
    }
  }

  function watch(opened: Client): void {
    const up = () => {
      if (opened === client) status = { state: "up" };
    };
    opened.on(Events.ClientReady, up);
    opened.on(Events.ShardReady, up);
    opened.on(Events.ShardResume, up);
    opened.on(Events.Raw, () => {
      lastEventAt = now();
    });
    opened.on(Events.ShardReconnecting, () => {
      status = { state: "reconnecting", detail: "The connection to Discord broke; it is being resumed." };
      log.warn({ account }, "Discord gateway reconnects");
    });
    opened.on(Events.ShardDisconnect, ({ code }) => {
      status = { state: "down", detail: refusalOf(undefined, code).message };
      log.error({ account, code }, "Discord gateway closed for good");
    });
    opened.on(Events.ShardError, (error) => log.warn({ account, error: error.message }, "Discord gateway error"));
    opened.on(Events.Error, (error) => log.error({ account, error: error.message }, "Discord client error"));
  }

  function refusalOf(error: unknown, closeCode: number | undefined): ChannelError {
    const badToken = error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
    if (badToken || closeCode === GatewayCloseCodes.AuthenticationFailed) {
      return new ChannelError({ code: "auth", message: tokenSentence(account) });
    }
    if (closeCode === GatewayCloseCodes.DisallowedIntents) {
      return new ChannelError({ code: "auth", message: intentSentence(applicationOf(config)) });
    }
    if (closeCode !== undefined) {
      return new ChannelError({ code: "refused", message: `Discord closed the gateway with code ${closeCode}.` });
    }
    return toChannelError(error, "the start");
  }

  return {
    open,
    async close() {
      const closing = client;
      client = undefined;
      status = { state: "stopped" };
      abandon?.(new ChannelError({ code: "unavailable", message: "Discord was stopped while it was starting." }));
      closing?.removeAllListeners();
      closing?.ws.removeAllListeners();
      closing?.on(Events.Error, () => undefined); // an error nobody listens to would end the process
      await closing?.destroy();
    },
    status() {
      const beats = client?.ws.shards.map((shard) => shard.lastPingTimestamp) ?? [];
      const last = Math.max(lastEventAt ?? 0, ...beats);
      return { ...status, ...(last > 0 ? { lastEventAt: last } : {}) };
    },
    application: () => client?.application?.id,
    cached(id) {
      const channel = client?.channels.cache.get(id);
      if (!channel) return undefined;
      return { id, type: channel.type, parent_id: "parentId" in channel ? channel.parentId : null };
    },
    self: (guild) => selfIn(client, guild, config, account),
  };
}

function listen({ ws }: Client, events: GatewayEvents): void {
  ws.on(GatewayDispatchEvents.MessageCreate, (message: RawMessage) => events.created(message));
  ws.on(GatewayDispatchEvents.MessageUpdate, (message: RawMessage) => events.updated(message));
  ws.on(GatewayDispatchEvents.InteractionCreate, (data: RawInteraction) => events.interaction(data));
  ws.on(GatewayDispatchEvents.ThreadDelete, ({ id }: { id: string }) => events.threadDeleted(id));
}

function selfIn(
  client: Client | undefined,
  guildId: string | null | undefined,
  config: DiscordConfig,
  account: string | undefined,
): Self {
  const guild = guildId ? client?.guilds.cache.get(guildId) : undefined;
  const held = guild?.members.me?.roles.cache.map(({ id }) => id) ?? [];
  return {
    selfId: client?.user?.id ?? applicationOf(config),
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
function applicationOf({ bot_token = "" }: DiscordConfig): string {
  const id = Buffer.from(bot_token.split(".")[0] ?? "", "base64").toString("latin1");
  return /^\d{15,21}$/.test(id) ? id : "me";
}
