/** Generic cell rate algorithm: one number per key, the time at which all places will be free again. */

export interface GcraState {
  /** Theoretical arrival time; 0 = never used. */
  tat: number;
  burst: number;
  perMs: number;
  now: number;
  /** Places to leave free. With a burst of `reserve` or less one place stays usable, or nobody could ever pass. */
  reserve: number;
}

/** Milliseconds since the epoch have about 0.0002 ms of precision: sums of fractions must not cost a place. */
const SLACK_MS = 0.01;

/** The Redis script of `take` is this function in Lua. */
export function gcra({ tat, burst, perMs, now, reserve }: GcraState): { wait: number; tat: number } {
  const interval = perMs / burst;
  const usable = Math.max(1, burst - reserve);
  const next = Math.max(tat, now) + interval;
  const wait = Math.ceil(next - usable * interval - now - SLACK_MS);
  return wait > 0 ? { wait, tat } : { wait: 0, tat: next };
}
