/** The two ways events reach us, over Bolt's receivers. An event is acknowledged by whoever takes it, or not at all. */
import { setTimeout as sleep } from "node:timers/promises";
import { type App, HTTPReceiver, type Logger, LogLevel, SocketModeReceiver } from "@slack/bolt";
import type { ChannelLog, ChannelStatus } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { toChannelError } from "./errors.ts";

/** Rejects when the event could not be kept: it stays unacknowledged and Slack delivers it again. */
export type Intake = (body: Record<string, unknown>, ack: () => Promise<void>) => Promise<void>;

export interface Link {
  /** Resolves when events flow. */
  start(): Promise<void>;
  /** Takes no more events, lets those at work end, then closes. */
  stop(): Promise<void>;
}

export interface LinkOptions {
  intake: Intake;
  log: ChannelLog;
  changed(status: Pick<ChannelStatus, "state" | "detail">): void;
}

/** Between attempts to reconnect; the first is at once, because Slack recycles connections all day. */
const WAITS_MS = [0, 200, 500, 1000, 2000, 5000, 10_000, 30_000];
const HELLO_MS = 20_000;
const CLOSE_MS = 2000;
/** Slack gives an event this long; whatever is still at work then is delivered again. */
const WORK_MS = 3000;
const OPENING = "apps.connections.open (the app token)";

/** Bolt's own lines: bodies are at its debug level, so that level is never let through; connection URLs carry a ticket. */
export function boltLogger(log: ChannelLog): Logger {
  const line = (parts: unknown[]) => parts.join(" ").replace(/\bwss?:\/\/\S+/g, "<socket>");
  return {
    debug: () => undefined,
    info: (...parts) => log.debug({}, `bolt: ${line(parts)}`),
    warn: (...parts) => log.warn({}, `bolt: ${line(parts)}`),
    error: (...parts) => log.warn({}, `bolt: ${line(parts)}`),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}

/** Counts events at work, so that stop can wait for them, and refuses new ones while stopping. */
function createGate({ intake, log }: LinkOptions) {
  const working = new Set<Promise<void>>();
  let closed = false;
  const take: Intake = async (body, ack) => {
    if (closed) throw new Error("stopping: left for Slack to deliver again");
    // The socket may be gone by now: then Slack delivers again and the bridge knows the id.
    const acked = () => ack().catch((error: unknown) => log.debug({ error: String(error) }, "Slack ack was not sent"));
    const job = intake(body, acked);
    working.add(job);
    await job.finally(() => working.delete(job));
  };
  const close = async () => {
    closed = true;
    await Promise.race([Promise.allSettled(working), sleep(WORK_MS, undefined, { ref: false })]);
  };
  return { take, close };
}

/** Bolt's receivers only ever call `processEvent` of the app they are given. */
function asApp(take: Intake): App {
  const processEvent: App["processEvent"] = ({ body, ack }) => take(body, () => ack());
  return { processEvent } as App;
}

export function createSocketLink(options: LinkOptions & { appToken: string; apiUrl: string }): Link {
  const { log, changed } = options;
  const gate = createGate(options);
  const stopping = new AbortController();
  const receiver = new SocketModeReceiver({
    appToken: options.appToken,
    logger: boltLogger(log),
    // Reconnecting is ours: Bolt's own loop waits at least 5 s and ends in an unhandled rejection.
    autoReconnectEnabled: false,
    processEventErrorHandler: async ({ error }) => {
      log.warn({ error: error.message }, "Slack event was not kept; Slack will deliver it again");
      return false;
    },
    installerOptions: {
      clientOptions: {
        slackApiUrl: options.apiUrl,
        timeout: HELLO_MS,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
      },
    },
  });
  receiver.init(asApp(gate.take));
  const { client } = receiver;
  let connecting = false;

  async function connect(): Promise<void> {
    const timer = setTimeout(() => void client.disconnect(), HELLO_MS);
    try {
      await client.start();
      // Stopped while the address was being fetched.
      if (stopping.signal.aborted) await client.disconnect();
    } catch (error) {
      throw toChannelError(error ?? new Error("closed before hello"), OPENING);
    } finally {
      clearTimeout(timer);
    }
  }

  async function attempt(): Promise<number | undefined> {
    try {
      await connect();
      return undefined;
    } catch (error) {
      const failure = toChannelError(error, OPENING);
      changed({ state: failure.code === "auth" ? "down" : "reconnecting", detail: failure.message });
      log.warn({ code: failure.code }, failure.message);
      return failure.code === "auth" ? WAITS_MS.at(-1) : (failure.retryAfterMs ?? 0);
    }
  }

  async function reconnect(): Promise<void> {
    if (connecting || stopping.signal.aborted) return;
    connecting = true;
    changed({ state: "reconnecting", detail: "the connection to Slack was closed" });
    for (let tries = 0, wait: number | undefined = 0; wait !== undefined && !stopping.signal.aborted; tries += 1) {
      const pause = Math.max(wait, WAITS_MS[tries] ?? WAITS_MS.at(-1)!);
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
      wait = stopping.signal.aborted ? undefined : await attempt();
    }
    connecting = false;
    if (!stopping.signal.aborted) changed({ state: "up" });
  }

  return {
    async start() {
      connecting = true;
      try {
        await connect();
        changed({ state: "up" });
      } finally {
        connecting = false;
      }
      client.on("disconnected", () => void reconnect());
    },
    async stop() {
      await gate.close();
      stopping.abort();
      await Promise.race([client.disconnect(), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

export function createHttpLink(
  options: LinkOptions & { signingSecret: string; host: string; port: number; path: string },
): Link {
  const gate = createGate(options);
  const receiver = new HTTPReceiver({
    signingSecret: options.signingSecret,
    endpoints: [options.path],
    logger: boltLogger(options.log),
    processEventErrorHandler: async ({ error, response }) => {
      options.log.warn({ error: error.message }, "Slack event was not kept; Slack will deliver it again");
      if (!response.headersSent) response.writeHead(500).end();
      return false;
    },
  });
  receiver.init(asApp(gate.take));
  let listening = false;
  return {
    async start() {
      await receiver.start({ host: options.host, port: options.port }).catch((error: NodeJS.ErrnoException) => {
        const place = `${options.host}:${options.port}`;
        throw new ChannelError({
          code: "refused",
          message: `Slack's events cannot be heard on ${place}: ${error.code}.`,
        });
      });
      listening = true;
      options.changed({ state: "up" });
    },
    async stop() {
      await gate.close();
      if (listening) await receiver.stop();
      listening = false;
    },
  };
}
