/** The HTTP floor of the Discord emulator: parsing, routing, scripted failures, rate limits. No Discord objects here. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "./discord-rules.ts";
import type { UploadedFile } from "./discord-world.ts";

export interface Call {
  method: string;
  path: string;
  /** Ids replaced: `/channels/:id/messages`. */
  route: string;
  /** What the ids were, in order. */
  ids: string[];
  query: URLSearchParams;
  body: unknown;
  files: UploadedFile[];
  authorization: string | undefined;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** Sent as it is, for downloads. */
  raw?: Uint8Array;
  headers?: Record<string, string>;
}

export interface Failure {
  status: number;
  code?: number;
  message?: string;
  /** Seconds. */
  retryAfter?: number;
  /** Milliseconds before the answer. */
  delayMs?: number;
}

export class Refused extends Error {
  readonly answer: Answer;
  constructor({ status, code, message, errors }: Refusal) {
    super(message);
    this.answer = { status, body: { message, code, ...(errors ? { errors } : {}) } };
  }
}

export function refuse(status: number, code: number, message: string): never {
  throw new Refused({ status, code, message });
}

export async function readCall(request: IncomingMessage): Promise<Call> {
  const url = new URL(request.url ?? "/", "http://emulator");
  const path = url.pathname.replace(/^\/api\/v10/, "");
  const { body, files } = await readBody(request);
  const ids: string[] = [];
  const route = path
    .replace(/\/\d{15,20}(?=\/|$)/g, (id) => {
      ids.push(id.slice(1));
      return "/:id";
    })
    .replace(/(\/(?:interactions|webhooks)\/:id)\/([^/]+)/, (_, head: string, token: string) => {
      ids.push(token);
      return `${head}/:token`;
    })
    .replace(/\/reactions\/[^/]+/, "/reactions/:emoji")
    .replace("@original", ":original")
    .replace("%40original", ":original");
  const { authorization } = request.headers;
  return { method: request.method ?? "GET", path, route, ids, query: url.searchParams, body, files, authorization };
}

async function readBody(request: IncomingMessage): Promise<{ body: unknown; files: UploadedFile[] }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (bytes.length === 0) return { body: undefined, files: [] };
  if (!type.startsWith("multipart/")) return { body: JSON.parse(bytes.toString()), files: [] };
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const files: UploadedFile[] = [];
  for (const [, value] of form) {
    if (typeof value === "string") continue;
    files.push({ name: value.name, type: value.type, data: new Uint8Array(await value.arrayBuffer()) });
  }
  return { body: JSON.parse(String(form.get("payload_json") ?? "{}")), files };
}

/** A 204 must not claim to be JSON: the client would try to parse nothing. */
export function writeAnswer(response: ServerResponse, { status, body, raw, headers = {} }: Answer): void {
  if (raw) response.writeHead(status, headers).end(raw);
  else if (body === undefined) response.writeHead(status, headers).end();
  else response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

interface Script {
  what: string | RegExp;
  failure: Failure;
  left: number;
}

export class Faults {
  readonly #scripts: Script[] = [];

  /** `what`: a method (`PATCH`), a method and route (`POST /channels/:id/messages`), or a pattern over both. */
  add(what: string | RegExp, failure: Failure, times: number): void {
    this.#scripts.push({ what, failure, left: times });
  }

  take({ method, route }: Call): Failure | undefined {
    const line = `${method} ${route}`;
    const script = this.#scripts.find(({ what, left }) => left > 0 && fits(what, method, line));
    if (script) script.left -= 1;
    return script?.failure;
  }
}

function fits(what: string | RegExp, method: string, line: string): boolean {
  return what instanceof RegExp ? what.test(line) : what === method || what === line;
}

export function failureAnswer({ status, code = 0, message = "Scripted failure", retryAfter }: Failure): Answer {
  if (status !== 429) return { status, body: { message, code } };
  return tooMany(retryAfter ?? 1);
}

function tooMany(seconds: number, headers: Record<string, string> = {}): Answer {
  return {
    status: 429,
    body: { message: "You are being rate limited.", retry_after: seconds, global: false },
    headers: { "retry-after": String(seconds), "x-ratelimit-scope": "user", ...headers },
  };
}

/** 5 requests in 5 seconds for each method, route and channel, as messages have in practice. */
export class RateLimits {
  readonly #starts = new Map<string, number[]>();
  readonly #limit: number;
  readonly #perMs: number;
  hits = 0;

  constructor(limit = 5, perMs = 5000) {
    this.#limit = limit;
    this.#perMs = perMs;
  }

  take({ method, route, ids }: Call): { headers: Record<string, string>; refused?: Answer } {
    if (!/^\/channels\/:id\/messages/.test(route) || route.includes("reactions")) return { headers: {} };
    const key = `${method} ${route.startsWith("/channels/:id/messages/:id") ? "message" : "messages"} ${ids[0]}`;
    const now = Date.now();
    const recent = (this.#starts.get(key) ?? []).filter((at) => at > now - this.#perMs);
    const resetAfter = ((recent[0] ?? now) + this.#perMs - now) / 1000;
    const free = recent.length < this.#limit;
    if (free) recent.push(now);
    this.#starts.set(key, recent);
    const headers = {
      "x-ratelimit-limit": String(this.#limit),
      "x-ratelimit-remaining": String(this.#limit - recent.length),
      "x-ratelimit-reset-after": resetAfter.toFixed(3),
      "x-ratelimit-bucket": Buffer.from(key.replace(/\d{15,}/, ""))
        .toString("hex")
        .slice(0, 32),
    };
    if (free) return { headers };
    this.hits += 1;
    return { headers, refused: tooMany(Number(resetAfter.toFixed(3)), headers) };
  }
}
