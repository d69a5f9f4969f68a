/** Pub/sub between workers, on a connection of its own. */
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Client, end, type RedisLink, retryDelay } from "./redis-link.ts";
import { createSignals } from "./signals.ts";
import type { Signal } from "./store.ts";

export interface RedisSignals {
  subscribe(listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
}

export async function redisSignals(link: RedisLink, channel: string, log: Log): Promise<RedisSignals> {
  const signals = createSignals((error) => log.error({ error: messageOf(error) }, "signal listener failed"));
  const client = duplicate(link.client);
  let known = false;
  client.on("error", () => undefined); // The main connection, to the same place, tells of it.
  client.on("message", (_channel: string, message: string) => signals.emit(JSON.parse(message) as Signal));
  client.on("ready", () => {
    // News was missed while the connection was down; settings are the part that no sweep repairs.
    if (known) signals.emit({ kind: "settings" });
    known = true;
  });
  try {
    await link.call("request", () => client.subscribe(channel));
  } catch (error) {
    await end(client);
    throw error;
  }
  return { subscribe: signals.subscribe, close: () => end(client) };
}

/** This connection waits as long as it takes, and subscribes again by itself. */
function duplicate(main: Client): Client {
  const patient = { enableOfflineQueue: true, maxRetriesPerRequest: null, retryStrategy: retryDelay };
  return "nodes" in main
    ? main.duplicate([], { enableOfflineQueue: true })
    : main.duplicate({ ...patient, socketTimeout: undefined });
}
