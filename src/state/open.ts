/** The state that the config names: a local file for one process, or Redis for many. */
import { resolve } from "node:path";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../log.ts";
import { openRedisState } from "./redis.ts";
import { openSqliteState } from "./sqlite.ts";
import type { State } from "./state.ts";

export type { State };

const SQLITE = "sqlite:";

/** Rejects with an OperatorError that says what cannot be reached or is in use. */
export async function openState(state: Config["state"], deps: { root: string; log: Log }): Promise<State> {
  const { url, cluster, prefix, keep_days: keepDays } = state;
  if (!url.startsWith(SQLITE)) return openRedisState({ url, cluster, prefix, keepDays, log: deps.log });
  const name = url.slice(SQLITE.length);
  const path = name === ":memory:" ? name : resolve(deps.root, name);
  return openSqliteState({ path, keepDays, log: deps.log });
}
