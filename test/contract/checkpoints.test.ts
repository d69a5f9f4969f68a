/** Both savers pass LangGraph's own conformance suite, delta channels included. */
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { createLog } from "../../src/log.ts";
import type { StoredCheckpoints } from "../../src/state/checkpoints.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";

const log = createLog({ level: "silent" });
const closers = new Map<StoredCheckpoints, () => Promise<void>>();

const sqlite = {
  checkpointerName: "embedded checkpoints",
  createCheckpointer() {
    const { store, checkpointer } = openSqliteState({ path: ":memory:", keepDays: 30, log });
    closers.set(checkpointer, store.close);
    return checkpointer;
  },
  async destroyCheckpointer(checkpointer: StoredCheckpoints) {
    await closers.get(checkpointer)?.();
  },
};
validate(sqlite);
deltaChannelHistoryTests(sqlite);
