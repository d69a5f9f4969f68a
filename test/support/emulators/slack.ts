/**
 * A Slack workspace over loopback: Web API, Socket Mode, files, response_url. It keeps what it was told and refuses what
 * Slack refuses, so tests assert on what people would see. Standalone: another process can use `apiUrl`.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Args, METHODS, Refusal, type Workspace } from "./slack-api.ts";
import { createDelivery, type Post } from "./slack-delivery.ts";
import { createPeople, type People } from "./slack-people.ts";
import { createStore, type SlackMessage, type SlackStore } from "./slack-store.ts";

export interface SlackEmulatorOptions {
  port?: number;
  team?: string;
  botToken?: string;
  appToken?: string;
  signingSecret?: string;
  /** Slack waits 3 s for an ack; tests need less. */
  redeliverAfterMs?: number;
  maxAttempts?: number;
  /** Keeps Slack's real rate limits: posts per channel, updates per workspace. */
  limits?: { postsPerSecond: number; postBurst: number; updatesPerMinute: number } | undefined;
  scopes?: string[];
}

/** What the next call of a method gets instead of its answer. */
export interface Failure {
  status?: number;
  error?: string;
  /** Seconds; implies 429. */
  retryAfter?: number;
  /** Carries the call out, then loses the answer. */
  lostAnswer?: boolean;
}

export interface SlackEmulator
  extends Pick<Post, "connections" | "opened" | "drop" | "refresh" | "freeze" | "deliveries">,
    People {
  url: string;
  apiUrl: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  workspace: Workspace;
  store: SlackStore;
  /** Set it and events go there as signed requests. */
  eventsUrl: string | undefined;
  scopes: string[];
  /** File id -> where a download of it is sent on to. */
  redirects: Map<string, string>;
  /** Answers given with 429. */
  rateLimited: number;
  /** Messages of the bot that are still there, oldest first. */
  posts(channel?: string, threadTs?: string): SlackMessage[];
  failNext(method: string, failure: Failure, times?: number): void;
  /** Calls of a method so far. */
  count(method: string): number;
  /** Polls until `condition` is truthy and returns its value. */
  until<T>(condition: () => T, timeoutMs?: number): Promise<NonNullable<T>>;
  stop(): Promise<void>;
}

export const REAL_LIMITS = { postsPerSecond: 1, postBurst: 3, updatesPerMinute: 50 };
const SCOPES =
  "app_mentions:read,assistant:write,channels:history,chat:write,commands,files:read,files:write,groups:history," +
  "im:history,im:read,im:write,mpim:history,reactions:write,users:read";

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Slack takes forms whose nested fields are JSON. */
function parseArgs(body: string, type: string): Args {
  if (type.includes("application/json")) return JSON.parse(body || "{}") as Args;
  const args: Args = Object.fromEntries(new URLSearchParams(body));
  for (const key of ["blocks", "metadata", "files", "attachments", "loading_messages"]) {
    if (typeof args[key] === "string") args[key] = JSON.parse(args[key]);
  }
  for (const [key, value] of Object.entries(args))
    if (value === "true" || value === "false") args[key] = value === "true";
  return args;
}

/** A sliding window per key; returns the seconds to wait, or nothing. */
function createLimits(limits: SlackEmulatorOptions["limits"]) {
  const seen = new Map<string, number[]>();
  function over(key: string, burst: number, perMs: number): number | undefined {
    const recent = (seen.get(key) ?? []).filter((at) => at > Date.now() - perMs);
    if (recent.length >= burst) return Math.max(1, Math.ceil((recent[0]! + perMs - Date.now()) / 1000));
    seen.set(key, [...recent, Date.now()]);
    return undefined;
  }
  return (method: string, args: Args): number | undefined => {
    if (limits === undefined) return undefined;
    const { postsPerSecond, postBurst, updatesPerMinute } = limits;
    if (method === "chat.update") return over(method, updatesPerMinute, 60_000);
    if (method !== "chat.postMessage") return undefined;
    return over(`${method}/${String(args.channel)}`, postBurst, (postBurst / postsPerSecond) * 1000);
  };
}

export async function startSlackEmulator(options: SlackEmulatorOptions = {}): Promise<SlackEmulator> {
  const store = createStore();
  const limited = createLimits(options.limits);
  const failures = new Map<string, Failure[]>();
  const server = createServer((request, response) => void handle(request, response));
  const { redeliverAfterMs = 3000, maxAttempts = 4, signingSecret = "emulated-signing-secret" } = options;
  const delivery = createDelivery(server, { redeliverAfterMs, maxAttempts, signingSecret });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const workspace: Workspace = {
    url,
    team: options.team ?? "T1",
    botUser: "U0BOT",
    botId: "B0BOT",
    names: new Map([
      ["U1", "Ann"],
      ["U2", "Ben"],
      ["U0BOT", "planbridge"],
    ]),
    closed: new Map(),
    refusedBlocks: new Set(),
    missing: new Set(),
    store,
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", url).pathname;
    const body = await readAll(request);
    if (path.startsWith("/api/")) return api(path.slice(5), request, response, body);
    if (path.startsWith("/upload/")) return upload(path.slice(8), response, body);
    if (path.startsWith("/download/")) return download(path.split("/")[2] ?? "", request, response);
    if (path.startsWith("/response/")) {
      emulator.answered(path.slice(10), JSON.parse(String(body)) as Args);
      return void response.end("ok");
    }
    response.writeHead(404).end();
  }

  function api(method: string, request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const args = parseArgs(String(body), request.headers["content-type"] ?? "");
    const failure = failures.get(method)?.shift();
    const wait = failure?.retryAfter ?? (failure === undefined ? limited(method, args) : undefined);
    if (wait !== undefined) {
      emulator.rateLimited += 1;
      store.calls.push({ method, args, status: 429, error: "ratelimited" });
      return void response
        .writeHead(429, { "retry-after": String(wait) })
        .end(answer({ ok: false, error: "ratelimited" }));
    }
    if (failure?.status !== undefined) {
      store.calls.push({ method, args, status: failure.status });
      return void response.writeHead(failure.status).end("upstream failure");
    }
    const result = failure?.error ? { ok: false, error: failure.error } : call(method, args, request);
    store.calls.push({ method, args, status: 200, error: result.ok ? undefined : String(result.error) });
    if (failure?.lostAnswer) return void request.socket.destroy();
    response.writeHead(200, { "content-type": "application/json", "x-oauth-scopes": emulator.scopes.join(",") });
    response.end(answer(result));
  }

  const answer = (result: Args) => JSON.stringify(result);

  function call(method: string, args: Args, request: IncomingMessage): Args {
    const token = request.headers.authorization?.replace("Bearer ", "") ?? args.token;
    const needed = method === "apps.connections.open" ? emulator.appToken : emulator.botToken;
    if (token === undefined) return { ok: false, error: "not_authed" };
    if (token !== needed) return { ok: false, error: "invalid_auth" };
    if (method === "apps.connections.open")
      return { ok: true, url: `${url.replace("http", "ws")}/link/?ticket=${randomUUID()}` };
    const known = workspace.missing.has(method) ? undefined : METHODS[method];
    if (known === undefined) return { ok: false, error: "unknown_method" };
    try {
      return { ok: true, ...known(workspace, args) };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, error: error.message };
      throw error;
    }
  }

  function upload(id: string, response: ServerResponse, body: Buffer): void {
    const file = store.files.get(id);
    if (file === undefined) return void response.writeHead(404).end();
    file.content = body;
    response.end(`OK - ${body.length}`);
  }

  function download(id: string, request: IncomingMessage, response: ServerResponse): void {
    const file = store.files.get(id);
    if (file === undefined) return void response.writeHead(404).end();
    const location = emulator.redirects.get(id);
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    // Without a token Slack sends its login page instead of the file.
    const allowed = request.headers.authorization === `Bearer ${emulator.botToken}`;
    if (!allowed) return void response.writeHead(200, { "content-type": "text/html" }).end("<html>sign in</html>");
    response.writeHead(200, { "content-type": file.type }).end(file.content);
  }

  async function until<T>(condition: () => T, timeoutMs = 5000): Promise<NonNullable<T>> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const value = condition();
      if (value) return value;
      if (Date.now() > end) throw new Error(`Slack emulator: not true within ${timeoutMs} ms: ${condition}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  const emulator: SlackEmulator = {
    ...createPeople(workspace, delivery),
    url,
    apiUrl: `${url}/api/`,
    botToken: options.botToken ?? "xoxb-1-emulated",
    appToken: options.appToken ?? "xapp-1-emulated",
    signingSecret,
    workspace,
    store,
    scopes: options.scopes ?? SCOPES.split(","),
    redirects: new Map(),
    rateLimited: 0,
    deliveries: delivery.deliveries,
    get eventsUrl() {
      return delivery.eventsUrl;
    },
    set eventsUrl(value) {
      delivery.eventsUrl = value;
    },
    connections: delivery.connections,
    opened: delivery.opened,
    drop: delivery.drop,
    refresh: delivery.refresh,
    freeze: delivery.freeze,
    posts: (channel, threadTs) =>
      store.messages.filter(
        (m) =>
          m.botId === workspace.botId &&
          !m.deleted &&
          (channel === undefined || m.channel === channel) &&
          (threadTs === undefined || m.threadTs === threadTs),
      ),
    failNext(method, failure, times = 1) {
      failures.set(method, [...(failures.get(method) ?? []), ...Array.from({ length: times }, () => failure)]);
    },
    count: (method) => store.calls.filter((entry) => entry.method === method).length,
    until,
    async stop() {
      delivery.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return emulator;
}
