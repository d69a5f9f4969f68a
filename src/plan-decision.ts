/** Plan mode of one run: decided when it begins, by its text as it is then, and kept for /status. */
import { classifyPlanMode } from "./plan-mode.ts";
import type { Store } from "./state/store.ts";
import type { Run } from "./types.ts";

const KEPT_MS = 7 * 24 * 60 * 60_000;
const shelfKey = (session: string) => `plan-decision/${session}`;

/** Settles `auto`; a run that was begun before keeps what was decided. */
export async function decidePlanMode(run: Run, store: Pick<Store, "saveRun" | "put">): Promise<void> {
  if (run.context.is_plan_mode !== "auto") return;
  const { plan, reason } = classifyPlanMode(run.inbound.text);
  run.context = { ...run.context, is_plan_mode: plan };
  run.planReason = `${plan ? "planned" : "not planned"}: ${reason}`;
  await store.saveRun(run.session, run.id, { context: run.context, planReason: run.planReason });
  await store.put(shelfKey(run.session), run.planReason, KEPT_MS);
}

/** Why the last message that was decided on in this session was planned or not. */
export async function lastDecision(session: string, store: Pick<Store, "get">): Promise<string | undefined> {
  return (await store.get(shelfKey(session))) as string | undefined; // Written only above.
}
