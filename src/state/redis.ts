/** The shared store: many workers on plain Redis 7 (or a Cluster), no modules. */
import type { Log } from "../log.ts";
import { redisCheckpoints } from "./checkpoints-redis.ts";
import { redisInbound } from "./redis-inbound.ts";
import { redisKeys } from "./redis-keys.ts";
import { redisLanes } from "./redis-lanes.ts";
import { openLink, type RedisLink } from "./redis-link.ts";
import { redisSessions } from "./redis-sessions.ts";
import { type RedisSignals, redisSignals } from "./redis-signals.ts";
import { redisValues } from "./redis-values.ts";
import { keepMs, sessionMs } from "./retention.ts";
import type { State, StateOptions } from "./state.ts";
import type { Store } from "./store.ts";

export interface RedisOptions extends StateOptions {
  url: string;
  /** Further seed nodes; any makes it a Redis Cluster. */
  cluster: string[];
  /** Keeps several installations on one Redis apart. */
  prefix: string;
}

/** Rejects with an OperatorError when Redis cannot be reached. */
export async function openRedisState(options: RedisOptions): Promise<State> {
  const { prefix, keepDays, log, now = Date.now } = options;
  const link = openLink(options);
  const keys = redisKeys(prefix);
  const signals = await begin(link, keys.signals, log);
  const parts = { link, keys, runMs: keepMs(keepDays), sessionMs: sessionMs(keepDays), now };
  const store: Store = {
    ...redisInbound(parts),
    ...redisLanes(parts),
    ...redisSessions(parts),
    ...redisValues(parts),
    async signal(signal) {
      await link.call("request", (client) => client.publish(keys.signals, JSON.stringify(signal)));
    },
    subscribe: signals.subscribe,
    async ping() {
      await link.call("request", (client) => client.ping());
    },
    async close() {
      await signals.close();
      await link.close();
    },
  };
  return { store, checkpointer: redisCheckpoints(link, prefix, keepMs(keepDays)) };
}

async function begin(link: RedisLink, channel: string, log: Log): Promise<RedisSignals> {
  try {
    await link.call("request", (client) => client.ping());
    return await redisSignals(link, channel, log);
  } catch (error) {
    await link.close();
    throw error;
  }
}
