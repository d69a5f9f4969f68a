/** What opening the state gives, whichever database it is, and what both kinds take. */
import type { Log } from "../log.ts";
import type { StoredCheckpoints } from "./checkpoints.ts";
import type { Store } from "./store.ts";

export interface State {
  store: Store;
  /** Closed with the store. */
  checkpointer: StoredCheckpoints;
}

export interface StateOptions {
  keepDays: number;
  log: Log;
  now?: (() => number) | undefined;
}
