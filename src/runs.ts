/** Starts, stops and closes runs. The lane calls `work`; `execution.ts` is the work itself. */
import { Board } from "./board.ts";
import { showAnswered } from "./ending.ts";
import { boardDeps, Execution, LeaseLost, type RunsDeps, Stopped } from "./execution.ts";
import type { Lane } from "./lanes.ts";
import type { Run } from "./types.ts";
import { words } from "./words.ts";

export interface Runs {
  work(run: Run, lane: Lane): Promise<void>;
  /** Stops the run if it is active here. */
  stop(run: string): void;
  /** Ends a run that waits for a person: its plan and its question show the end. False: it does not wait any more. */
  close(run: Run, status: "stopped" | "lost", note?: string): Promise<boolean>;
}

export function createRuns(deps: RunsDeps): Runs {
  const active = new Map<string, AbortController>();

  async function work(run: Run, lane: Lane): Promise<void> {
    const log = deps.log.child({ run: run.id, session: run.session });
    const control = new AbortController();
    const unlink = follow(lane.signal, control);
    active.set(run.id, control);
    if (run.stop) control.abort(new Stopped());
    log.info({ attempt: run.attempt, resumed: run.attempt > 1 }, "run begins");
    try {
      await new Execution(deps, run, lane, control, log).go();
    } finally {
      unlink();
      active.delete(run.id);
    }
  }

  async function close(run: Run, status: "stopped" | "lost", note?: string): Promise<boolean> {
    if (!(await deps.store.drop(run.session, run.id, status, deps.now()))) return false;
    const board = new Board(run, boardDeps(deps, run, deps.log));
    deps.seen.clear(run.inbound);
    await board.end(status, note);
    await showAnswered(deps, run, note ?? words.stopped);
    return true;
  }

  return {
    work,
    close,
    stop: (run) => active.get(run)?.abort(new Stopped()),
  };
}

function follow(signal: AbortSignal, control: AbortController): () => void {
  const forward = () => control.abort(signal.reason ?? new LeaseLost());
  if (signal.aborted) forward();
  else signal.addEventListener("abort", forward, { once: true });
  return () => signal.removeEventListener("abort", forward);
}
