/** How long each thing is kept, the same in both stores. Milliseconds. */
const DAY = 24 * 60 * 60_000;

export const SEEN_MS = 2 * DAY;
export const REF_MS = 30 * DAY;
export const MAX_AUDITS = 10_000;

/** Finished runs and checkpoints. */
export function keepMs(keepDays: number): number {
  return keepDays * DAY;
}

/**
 * Sessions without work, after their last use. Twice as long as checkpoints: a session that expired first would begin
 * again at epoch 0 and find the checkpoints of a conversation that `/new` had ended.
 */
export function sessionMs(keepDays: number): number {
  return 2 * keepMs(keepDays);
}
