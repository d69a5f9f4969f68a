/** One connection to Discord's gateway: who we are in it, what we know by it, and whether it is up. */
import { type Client, DiscordjsError, DiscordjsErrorCodes, Events, GatewayCloseCodes } from "discord.js";
import type { DiscordConfig } from "../../config/schema.ts";
import type { ChannelLog, ChannelStatus } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { applicationOf, createClient, type GatewayEvents, listen, selfIn } from "./client.ts";
import { intentSentence, tokenSentence } from "./doctor.ts";
import { toChannelError } from "./errors.ts";
import type { Self } from "./inbound.ts";
import type { RawChannel } from "./raw.ts";

export interface GatewayDeps {
  config: DiscordConfig;
  account: string | undefined;
  log: ChannelLog;
  now(): number;
}

export class Gateway {
  readonly #deps: GatewayDeps;
  #client: Client | undefined;
  #abandon: ((reason: ChannelError) => void) | undefined;
  #status: ChannelStatus = { state: "stopped" };
  #lastEventAt = 0;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  /** Rejects with a ChannelError when Discord does not let us in. */
  async open(events: GatewayEvents): Promise<void> {
    this.#status = { state: "starting" };
    const client = createClient(this.#deps.config);
    this.#client = client;
    let closeCode: number | undefined;
    client.on(Events.ShardDisconnect, ({ code }) => {
      closeCode = code;
    });
    this.#watch(client);
    listen(client, events);
    try {
      await Promise.all([client.login(this.#deps.config.bot_token), this.#ready(client)]);
    } catch (error) {
      const refusal = error instanceof ChannelError ? error : this.#refusal(error, closeCode);
      if (this.#client === client) this.#status = { state: "down", detail: refusal.message };
      throw refusal;
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#status = { state: "stopped" };
    this.#abandon?.(new ChannelError({ code: "unavailable", message: "Discord was stopped while it was starting." }));
    client?.removeAllListeners();
    client?.ws.removeAllListeners();
    client?.on(Events.Error, () => undefined); // an error nobody listens to would end the process
    await client?.destroy();
  }

  status(): ChannelStatus {
    const beats = this.#client?.ws.shards.map((shard) => shard.lastPingTimestamp) ?? [];
    const last = Math.max(this.#lastEventAt, ...beats);
    return { ...this.#status, ...(last > 0 ? { lastEventAt: last } : {}) };
  }

  /** The application's id, known once open. */
  application(): string | undefined {
    return this.#client?.application?.id;
  }

  cached(id: string): RawChannel | undefined {
    const channel = this.#client?.channels.cache.get(id);
    if (!channel) return undefined;
    return { id, type: channel.type, parent_id: "parentId" in channel ? channel.parentId : null };
  }

  self(guild: string | null | undefined): Self {
    return selfIn(this.#client, guild, this.#deps.config, this.#deps.account);
  }

  #ready(client: Client): Promise<void> {
    return new Promise((resolve, reject) => {
      client.once(Events.ClientReady, () => resolve());
      // The client would go on trying to connect, and its login would never settle.
      this.#abandon = reject;
    });
  }

  #watch(client: Client): void {
    const { account, log, now } = this.#deps;
    const up = () => {
      this.#status = { state: "up" };
    };
    client.on(Events.ClientReady, up);
    client.on(Events.ShardReady, up);
    client.on(Events.ShardResume, up);
    client.on(Events.Raw, () => {
      this.#lastEventAt = now();
    });
    client.on(Events.ShardReconnecting, () => {
      this.#status = { state: "reconnecting", detail: "The connection to Discord broke; it is being resumed." };
      log.warn({ account }, "Discord gateway reconnects");
    });
    client.on(Events.ShardDisconnect, ({ code }) => {
      this.#status = { state: "down", detail: this.#refusal(undefined, code).message };
      log.error({ account, code }, "Discord gateway closed for good");
    });
    client.on(Events.ShardError, (error) => log.warn({ account, error: error.message }, "Discord gateway error"));
    client.on(Events.Error, (error) => log.error({ account, error: error.message }, "Discord client error"));
  }

  #refusal(error: unknown, closeCode: number | undefined): ChannelError {
    const badToken = error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
    if (badToken || closeCode === GatewayCloseCodes.AuthenticationFailed) {
      return new ChannelError({ code: "auth", message: tokenSentence(this.#deps.account) });
    }
    if (closeCode === GatewayCloseCodes.DisallowedIntents) {
      return new ChannelError({ code: "auth", message: intentSentence(applicationOf(this.#deps.config)) });
    }
    if (closeCode !== undefined) {
      return new ChannelError({ code: "refused", message: `Discord closed the gateway with code ${closeCode}.` });
    }
    return toChannelError(error, "the start");
  }
}
