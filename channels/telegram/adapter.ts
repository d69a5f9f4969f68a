/** Telegram as a channel: telegraf's client, our own polling loop or webhook. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TelegramConfig } from "../../config/schema.ts";
import type { Address, Channel, ChannelDeps, ChannelStatus, Content, Door, NativeCommand, Pace } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { createApi } from "./api.ts";
import { examine } from "./doctor.ts";
import { fetchFile } from "./files.ts";
import type { Self } from "./inbound.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createOutbound, targetOf } from "./outbound.ts";
import { createPolling } from "./polling.ts";
import { fits, splitForTelegram } from "./size.ts";
import { createUpdates } from "./updates.ts";
import { derivedSecret, openWebhook, publicUrl } from "./webhook.ts";
import { ALLOWED_UPDATES, type TgMe } from "./wire.ts";

/** Times, for tests. */
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

/** With these an update that cannot be stored is tried for about a minute. */
const TIMES: TelegramTimes = { holdSeconds: 50, pauseMs: 250, tries: 30, acceptMs: 30_000 };
const LONGEST_START_PAUSE_MS = 30_000;

const DIALECT =
  "Telegram: bold, italic, strikethrough, links, inline code, code blocks and quotes show; headings show as bold, " +
  "tables as monospaced text, so prefer short lists. A message holds 4,096 characters.";

export function createTelegram(
  config: TelegramConfig,
  deps: ChannelDeps & { account?: string | undefined },
  times: Partial<TelegramTimes> = {},
): Channel {
  const { log } = deps;
  const token = config.bot_token ?? "";
  const api = createApi(token, config.api_root);
  const outbound = createOutbound(api);
  const pace = { ...TIMES, ...times };
  let self: Self = { id: token.split(":")[0] ?? "", username: "", account: deps.account };
  let status: ChannelStatus = { state: "stopped" };
  let stopping = new AbortController();
  let close: (() => Promise<void>) | undefined;

  function report(state: ChannelStatus["state"], detail?: string): void {
    const changed = status.state !== state || status.detail !== detail;
    const lastEventAt = state === "up" ? deps.now() : status.lastEventAt;
    status = { state, detail, lastEventAt };
    if (!changed) return;
    const facts = { channel: "telegram", bot: self.username, state, detail };
    if (state === "up" || state === "starting" || state === "stopped") log.info(facts, "telegram connection");
    else log.warn(facts, "telegram connection");
  }

  /** Tries until Telegram answers; only a refusal or `stop` ends it. */
  async function insist<T>(method: string, payload: object): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await api.call<T>(method, payload, { signal: stopping.signal });
      } catch (error) {
        if (!(error instanceof ChannelError) || stopping.signal.aborted) throw stoppedEarly();
        if (error.code !== "unavailable" && error.code !== "rate_limited") throw clear(error);
        report("starting", error.message);
        const wait = error.retryAfterMs ?? Math.min(pace.pauseMs * 2 ** failures, LONGEST_START_PAUSE_MS);
        await sleep(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) throw stoppedEarly();
      }
    }
  }

  async function startPolling(intake: Intake): Promise<void> {
    // A webhook left behind would make every poll fail. Waiting updates stay.
    await insist("deleteWebhook", { drop_pending_updates: false });
    const polling = createPolling({ api, intake, report, holdSeconds: pace.holdSeconds, pauseMs: pace.pauseMs });
    close = () => polling.stop();
    await polling.start();
  }

  async function startWebhook(intake: Intake): Promise<void> {
    if (!config.webhook) {
      throw new ChannelError({ code: "refused", message: "channels.telegram.webhook is missing (mode is webhook)" });
    }
    const { host, port, path, public_url } = config.webhook;
    const secret = config.webhook_secret ?? derivedSecret(token);
    const server = await openWebhook({ host, port, path, secret, intake, alive: () => report("up") });
    close = () => server.close();
    const url = publicUrl(public_url, path);
    await insist("setWebhook", { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES });
    report("up");
  }

  async function start(door: Door): Promise<void> {
    stopping = new AbortController();
    report("starting");
    try {
      if (!token) throw new ChannelError({ code: "auth", message: "channels.telegram.bot_token is not set" });
      const me = await insist<TgMe>("getMe", {});
      self = { ...self, id: String(me.id), username: me.username ?? "" };
      const updates = createUpdates({ api, door, self: () => self, log });
      const intake = createIntake({ ...updates, log, tries: pace.tries, timeoutMs: pace.acceptMs });
      await (config.mode === "webhook" ? startWebhook(intake) : startPolling(intake));
    } catch (error) {
      await close?.();
      close = undefined;
      const message = error instanceof ChannelError ? error.message : "unexpected failure at the start";
      if (!stopping.signal.aborted) report("down", message);
      throw error;
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    const closing = close;
    close = undefined;
    await closing?.();
    report("stopped");
  }

  async function commands(table: NativeCommand[]): Promise<void> {
    self = { ...self, commands: new Set(table.map(({ name }) => name.toLowerCase())) };
    const valid = table.filter(isValidCommand);
    const everyone = valid.filter(({ admin }) => !admin);
    await api.call("setMyCommands", { commands: everyone.map(toBotCommand), scope: { type: "default" } });
    const scope = { type: "all_chat_administrators" };
    await api.call("setMyCommands", { commands: valid.map(toBotCommand), scope });
  }

  return {
    name: "telegram",
    capabilities: { edits: true, threads: true, buttons: true, files: true, streaming: true, dialect: DIALECT },
    start,
    stop,
    post: (to, content) => outbound.post(to, content),
    edit: (ref, content) => outbound.edit(ref, content),
    split: splitForTelegram,
    fitsEdit: (content: Content) => content.kind !== "file" && fits(content),
    pace: (at) => paceOf(at, self.id),
    async typing(at, on) {
      // It cannot be taken back; it lapses after five seconds.
      if (on) await api.call("sendChatAction", { ...targetOf(at), action: "typing" });
    },
    async react(ref, emoji) {
      const reaction = emoji === "seen" ? [{ type: "emoji", emoji: "👀" }] : [];
      await api.call("setMessageReaction", { chat_id: ref.at.chat, message_id: Number(ref.id), reaction });
    },
    async remove(ref) {
      try {
        await api.call("deleteMessage", { chat_id: ref.at.chat, message_id: Number(ref.id) });
      } catch (error) {
        if (!(error instanceof ChannelError && /not found/i.test(error.message))) throw error;
      }
    },
    fetch: (attachment, _at, maxBytes) => fetchFile(api, attachment, maxBytes),
    commands,
    status: () => status,
    doctor: () => examine(api, config),
  };
}

/**
 * Telegram allows about one message a second per chat, 20 a minute per group and 30 a second per bot, edits included.
 * Burst plus refill stay below these in any window.
 */
function paceOf(at: Address, botId: string): Pace[] {
  const bot = `telegram/${botId}`;
  const chat = `${bot}/chat/${at.chat}`;
  const isGroup = at.chat.startsWith("-");
  return [
    isGroup ? { key: chat, burst: 3, perMs: 10_500 } : { key: chat, burst: 3, perMs: 3000 },
    { key: bot, burst: 10, perMs: 500 },
  ];
}

function isValidCommand({ name, description }: NativeCommand): boolean {
  return /^[a-z0-9_]{1,32}$/.test(name) && description.length > 0;
}

function toBotCommand({ name, description }: NativeCommand): { command: string; description: string } {
  return { command: name, description: description.slice(0, 256) };
}

function clear(error: ChannelError): ChannelError {
  if (error.code !== "auth") return error;
  const message = "Telegram refuses the bot token; copy it again from @BotFather into channels.telegram.bot_token";
  return new ChannelError({ code: "auth", message });
}

function stoppedEarly(): ChannelError {
  return new ChannelError({ code: "unavailable", message: "Telegram was stopped before it was connected" });
}
