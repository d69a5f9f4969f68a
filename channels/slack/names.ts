/** Display names, which Slack's events do not carry. Asked for once in a while and never waited for long. */
import { setTimeout as sleep } from "node:timers/promises";
import type { webApi } from "@slack/bolt";

export interface Names {
  of(userId: string): string | undefined;
  /** Resolves when the names are known, could not be had, or took too long. */
  learn(userIds: string[]): Promise<void>;
}

const KEEP = 5000;
const FRESH_MS = 60 * 60_000;
const RETRY_MS = 60_000;
/** An event must be acknowledged within 3 s; a name is not worth more than this. */
const PATIENCE_MS = 800;

export function createNames(client: webApi.WebClient, now: () => number): Names {
  const known = new Map<string, { name: string | undefined; until: number }>();
  const asking = new Map<string, Promise<void>>();

  function keep(userId: string, name: string | undefined): void {
    known.delete(userId);
    known.set(userId, { name, until: now() + (name === undefined ? RETRY_MS : FRESH_MS) });
    const oldest = known.keys().next().value;
    if (known.size > KEEP && oldest !== undefined) known.delete(oldest);
  }

  async function ask(userId: string): Promise<void> {
    try {
      const { user } = await client.users.info({ user: userId });
      keep(userId, user?.profile?.display_name || user?.real_name || user?.name);
    } catch {
      // No scope, a stranger, a limit: the id is shown instead and asked for again later.
      keep(userId, known.get(userId)?.name);
    } finally {
      asking.delete(userId);
    }
  }

  function once(userId: string): Promise<void> {
    const current = asking.get(userId) ?? ask(userId);
    asking.set(userId, current);
    return current;
  }

  return {
    of: (userId) => known.get(userId)?.name,
    async learn(userIds) {
      const missing = userIds.filter((id) => (known.get(id)?.until ?? 0) <= now()).slice(0, 20);
      if (missing.length === 0) return;
      await Promise.race([Promise.all(missing.map(once)), sleep(PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}
