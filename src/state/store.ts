/**
 * The memory of the bridge, in domain verbs. Two implementations (sqlite*.ts, redis*.ts), one contract suite.
 * Every verb is one atomic step: a crash before or after it leaves each message in exactly one place:
 * queued, active or finished.
 */
import type { Edit, MessageRef } from "../../channels/channel.ts";
import type { Answer, Question, Run, RunStatus, Session, SessionContext } from "../types.ts";

/** What one arriving message needs to know, read in one step. */
export interface Lookup {
  /** Absent until a message was accepted here. With `replyTo`, the session that posted that message. */
  session: Session | undefined;
  active: RunHead | undefined;
  queued: number;
}

/** The part of an active run that decides what a message does. */
export interface RunHead {
  id: string;
  status: RunStatus;
  askedBy: string;
  question?: Question | undefined;
}

export type Accepted = { kind: "queued"; position: number } | { kind: "duplicate" };

/**
 * - `run`: the caller owns the session's lane until `finish`, `park`, `release` or the lease ends.
 *   `run.attempt` counts this begin; above 1 means an earlier worker died.
 * - `busy`: another worker owns the lane. `idle`: nothing to do, or the active run waits for an answer.
 */
export type Claim = { kind: "run"; run: Run } | { kind: "busy" } | { kind: "idle" };

/** Fields a worker may write while a run goes on. Each is replaced whole; `undefined` deletes it. */
export type RunPatch = Partial<
  Pick<
    Run,
    | "todos"
    | "subagents"
    | "board"
    | "question"
    | "answer"
    | "outcome"
    | "delivered"
    | "posting"
    | "usage"
    | "files"
    | "draft"
    | "context"
    | "planReason"
    | "startedAt"
  >
>;

export interface Steer {
  id: string;
  text: string;
  speaker: { id: string; name: string };
}

export interface AuditEntry {
  at: number;
  who: string;
  /** Chat key, or `cli`. */
  where: string;
  what: string;
  old?: unknown;
  new?: unknown;
}

/** News for other workers; delivery is best effort, the state itself is the truth. */
export type Signal =
  | { kind: "wake"; session: string }
  | { kind: "stop"; run: string }
  | { kind: "steer"; run: string }
  | { kind: "settings" };

export interface Store {
  /** `replyTo`: a message of ours this one answers, where that decides the session. */
  lookup(session: string, replyTo?: MessageRef): Promise<Lookup>;
  /**
   * Seen + session record + queue + waiting list + wake, in one step. `run.id` and `run.inbound.id` make it act once;
   * inbound ids are remembered for two days. Creates the session (epoch 0) if new.
   */
  accept(run: Run): Promise<Accepted>;
  /** A message that is an answer: recorded on the waiting run if that question is still open. Acts once. */
  answer(session: string, run: string, inboundId: string, answer: Answer): Promise<"taken" | "closed" | "duplicate">;
  /** Replaces the text of a message that is still queued. Older edits than the last one are ignored. */
  edit(session: string, run: string, edit: Edit): Promise<"edited" | "too_late" | "unknown">;
  /** Takes the lane of a session and its next work: an unfinished active run first, then the queue. */
  begin(session: string, owner: string, leaseMs: number, now: number): Promise<Claim>;
  /** False: the lease is lost, stop working on it. */
  renew(session: string, owner: string, leaseMs: number, now: number): Promise<boolean>;
  /** Gives the lane back without finishing the active run (shutdown). The session stays on the waiting list. */
  release(session: string, owner: string): Promise<void>;
  saveRun(session: string, run: string, patch: RunPatch): Promise<void>;
  /** The run waits for a person: status `waiting`, lane released, off the waiting list. */
  park(session: string, run: string, owner: string, question: Question): Promise<boolean>;
  /**
   * Last step of a run: status, end time; the lane stays with the owner until `begin` finds nothing more.
   * `steered`: a message was steered into the run after its last step; nothing changed, deal with it first.
   */
  finish(
    session: string,
    run: string,
    owner: string,
    status: RunStatus,
    now: number,
  ): Promise<"finished" | "steered" | "lease_lost">;
  /** Ends a run that no worker owns (queued or waiting): off the queue, status set. False: it is running or over. */
  drop(session: string, run: string, status: RunStatus, now: number): Promise<boolean>;
  run(session: string, run: string): Promise<Run | undefined>;
  /** Queued run ids of a session, oldest first. */
  queue(session: string): Promise<string[]>;
  /** Marks the run; the owner sees it by signal and at its next renewal. */
  requestStop(session: string, run: string, by: NonNullable<Run["stop"]>): Promise<void>;
  /** Adds a message to a queued or running run. Acts once per steer id (an inbound id, remembered like `accept`'s). */
  steer(session: string, run: string, steer: Steer): Promise<"taken" | "closed" | "duplicate">;
  /** Steers not yet acknowledged, oldest first. */
  steers(session: string, run: string): Promise<Steer[]>;
  /** The agent has these in its history now. */
  ackSteers(session: string, run: string, ids: string[]): Promise<void>;
  /** Sessions with work for a lane, oldest first; what the sweep looks at. */
  waiting(limit: number): Promise<string[]>;
  /** Runs that are running or waiting, over all sessions. */
  activeRuns(limit: number): Promise<Run[]>;
  sessions(limit: number): Promise<Session[]>;
  /** Adds one to the epoch; the conversation starts over. */
  renewSession(session: string, now: number): Promise<Session>;
  /** Sets or (with undefined) removes single keys of the session's overrides. Creates the session if new. */
  overrideSession(session: string, patch: Partial<SessionContext>, now: number): Promise<Session>;
  /** Files a message of ours under its session, for replies and presses. Kept 30 days. */
  remember(ref: MessageRef, session: string): Promise<void>;
  /** Settings made at run time: `policy/<chat>/<path>`, `admin/<channel>/<user>`, `pause/<chat>`; values are JSON. */
  settings(): Promise<Record<string, unknown>>;
  /** Sets or (undefined) removes one setting and writes its audit entry, in one step. Returns the old value. */
  setSetting(key: string, value: unknown, audit: AuditEntry): Promise<unknown>;
  audit(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  audits(limit: number): Promise<AuditEntry[]>;

  /**
   * One of `burst` places in `perMs` for `key` (GCRA), shared by all workers: 0 = taken, else milliseconds to wait.
   * A taker with `reserve` leaves that many places free for others: progress leaves room for final answers.
   */
  take(key: string, burst: number, perMs: number, now: number, reserve?: number): Promise<number>;
  /** Small values with a lifetime: pairing codes, classifier memory. */
  put(key: string, value: unknown, ttlMs: number): Promise<void>;
  /** True the first time within `ttlMs`: for commands and presses that must act once. */
  once(key: string, ttlMs: number): Promise<boolean>;
  /** Adds `by` and returns the total; 0 reads. The lifetime begins at the first addition. */
  count(key: string, by: number, ttlMs: number): Promise<number>;
  get(key: string): Promise<unknown>;
  remove(key: string): Promise<void>;

  signal(signal: Signal): Promise<void>;
  subscribe(listener: (signal: Signal) => void): () => void;
  /** Rejects with one clear sentence when the state cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
