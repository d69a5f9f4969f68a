/** From the token to flowing updates and back: start, status, stop. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TelegramConfig } from "../../config/schema.ts";
import type { ChannelLog, ChannelStatus, Door } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";
import type { Self } from "./inbound.ts";
import { createIntake, type Intake } from "./intake.ts";
import { Polling } from "./polling.ts";
import { createUpdates } from "./updates.ts";
import { derivedSecret, openWebhook, publicUrl } from "./webhook.ts";
import { ALLOWED_UPDATES, type TgMe } from "./wire.ts";

/** Times, changed by tests only. */
export interface TelegramTimes {
  /** Seconds a poll is held. */
  holdSeconds: number;
  /** First pause after a failure, milliseconds. */
  pauseMs: number;
  /** Deliveries of one update before it is given up. */
  tries: number;
  /** An accept that takes longer counts as failed. */
  acceptMs: number;
}

export interface ConnectionOptions {
  api: Api;
  config: TelegramConfig;
  account: string | undefined;
  log: ChannelLog;
  now(): number;
  times: Partial<TelegramTimes>;
}

/** With these an update that cannot be stored is tried for about a minute. */
const TIMES: TelegramTimes = { holdSeconds: 50, pauseMs: 250, tries: 30, acceptMs: 30_000 };
/** Telegram waits longer and longer between deliveries, so fewer of them take as long. */
const WEBHOOK_TRIES = 8;
const LONGEST_PAUSE_MS = 30_000;

export class Connection {
  status: ChannelStatus = { state: "stopped" };
  self: Self;
  readonly #options: ConnectionOptions;
  readonly #times: TelegramTimes;
  #stopping = new AbortController();
  #close: (() => Promise<void>) | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    // The token begins with the bot's id: enough to keep the pace before the first answer.
    this.self = { id: this.#token.split(":")[0] ?? "", username: "", account: options.account };
  }

  get #token(): string {
    return this.#options.config.bot_token ?? "";
  }

  async start(door: Door): Promise<void> {
    this.#stopping = new AbortController();
    this.#report("starting");
    try {
      await this.#open(door);
    } catch (error) {
      await this.#close?.();
      this.#close = undefined;
      const message = error instanceof ChannelError ? error.message : "unexpected failure at the start";
      if (!this.#stopping.signal.aborted) this.#report("down", message);
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const close = this.#close;
    this.#close = undefined;
    await close?.();
    this.#report("stopped");
  }

  async #open(door: Door): Promise<void> {
    const { api, config, log } = this.#options;
    if (!this.#token) throw new ChannelError({ code: "auth", message: "channels.telegram.bot_token is not set" });
    const me = await this.#insist<TgMe>("getMe", {});
    this.self = { ...this.self, id: String(me.id), username: me.username ?? "" };
    const updates = createUpdates({ api, door, self: () => this.self, log });
    const byWebhook = config.mode === "webhook";
    const tries = byWebhook ? Math.min(this.#times.tries, WEBHOOK_TRIES) : this.#times.tries;
    const intake = createIntake({ ...updates, log, tries, timeoutMs: this.#times.acceptMs });
    await (byWebhook ? this.#webhook(intake) : this.#poll(intake));
  }

  async #poll(intake: Intake): Promise<void> {
    // A webhook left behind would make every poll fail. Waiting updates stay. If it cannot be taken away, polls tell.
    await this.#insist("deleteWebhook", { drop_pending_updates: false }).catch(unlessRefused);
    const report = this.#report.bind(this);
    const polling = new Polling({ api: this.#options.api, intake, report, ...this.#times });
    this.#close = () => polling.stop();
    await polling.start();
  }

  /** `stop` leaves the webhook set: Telegram then keeps what comes meanwhile. */
  async #webhook(intake: Intake): Promise<void> {
    const { webhook, webhook_secret } = this.#options.config;
    if (!webhook) {
      throw new ChannelError({ code: "refused", message: "channels.telegram.webhook is missing (mode is webhook)" });
    }
    const { public_url, ...place } = webhook;
    const secret = webhook_secret ?? derivedSecret(this.#token);
    const server = await openWebhook({ ...place, secret, intake, alive: () => this.#report("up") });
    this.#close = () => server.close();
    const url = publicUrl(public_url, webhook.path);
    await this.#insist("setWebhook", { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES });
    this.#report("up");
  }

  /** Tries until Telegram answers; only a refusal or `stop` ends it. */
  async #insist<T>(method: string, payload: object): Promise<T> {
    const { signal } = this.#stopping;
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.#options.api.call<T>(method, payload, { signal });
      } catch (error) {
        if (!(error instanceof ChannelError) || signal.aborted) throw stoppedEarly();
        if (error.code !== "unavailable" && error.code !== "rate_limited") throw clear(error);
        this.#report("starting", error.message);
        const wait = error.retryAfterMs ?? Math.min(this.#times.pauseMs * 2 ** failures, LONGEST_PAUSE_MS);
        await sleep(wait, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw stoppedEarly();
      }
    }
  }

  #report(state: ChannelStatus["state"], detail?: string): void {
    const { log, now } = this.#options;
    const changed = this.status.state !== state || this.status.detail !== detail;
    const lastEventAt = state === "up" ? now() : this.status.lastEventAt;
    this.status = { state, detail, lastEventAt };
    if (!changed) return;
    const facts = { channel: "telegram", bot: this.self.username, state, detail };
    const calm = state === "up" || state === "stopped" || (state === "starting" && !detail);
    if (calm) log.info(facts, "telegram connection");
    else log.warn(facts, "telegram connection");
  }
}

function clear(error: ChannelError): ChannelError {
  if (error.code !== "auth") return error;
  const message = "Telegram refuses the bot token; copy it again from @BotFather into channels.telegram.bot_token";
  return new ChannelError({ code: "auth", message });
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof ChannelError && error.code === "refused")) throw error;
}

function stoppedEarly(): ChannelError {
  return new ChannelError({ code: "unavailable", message: "Telegram was stopped before it was connected" });
}
