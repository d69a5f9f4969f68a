/** Receives updates by HTTP. 200 only after the update was taken: anything else makes Telegram deliver it again. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { ChannelError } from "../errors.ts";
import type { Intake } from "./intake.ts";
import type { TgUpdate } from "./wire.ts";

export interface WebhookOptions {
  host: string;
  port: number;
  path: string;
  secret: string;
  intake: Intake;
  /** Called for every genuine request. */
  alive(): void;
}

const MOST_BYTES = 1_000_000;

/** Without a configured secret: the same in every process of this bot, and useless to anyone without the token. */
export function derivedSecret(token: string): string {
  return createHmac("sha256", token).update("planbridge webhook").digest("hex");
}

/** `public_url` may be the whole address or only the host that a proxy forwards from. */
export function publicUrl(base: string, path: string): string {
  const url = new URL(base);
  return url.pathname === "/" ? new URL(path, url).href : url.href;
}

export async function openWebhook(options: WebhookOptions): Promise<{ close(): Promise<void> }> {
  async function answer(request: IncomingMessage): Promise<number> {
    const { pathname } = new URL(request.url ?? "/", "http://webhook");
    if (pathname !== options.path) return 404;
    if (request.method !== "POST") return 405;
    if (!equal(String(request.headers["x-telegram-bot-api-secret-token"] ?? ""), options.secret)) return 403;
    const update = await readUpdate(request);
    if (typeof update === "number") return update;
    options.alive();
    return (await options.intake.take(update)) ? 200 : 503;
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, options);
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function listen(server: Server, { host, port }: WebhookOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const message = `Telegram webhook cannot listen on ${host}:${port} (${error.code ?? error.name})`;
      reject(new ChannelError({ code: "refused", message }));
    });
    server.listen(port, host, resolve);
  });
}

/** Hashing first makes both sides equally long, as the comparison demands. */
function equal(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** The update, or the HTTP status that says what is wrong with it. */
async function readUpdate(request: IncomingMessage): Promise<TgUpdate | number> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) return 413;
    chunks.push(chunk);
  }
  try {
    const update: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return isUpdate(update) ? update : 400;
  } catch {
    return 400;
  }
}

function isUpdate(value: unknown): value is TgUpdate {
  return typeof (value as { update_id?: unknown } | null)?.update_id === "number";
}
