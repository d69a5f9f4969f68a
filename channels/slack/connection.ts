/** Who we are and how events come in: the life of one bot's connection. */
import type { webApi } from "@slack/bolt";
import type { SlackConfig } from "../../config/schema.ts";
import type { ChannelDeps, ChannelStatus, Door } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { toChannelError } from "./errors.ts";
import { createIntake } from "./events.ts";
import type { Self } from "./inbound.ts";
import { createNames } from "./names.ts";
import { createHttpLink, createSocketLink, type Link, type LinkOptions } from "./receiver.ts";

export type SlackDeps = ChannelDeps & {
  /** Our name in `accounts:`. */
  account?: string | undefined;
};

/** Runs a request and converts what it rejects with. */
export type Call = <T>(method: string, request: () => Promise<T>) => Promise<T>;

export interface Connection {
  start(door: Door): Promise<void>;
  stop(): Promise<void>;
  status(): ChannelStatus;
  self(): Promise<Self>;
  call: Call;
}

function needed(value: string | undefined, key: string): string {
  if (value) return value;
  throw new ChannelError({ code: "auth", message: `Slack needs ${key}; it is not set.` });
}

function createStatus({ log, now }: ChannelDeps) {
  let status: ChannelStatus = { state: "stopped" };
  return {
    get: () => ({ ...status }),
    seen: () => {
      status.lastEventAt = now();
    },
    set(next: Pick<ChannelStatus, "state" | "detail">) {
      if (next.state !== status.state) log.info({ state: next.state }, `Slack is ${next.state}`);
      status = { ...next, lastEventAt: next.state === "up" ? now() : status.lastEventAt };
    },
  };
}

function createLink(config: SlackConfig, options: LinkOptions, apiUrl: string): Link {
  if (config.mode === "socket") {
    return createSocketLink({ ...options, apiUrl, appToken: needed(config.app_token, "app_token") });
  }
  if (config.http === undefined) throw new ChannelError({ code: "refused", message: "Slack's mode http needs http:." });
  return createHttpLink({
    ...options,
    ...config.http,
    signingSecret: needed(config.signing_secret, "signing_secret"),
  });
}

export function createConnection(
  config: SlackConfig,
  deps: SlackDeps,
  client: webApi.WebClient,
  apiUrl: string,
): Connection {
  const status = createStatus(deps);
  const names = createNames(client, deps.now);
  let link: Link | undefined;
  let known: Self | undefined;

  const call: Call = async (method, request) => {
    try {
      return await request();
    } catch (error) {
      const failure = toChannelError(error, method);
      if (failure.code === "auth" && status.get().state === "up")
        status.set({ state: "down", detail: failure.message });
      throw failure;
    }
  };

  async function self(): Promise<Self> {
    if (known !== undefined) return known;
    needed(config.bot_token, "bot_token");
    const me = await call("auth.test (the bot token)", () => client.auth.test());
    if (!me.user_id || !me.team_id)
      throw new ChannelError({ code: "auth", message: "Slack's bot token is of no bot." });
    known = { userId: me.user_id, botId: me.bot_id ?? "", team: me.team_id, bot: deps.account };
    return known;
  }

  async function open(door: Door): Promise<void> {
    const intake = createIntake({ ...deps, door, self: await self(), names, client, apiUrl });
    const watched: LinkOptions["intake"] = (body, ack) => {
      status.seen();
      return intake(body, ack);
    };
    link = createLink(config, { intake: watched, log: deps.log, changed: status.set }, apiUrl);
    await call("listening", link.start);
  }

  return {
    call,
    self,
    status: status.get,
    async start(door) {
      status.set({ state: "starting" });
      try {
        await open(door);
      } catch (error) {
        const failure = toChannelError(error, "start");
        status.set({ state: "down", detail: failure.message });
        throw failure;
      }
    },
    async stop() {
      const closing = link;
      link = undefined;
      await closing?.stop();
      status.set({ state: "stopped" });
    },
  };
}
