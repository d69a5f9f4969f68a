/** One connection to Redis or a Redis Cluster: retries within a limit, scripts, and errors an operator understands. */
import { setTimeout as pause } from "node:timers/promises";
import { Cluster, type ClusterOptions, Redis, type RedisOptions, ReplyError } from "ioredis";
import { messageOf, OperatorError } from "../errors.ts";
import type { Log } from "../log.ts";
import { redact } from "../redact.ts";

export type Client = Redis | Cluster;

export interface Script {
  /** Becomes a method of the client; starts with `pb`. */
  name: string;
  lua: string;
}

/** Not Uint8Array: the client would send it as a list of numbers. */
export type Arg = string | number | Buffer;

/** How long a call tries before it rejects. Platforms wait about 3 seconds for an answer; a run can wait longer. */
export const PATIENCE_MS = { request: 2_000, work: 15_000 } as const;
export type Patience = keyof typeof PATIENCE_MS;

export interface RedisLink {
  client: Client;
  /** Rejects with an OperatorError when Redis stays unreachable. `work` may run more than once. */
  call<T>(patience: Patience, work: (client: Client) => Promise<T>): Promise<T>;
  script(patience: Patience, script: Script, keys: string[], args: Arg[]): Promise<unknown>;
  /** As `script`; strings of the reply are Buffers. */
  scriptBuffer(patience: Patience, script: Script, keys: string[], args: Arg[]): Promise<unknown>;
  /** `local` as Redis's clock would have it, so that workers with clocks apart agree on leases. */
  shared(local: number): number;
  close(): Promise<void>;
}

export interface LinkOptions {
  url: string;
  /** Further seed nodes, `host:port` or URLs: makes it a Cluster. */
  cluster: string[];
  log: Log;
}

const RETRY_EVERY_MS = 50;
/** Clocks this close are as good as equal. */
const CLOCK_NOISE_MS = 1_000;

export function openLink(options: LinkOptions): RedisLink {
  const client = connect(options);
  const where = placeOf(options.url);
  let lastError: unknown;
  let offset = 0;
  let closed = false;
  client.on("error", (error: unknown) => {
    lastError = error;
  });
  client.on("ready", () => {
    lastError = undefined;
    void measure();
  });
  watch(client, where, options.log);

  async function measure(): Promise<void> {
    try {
      const [seconds, micros] = await client.time();
      const ahead = Number(seconds) * 1_000 + Number(micros) / 1_000 - Date.now();
      offset = Math.abs(ahead) > CLOCK_NOISE_MS ? Math.round(ahead) : 0;
      if (offset !== 0) options.log.warn({ redis: where, aheadMs: offset }, "clocks differ, leases use Redis's");
    } catch {
      // The connection is gone again; the next one measures.
    }
  }

  async function call<T>(patience: Patience, work: (client: Client) => Promise<T>): Promise<T> {
    const giveUpAt = Date.now() + PATIENCE_MS[patience];
    let reply: unknown;
    for (;;) {
      try {
        return await within(giveUpAt - Date.now(), work(client));
      } catch (error) {
        throwIfFinal(error);
        // What the server said tells more than that there is no connection.
        if (error instanceof ReplyError) reply = error;
        if (closed || Date.now() + RETRY_EVERY_MS >= giveUpAt) throw unreachable(lastError ?? reply ?? error, where);
      }
      await pause(RETRY_EVERY_MS);
    }
  }

  function throwIfFinal(error: unknown): void {
    if (!mayPass(error)) throw refused(error, where);
    if (isAboutAccess(lastError)) throw refused(lastError, where);
  }

  return {
    client,
    call,
    script: (patience, script, keys, args) =>
      call(patience, () => method(client, script, "")(keys.length, ...keys, ...args)),
    scriptBuffer: (patience, script, keys, args) =>
      call(patience, () => method(client, script, "Buffer")(keys.length, ...keys, ...args)),
    shared: (local) => local + offset,
    async close() {
      closed = true;
      await end(client);
    },
  };
}

function connect({ url, cluster }: LinkOptions): Client {
  const shared: RedisOptions = {
    // No queue and no resending inside the client: `call` does both, within its limit.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 5_000,
    // A server that hangs: drop the connection rather than wait.
    socketTimeout: 10_000,
    keepAlive: 10_000,
  };
  if (cluster.length === 0)
    return new Redis(url, { ...shared, retryStrategy: retryDelay, reconnectOnError: isReadOnly });
  const { enableOfflineQueue, maxRetriesPerRequest, autoResendUnfulfilledCommands, ...perNode } = shared;
  const seeds = [url, ...cluster].map((node) => parseNode(node));
  const options: ClusterOptions = {
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelay,
    redisOptions: { ...perNode, ...credentials(url) },
    // With TLS, certificates name hosts: keep the name instead of resolving it first.
    ...(url.startsWith("rediss:") ? { dnsLookup: (host, done) => done(null, host) } : {}),
  };
  return new Cluster(seeds, options);
}

export function retryDelay(times: number): number {
  return Math.min(times * 100, 1_000);
}

/** After a failover the old primary answers READONLY: connect anew, the name may lead to the new one. */
function isReadOnly(error: Error): boolean {
  return error.message.startsWith("READONLY");
}

function parseNode(node: string): { host: string; port: number } {
  const { hostname, port } = new URL(node.includes("://") ? node : `redis://${node}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6379) };
}

function credentials(url: string): Pick<RedisOptions, "username" | "password" | "tls"> {
  const { username, password, protocol } = new URL(url);
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === "rediss:" ? { tls: {} } : {}),
  };
}

/** Host, port and database, without credentials. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 6379}${pathname === "/" ? "" : pathname}`;
}

/** Says once that the connection is lost and once that it is back, however often it is tried in between. */
export function watch(client: Client, where: string, log: Log): void {
  let down = false;
  client.on("error", (error: unknown) => {
    if (!down) log.warn({ redis: where, error: redact(messageOf(error)) }, "Redis connection lost");
    down = true;
  });
  client.on("ready", () => {
    if (down) log.info({ redis: where }, "Redis connection is back");
    down = false;
  });
}

const GOODBYE_MS = 1_000;

export async function end(client: Client): Promise<void> {
  if (client.status === "ready") {
    await within(GOODBYE_MS, client.quit()).catch(() => undefined); // It is down: nothing to say goodbye to.
  }
  client.disconnect();
}

type Method = (...args: unknown[]) => Promise<unknown>;

function method(client: Client, { name, lua }: Script, suffix: "" | "Buffer"): Method {
  const methods = client as unknown as Record<string, Method>; // defineCommand adds methods that the types cannot know.
  if (!methods[name]) client.defineCommand(name, { lua });
  return (...args) => (methods[name + suffix] as Method).apply(client, args);
}

class TimedOut extends Error {}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new TimedOut("no reply in time")), Math.max(0, ms));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Errors of the connection (by the names and texts ioredis gives them) and of a server that cannot serve right now. */
const PASSING =
  /^(READONLY|LOADING|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|NOREPLICAS|UNBLOCKED|Connection is closed|Stream isn't writeable|Cluster isn't ready|None of startup nodes|Command aborted|Too many Cluster redirections|Socket timeout)/;
const PASSING_NAMES = new Set(["MaxRetriesPerRequestError", "ClusterAllFailedError"]);

function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TimedOut || PASSING_NAMES.has(error.name) || PASSING.test(error.message)) return true;
  return "syscall" in error;
}

/** Waiting does not help against a wrong password. */
function isAboutAccess(error: unknown): boolean {
  return error instanceof Error && /^(WRONGPASS|NOAUTH|NOPERM)/.test(error.message);
}

function unreachable(error: unknown, where: string): OperatorError {
  return new OperatorError(`Redis at ${where} cannot be reached (${detail(error)}).`, 2, error);
}

function refused(error: unknown, where: string): OperatorError {
  return new OperatorError(`Redis at ${where} refused a command (${detail(error)}).`, 2, error);
}

/** Node gives no message for a host with several addresses that all refuse, only a code. */
function detail(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return redact(messageOf(error)) || code;
}
