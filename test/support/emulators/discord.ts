/**
 * A Discord of our own over loopback: REST and gateway, with stored messages and their edit history. The real client
 * (or a whole bridge process) connects to it through `api_url`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Gateway } from "./discord-gateway.ts";
import {
  type Call,
  type Failure,
  Faults,
  failureAnswer,
  RateLimits,
  Refused,
  readCall,
  writeAnswer,
} from "./discord-http.ts";
import { Interactions } from "./discord-interactions.ts";
import { People } from "./discord-people.ts";
import { type RestDeps, type Route, restRoutes } from "./discord-rest.ts";
import { flatten } from "./discord-rules.ts";
import { CHANNEL, EPHEMERAL, type MessagePayload, type Stored, type WireMessage, World } from "./discord-world.ts";

export interface DiscordEmulatorOptions {
  token?: string;
  heartbeatMs?: number;
  /** 5 requests per 5 s, method and channel, or these numbers. */
  rateLimits?: boolean | { limit: number; perMs: number };
  /** MESSAGE_CONTENT is switched on in the developer portal. Default true. */
  messageContent?: boolean;
}

export type DiscordEmulator = Awaited<ReturnType<typeof startDiscordEmulator>>;

const MESSAGE_CONTENT_LIMITED = 1 << 19;

export async function startDiscordEmulator(options: DiscordEmulatorOptions = {}) {
  const token = options.token ?? "discord-test-token";
  const portal = { messageContent: options.messageContent ?? true };
  const world = new World();
  const faults = new Faults();
  const calls: Answered[] = [];
  const limits = limitsOf(options);
  const http = createServer();
  const address = await listen(http);
  const url = `http://${address}`;
  const gatewayUrl = () => `ws://${address}`;
  const heartbeatMs = options.heartbeatMs ?? 41_250;
  const messageContent = () => portal.messageContent;
  const gateway = new Gateway(http, { world, token: () => token, url: gatewayUrl, heartbeatMs, messageContent });
  const deps: RestDeps = {
    world,
    baseUrl: () => url,
    gatewayUrl,
    applicationFlags: () => (portal.messageContent ? MESSAGE_CONTENT_LIMITED : 0),
    dispatch: (t, d) => gateway.dispatch(t, d),
    forbidden: { send: new Set(), threads: new Set() },
  };
  const interactions = new Interactions(deps);
  const routes = { ...restRoutes(deps), ...interactions.routes() };
  const people = new People(deps, gateway, interactions);
  http.on("request", (request, response) => {
    void serve({ request, response, routes, faults, limits, token, calls, world });
  });

  return {
    url,
    /** For `channels.discord.api_url`. */
    apiUrl: `${url}/api`,
    token,
    world,
    gateway,
    people,
    interactions,
    limits,
    portal,
    forbidden: deps.forbidden,
    calls,
    ...places(world),
    ...actions(people),
    ...views(world, calls),
    addChannel(name: string, type: number = CHANNEL.text): string {
      const channel = world.addChannel({ type, name });
      gateway.dispatch("CHANNEL_CREATE", channel);
      return channel.id;
    },
    failNext: (what: string | RegExp, failure: Failure, times = 1) => faults.add(what, failure, times),
    async stop(): Promise<void> {
      await gateway.stop();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

type Answered = Call & { status: number };

async function listen(http: Server): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo; // A TCP server has no other kind.
  return `127.0.0.1:${port}`;
}

function places(world: World) {
  return {
    bot: world.bot,
    guildId: world.guildId,
    general: world.addChannel({ type: CHANNEL.text, name: "general" }).id,
    forum: world.addChannel({ type: CHANNEL.forum, name: "questions" }).id,
    /** `<@…>` of the bot. */
    mention: `<@${world.bot.id}>`,
  };
}

function actions(people: People) {
  return {
    say: people.say.bind(people),
    edit: people.edit.bind(people),
    remove: people.remove.bind(people),
    press: people.press.bind(people),
    slash: people.slash.bind(people),
    dm: people.dm.bind(people),
  };
}

function views(world: World, calls: Answered[]) {
  return {
    /** Visible messages of a channel or thread, oldest first, without system ones. */
    messages: (channel: string): WireMessage[] => ofChannel(world, channel).map(({ message }) => message),
    /** What a reader sees of a message: its text, the texts of its components, the labels of its buttons. */
    shown: (message: WireMessage): string =>
      [message.content, ...flatten(message.components).map(({ content, label }) => content ?? label ?? "")]
        .filter((text) => text !== "")
        .join("\n"),
    /** What the bot posted there, with every payload it sent. */
    ownPosts: (channel: string): Stored[] =>
      ofChannel(world, channel).filter(({ message }) => message.author.id === world.bot.id),
    /** What the bot posted anywhere, oldest first. */
    everyPost: (): WireMessage[] =>
      [...world.stored.values()].flatMap(({ message, payloads }) => (payloads.length > 0 ? [message] : [])),
    /** Every create and edit the bot has sent, anywhere. */
    payloads: (): MessagePayload[] => [...world.stored.values()].flatMap(({ payloads }) => payloads),
    reactions: (message: string): string[] => world.stored.get(message)?.reactions ?? [],
    requests: (line: string): Answered[] => calls.filter(({ method, route }) => `${method} ${route}` === line),
  };
}

function limitsOf({ rateLimits = false }: DiscordEmulatorOptions): RateLimits | undefined {
  if (rateLimits === false) return undefined;
  return rateLimits === true ? new RateLimits() : new RateLimits(rateLimits.limit, rateLimits.perMs);
}

function ofChannel(world: World, channel: string): Stored[] {
  return world.in(channel).filter(({ message }) => message.type !== 21 && (message.flags & EPHEMERAL) === 0);
}

interface Serving {
  request: IncomingMessage;
  response: ServerResponse;
  routes: Record<string, Route>;
  faults: Faults;
  limits: RateLimits | undefined;
  token: string;
  calls: Answered[];
  world: World;
}

async function serve({ request, response, routes, faults, limits, token, calls, world }: Serving): Promise<void> {
  const call = await readCall(request);
  if (call.path.startsWith("/attachments/")) {
    calls.push({ ...call, status: 200 });
    serveFile(call, response, world);
    return;
  }
  const failure = faults.take(call);
  if (failure?.delayMs) await sleep(failure.delayMs);
  const limited = failure ? undefined : limits?.take(call);
  const answer = failure ? failureAnswer(failure) : (limited?.refused ?? route(call, routes, token));
  calls.push({ ...call, status: answer.status });
  writeAnswer(response, { ...answer, headers: { ...limited?.headers, ...answer.headers } });
}

function route(call: Call, routes: Record<string, Route>, token: string) {
  const known = routes[`${call.method} ${call.route}`];
  if (!known) return { status: 404, body: { message: "404: Not Found", code: 0 } };
  // The token of an interaction is its own authority.
  const needsToken = !/^\/(?:webhooks|interactions)\//.test(call.route);
  if (needsToken && call.authorization !== `Bot ${token}`) {
    return { status: 401, body: { message: "401: Unauthorized", code: 0 } };
  }
  try {
    return known(call);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    return { status: 500, body: { message: String(error), code: 0 } };
  }
}

function serveFile({ path }: Call, response: ServerResponse, world: World): void {
  const file = world.files.get(/^\/attachments\/(\d+)/.exec(path)?.[1] ?? "");
  writeAnswer(
    response,
    file ? { status: 200, raw: file.data, headers: { "content-type": file.type } } : { status: 404 },
  );
}

/** Polls until `look` returns something truthy; the error names what was awaited. */
export async function until<T>(
  look: () => T | Promise<T>,
  what = "condition",
  timeoutMs = 5000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`Gave up waiting for ${what} after ${timeoutMs} ms.`);
    await sleep(5);
  }
}
