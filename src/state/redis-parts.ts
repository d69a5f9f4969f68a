/** What every part of the Redis store works with. */
import type { Keys } from "./redis-keys.ts";
import type { RedisLink } from "./redis-link.ts";

export interface RedisParts {
  link: RedisLink;
  keys: Keys;
  /** How long finished runs are kept. */
  runMs: number;
  /** How long sessions without work are kept. */
  sessionMs: number;
  now(): number;
}
