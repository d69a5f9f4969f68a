/**
 * One worker per session at a time, over all processes: the lane is a lease in the store, renewed while a run goes on.
 * A session that waits for a free place holds none, and a session nobody was woken for is found by the sweep.
 */
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Store } from "./state/store.ts";
import type { Run } from "./types.ts";

export interface Lane {
  owner: string;
  /** Aborted when the lease is lost or the process shuts down. */
  signal: AbortSignal;
}

export interface Lanes {
  /** There may be work for this session. Returns at once. */
  kick(session: string): void;
  /** Takes no new work, waits up to `graceMs` for the runs under way, then hands them over. */
  close(graceMs: number, reason: Error): Promise<void>;
  /** Sessions worked on by this process. */
  size(): number;
  /** Resolves when nothing is under way or waiting for a place here. */
  idle(): Promise<void>;
}

export interface LanesDeps {
  store: Pick<Store, "begin" | "renew" | "release" | "waiting">;
  owner: string;
  leaseMs: number;
  concurrency: number;
  sweepMs: number;
  work(run: Run, lane: Lane): Promise<void>;
  /** Called after each renewal: what a lost signal should have said is in the store. */
  renewed(run: Run): Promise<void>;
  log: Log;
  now(): number;
}

/** A run that could not even end (platform unreachable for long) is tried again after this. */
const RETRY_MS = 5_000;

export function createLanes(deps: LanesDeps): Lanes {
  const ready = new Set<string>();
  const driving = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const controls = new Set<AbortController>();
  const timers = new Set<NodeJS.Timeout>();
  let waiters: (() => void)[] = [];
  let closed = false;

  function kick(session: string): void {
    if (closed) return;
    if (driving.has(session)) again.add(session);
    else ready.add(session);
    pump();
  }

  function pump(): void {
    for (const session of ready) {
      if (closed || driving.size >= deps.concurrency) break;
      ready.delete(session);
      driving.set(
        session,
        drive(session).finally(() => ended(session)),
      );
    }
    if (ready.size === 0 && driving.size === 0) {
      for (const resolve of waiters) resolve();
      waiters = [];
    }
  }

  function ended(session: string): void {
    driving.delete(session);
    if (again.delete(session) && !closed) ready.add(session);
    pump();
  }

  async function drive(session: string): Promise<void> {
    try {
      while (!closed) {
        const claim = await deps.store.begin(session, deps.owner, deps.leaseMs, deps.now());
        if (claim.kind !== "run") return;
        await hold(session, claim.run);
      }
      await deps.store.release(session, deps.owner);
    } catch (error) {
      deps.log.error({ session, error: messageOf(error) }, "lane failed, will be tried again");
      await deps.store.release(session, deps.owner).catch(() => undefined); // The lease ends by itself.
      later(session);
    }
  }

  async function hold(session: string, run: Run): Promise<void> {
    const control = new AbortController();
    controls.add(control);
    const renewal = setInterval(() => void renew(session, run, control), deps.leaseMs / 3);
    try {
      await deps.work(run, { owner: deps.owner, signal: control.signal });
    } finally {
      clearInterval(renewal);
      controls.delete(control);
    }
  }

  async function renew(session: string, run: Run, control: AbortController): Promise<void> {
    try {
      const kept = await deps.store.renew(session, deps.owner, deps.leaseMs, deps.now());
      if (kept) await deps.renewed(run);
      else control.abort(new Error("the lane's lease was lost"));
    } catch (error) {
      deps.log.warn({ session, error: messageOf(error) }, "lease could not be renewed");
    }
  }

  function later(session: string): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      kick(session);
    }, RETRY_MS);
    timers.add(timer);
  }

  async function sweep(): Promise<void> {
    try {
      for (const session of await deps.store.waiting(1_000)) if (!driving.has(session)) kick(session);
    } catch (error) {
      deps.log.warn({ error: messageOf(error) }, "sweep failed");
    }
  }

  const sweeper = setInterval(() => void sweep(), deps.sweepMs);
  void sweep();

  return {
    kick,
    size: () => driving.size,
    idle: () => (ready.size + driving.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    async close(graceMs, reason) {
      closed = true;
      clearInterval(sweeper);
      for (const timer of timers) clearTimeout(timer);
      const all = Promise.allSettled(driving.values());
      const cut = setTimeout(() => {
        for (const control of controls) control.abort(reason);
      }, graceMs);
      await all;
      clearTimeout(cut);
    },
  };
}
