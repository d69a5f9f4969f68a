/** Both savers pass LangGraph's own conformance suite, delta channels included. */
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { createLog } from "../../src/log.ts";
import type { StoredCheckpoints } from "../../src/state/checkpoints.ts";
import { openRedisState } from "../../src/state/redis.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";
import { freshPrefix, sharedRedisUrl } from "../support/redis.ts";

const log = createLog({ level: "silent" });

conform("embedded checkpoints", async () => openSqliteState({ path: ":memory:", keepDays: 30, log }));
conform("Redis checkpoints", () =>
  openRedisState({ url: sharedRedisUrl(), cluster: [], prefix: freshPrefix(), keepDays: 30, log }),
);

interface State {
  store: { close(): Promise<void> };
  checkpointer: StoredCheckpoints;
}

function conform(checkpointerName: string, open: () => Promise<State>): void {
  const closers = new Map<StoredCheckpoints, () => Promise<void>>();
  const suite = {
    checkpointerName,
    async createCheckpointer() {
      const { store, checkpointer } = await open();
      closers.set(checkpointer, store.close);
      return checkpointer;
    },
    async destroyCheckpointer(checkpointer: StoredCheckpoints) {
      await closers.get(checkpointer)?.();
    },
  };
  validate(suite);
  deltaChannelHistoryTests(suite);
}
