/** Discord's REST API: one call, one ChannelError. Works before the gateway is up and after it is closed. */
import { REST, type RequestData, type RequestMethod } from "discord.js";
import type { DiscordConfig } from "../../config/schema.ts";
import { type Setting, toChannelError } from "./errors.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Request extends Setting, Pick<RequestData, "body" | "files" | "auth" | "query"> {}

export interface Api {
  call<T = unknown>(method: Method, route: `/${string}`, request?: Request): Promise<T>;
  /** Like `call`, with the client's own errors, where Discord's number decides. */
  raw<T = unknown>(method: Method, route: `/${string}`, request?: Request): Promise<T>;
}

const TIMEOUT_MS = 20_000;

/** `https://discord.com/api`, without the slash that would double. */
export const apiRoot = (config: Pick<DiscordConfig, "api_url">) => config.api_url.replace(/\/+$/, "");

export function createApi(config: DiscordConfig): Api {
  // An empty token is no token to the client, and that would be an error without a code.
  const token = config.bot_token || "missing";
  const rest = new REST({
    api: apiRoot(config),
    version: "10",
    timeout: TIMEOUT_MS,
    // The outbox repeats. The client would repeat at once and hide limits in its queue.
    retries: 0,
    rejectOnRateLimit: () => true,
  });

  async function raw<T>(
    method: Method,
    route: `/${string}`,
    { inThread: _t, isExtra: _e, ...request }: Request = {},
  ): Promise<T> {
    // The client forgets the token after a 401, and would then fail without a code.
    rest.setToken(token);
    return (await rest.request({ ...request, method: method as RequestMethod, fullRoute: route })) as T;
  }

  async function call<T>(method: Method, route: `/${string}`, request: Request = {}): Promise<T> {
    try {
      return await raw<T>(method, route, request);
    } catch (error) {
      throw toChannelError(error, `${method} ${nameOf(route)}`, request);
    }
  }

  return { call, raw };
}

/** The route without ids and without the token of an interaction. */
function nameOf(route: string): string {
  return route.replace(/\/(webhooks|interactions)\/.*/, "/$1").replace(/\/\d{5,}/g, "");
}
