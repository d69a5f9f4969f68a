/**
 * Telegram's Bot API on a loopback port, as far as a bot can tell: polls are held, offsets confirm, a second poller
 * gets 409, webhooks carry their secret, markup is parsed and refused, messages keep their edit history.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readRequest } from "./telegram-http.ts";
import { methods, Refusal } from "./telegram-methods.ts";
import { UpdateQueue } from "./telegram-updates.ts";
import { createUsers, type Users } from "./telegram-users.ts";
import { type Bot, type Call, createWorld, type Failure, type StoredMessage, type World } from "./telegram-world.ts";

export type { Person, StoredMessage } from "./telegram-world.ts";
export type Json = Record<string, unknown>;

export interface TelegramEmulatorOptions {
  token?: string;
  botId?: number;
  username?: string;
  /** Enforce the flood limits (429 with retry_after). */
  rateLimits?: boolean;
  /** False = the bot is in privacy mode. */
  readsAllGroupMessages?: boolean;
  /** Pause before a refused webhook delivery is repeated, milliseconds. */
  webhookRetryMs?: number;
  now?(): number;
}

export interface TelegramEmulator extends Users {
  /** What goes into `api_root`. */
  url: string;
  token: string;
  bot: Bot;
  /** A second bot on the same server. */
  addBot(bot: { token: string; id: number; username: string }): Bot;
  /** All API calls so far; `getUpdates` included. */
  calls: Call[];
  callsTo(method: string): Call[];
  /** The next `times` calls of `method` fail like this. */
  failNext(method: string, failure: Failure, times?: number): void;
  /** Messages of a chat that were not deleted, oldest first. */
  messages(chat: number | string): StoredMessage[];
  /** Those that a bot wrote. */
  botMessages(chat: number | string): StoredMessage[];
  message(chat: number | string, id: number | string): StoredMessage;
  world: World;
  close(): Promise<void>;
}

export async function startTelegramEmulator(options: TelegramEmulatorOptions = {}): Promise<TelegramEmulator> {
  const world = createWorld({ rateLimits: options.rateLimits ?? false, now: options.now ?? Date.now });
  const token = options.token ?? "123456789:AAEmulatorTokenEmulatorTokenEmulator";
  const readsAll = options.readsAllGroupMessages ?? true;
  const queues: UpdateQueue[] = [];

  function addBot(bot: { token: string; id: number; username: string; readsAll?: boolean }): Bot {
    const queue = new UpdateQueue(options.webhookRetryMs ?? 50);
    queues.push(queue);
    const made: Bot = { readsAll: true, ...bot, queue, commands: new Map() };
    world.bots.set(bot.token, made);
    return made;
  }
  const bot = addBot({ token, id: options.botId ?? 555, username: options.username ?? "helper_bot", readsAll });

  const server = createServer((request, response) => {
    handle(world, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // Listening on TCP.

  const all = (chat: number | string) => [...(world.chats.get(String(chat))?.messages.values() ?? [])];
  return {
    ...createUsers(world, bot),
    url: `http://127.0.0.1:${port}`,
    token,
    bot,
    addBot,
    world,
    calls: world.calls,
    callsTo: (method) => world.calls.filter((call) => call.method === method),
    failNext: (method, failure, times = 1) => void world.failures.set(method, { failure, times }),
    messages: (chat) => all(chat).filter((message) => !message.deleted),
    botMessages: (chat) =>
      all(chat).filter((message) => !message.deleted && [...world.bots.values()].some(({ id }) => id === message.from)),
    message(chat, id) {
      const found = all(chat).find((message) => message.id === Number(id));
      if (!found) throw new Error(`no message ${id} in chat ${chat}`);
      return found;
    },
    async close() {
      for (const queue of queues) queue.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.startsWith("/file/")) return sendFile(world, request.url, response);
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const call = await readRequest(request);
  if (!call) return reply(response, 404, { ok: false, error_code: 404, description: "Not Found" });
  const record: Call = { method: call.method, payload: call.payload, at: world.now(), status: 200 };
  world.calls.push(record);
  try {
    const failure = scripted(world, call.method);
    if (failure?.drop) return void response.destroy();
    if (failure) throw new Refusal(failure.status, failure.description ?? "scripted failure", failure.parameters);
    const bot = world.bots.get(call.token);
    if (!bot) throw new Refusal(/^\d+:/.test(call.token) ? 401 : 404, "Unauthorized");
    const method = methods[call.method];
    if (!method) throw new Refusal(404, "Not Found: method not found");
    const result = await method({ world, bot, request: call, gone: gone.signal });
    reply(response, 200, { ok: true, result });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    record.status = error.status;
    const { status, message: description, parameters } = error;
    reply(response, status, { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) });
  }
}

function scripted(world: World, method: string): Failure | undefined {
  const entry = world.failures.get(method);
  if (!entry) return undefined;
  entry.times -= 1;
  if (entry.times <= 0) world.failures.delete(method);
  return entry.failure;
}

function sendFile(world: World, path: string, response: ServerResponse): void {
  const match = /^\/file\/bot([^/]+)\/documents\/(.+)$/.exec(path);
  const file = world.bots.has(decodeURIComponent(match?.[1] ?? "")) ? world.files.get(match?.[2] ?? "") : undefined;
  response.writeHead(file ? 200 : 404, { "content-type": "application/octet-stream" });
  response.end(file?.bytes);
}

function reply(response: ServerResponse, status: number, body: Json): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Polls until `fn` returns something, or fails with the last error. */
export async function until<T>(fn: () => T | Promise<T>, timeoutMs = 5000): Promise<NonNullable<T>> {
  const end = Date.now() + timeoutMs;
  for (let last: unknown = "nothing"; ; ) {
    try {
      const value = await fn();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
