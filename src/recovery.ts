/** The periodic look at what nobody else would notice: questions that stayed without an answer. */
import type { Config } from "../config/schema.ts";
import { messageOf } from "./errors.ts";
import type { Lanes } from "./lanes.ts";
import type { Log } from "./log.ts";
import type { Runs } from "./runs.ts";
import type { Store } from "./state/store.ts";
import { words } from "./words.ts";

export interface RecoveryDeps {
  config(): Config;
  store: Pick<Store, "activeRuns">;
  runs: Pick<Runs, "close">;
  lanes: Pick<Lanes, "kick">;
  log: Log;
  now(): number;
}

const EVERY_MS = 60_000;

/** Returns the function that stops it. */
export function startRecovery(deps: RecoveryDeps): () => void {
  const timer = setInterval(() => void closeExpired(deps), EVERY_MS);
  void closeExpired(deps);
  return () => clearInterval(timer);
}

export async function closeExpired({ config, store, runs, lanes, log, now }: RecoveryDeps): Promise<void> {
  const oldest = now() - config().runs.question_hours * 60 * 60_000;
  try {
    for (const run of await store.activeRuns(10_000)) {
      const expired = run.status === "waiting" && run.answer === undefined && (run.question?.askedAt ?? now()) < oldest;
      if (!expired || !(await runs.close(run, "stopped", words.questionExpired))) continue;
      log.info({ run: run.id, session: run.session }, "question expired");
      lanes.kick(run.session);
    }
  } catch (error) {
    log.warn({ error: messageOf(error) }, "expired questions could not be closed");
  }
}
