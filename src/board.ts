/**
 * The plan message of one run: posted at the first plan, then edited until the run ends. Newest view wins, one request
 * in flight, equal views are skipped, the last one is awaited. What was shown is stored, so another worker can go on.
 */
import { createHash } from "node:crypto";
import type { BoardState, BoardView, Content, MessageRef } from "../channels/channel.ts";
import { ChannelError } from "../channels/errors.ts";
import type { Log } from "./log.ts";
import type { Outbox, Urgency } from "./outbox.ts";
import { announcedWithout, isAnnounced, type Posted, postOnce } from "./post-once.ts";
import { boardView } from "./render.ts";
import type { RunPatch } from "./state/store.ts";
import type { AgentEvent, Question, Run, Subagent, Todo } from "./types.ts";
import { words } from "./words.ts";

export interface BoardDeps {
  outbox: Outbox;
  save(patch: RunPatch): Promise<void>;
  /** Called for each message posted, so that replies to it find the session. */
  posted(ref: MessageRef): Promise<void>;
  log: Log;
}

const ACTIVITY_LINES = 3;

export class Board {
  readonly #run: Run;
  readonly #deps: BoardDeps;
  readonly #stop = new AbortController();
  #todos: Todo[];
  #subagents: Subagent[];
  #tools = new Map<string, string>();
  #state: BoardState = "planning";
  #note: string | undefined;
  #question: Question | undefined;
  #wanted = false;
  #flight: Promise<void> | undefined;

  constructor(run: Run, deps: BoardDeps) {
    this.#run = run;
    this.#deps = deps;
    this.#todos = run.todos;
    this.#subagents = run.subagents ?? [];
    this.#state = this.#stage();
  }

  /** True once there is, or has to be, a plan message. */
  get shown(): boolean {
    return this.#run.board !== undefined || this.#wanted;
  }

  get todos(): Todo[] {
    return this.#todos;
  }

  get subagents(): Subagent[] {
    return this.#subagents;
  }

  /** The same plan message goes on after a restart. */
  resume(note: string | undefined): void {
    this.#note = note;
    this.#wanted = this.#run.board !== undefined || isAnnounced(this.#run, this.#nonce);
    if (this.#wanted) this.#flush("progress");
  }

  apply(event: AgentEvent): void {
    if (event.type === "todos") {
      this.#todos = event.todos;
      this.#state = "working";
      this.#wanted = true;
    } else if (event.type === "subagent") {
      this.#subagents = upsert(this.#subagents, event.subagent);
      this.#state = "working";
      this.#wanted = true;
    } else if (event.type === "tool") {
      if (event.status === "running") this.#tools.set(event.id, event.line);
      else this.#tools.delete(event.id);
    } else return;
    if (this.#wanted) this.#flush("progress");
  }

  /** A plan is approved on its own message; every other question has one of its own. */
  async ask(question: Question): Promise<void> {
    this.#question = question;
    this.#state = "waiting";
    this.#tools.clear();
    this.#wanted ||= question.kind === "plan";
    if (this.shown) await this.#settle();
  }

  answered(): void {
    this.#question = undefined;
    this.#state = this.#stage();
    if (this.shown) this.#flush("progress");
  }

  /** The last word; awaited until the platform shows it or refuses for good. */
  async end(state: BoardState, note?: string): Promise<void> {
    this.#state = state;
    this.#note = note;
    this.#question = undefined;
    if (this.shown) await this.#settle();
  }

  /** Before a shutdown: the run is not over, so the message says that it goes on. */
  async suspend(): Promise<void> {
    this.#note = words.paused;
    if (this.shown) await this.#settle();
  }

  #stage(): BoardState {
    return this.#todos.length + this.#subagents.length > 0 ? "working" : "planning";
  }

  get #nonce(): string {
    return `${this.#run.id}.b`;
  }

  #view(): BoardView {
    return boardView({
      run: this.#run.id,
      state: this.#state,
      todos: this.#todos,
      subagents: this.#subagents,
      activity: [...this.#tools.values()].slice(-ACTIVITY_LINES),
      note: this.#note,
      question: this.#question,
    });
  }

  #flush(urgency: Urgency): void {
    this.#flight ??= this.#loop(urgency).finally(() => {
      this.#flight = undefined;
    });
  }

  /** A progress request that still waits for its turn gives way to the last word. */
  async #settle(): Promise<void> {
    this.#stop.abort();
    await this.#flight;
    await this.#loop("final");
  }

  async #loop(urgency: Urgency): Promise<void> {
    const signal = urgency === "progress" ? this.#stop.signal : undefined;
    while (!signal?.aborted && hash(this.#view()) !== this.#run.board?.shown) {
      try {
        await this.#show(urgency, signal);
      } catch (error) {
        if (signal?.aborted && error === signal.reason) return;
        if (!(await this.#recover(error))) return;
      }
    }
  }

  async #show(urgency: Urgency, signal: AbortSignal | undefined): Promise<void> {
    let sent = this.#view();
    const content = () => {
      sent = this.#view();
      return { kind: "board" as const, board: sent };
    };
    const board = this.#run.board;
    if (board) await this.#deps.outbox.edit(board.ref, content, { urgency, signal });
    const { ref, found } = board ? { ref: board.ref, found: false } : await this.#post(content, signal);
    // What a dead worker's post shows is not known: the next round edits it.
    this.#run.board = { ...board, ref, revision: (board?.revision ?? 0) + 1, shown: found ? "" : hash(sent) };
    await this.#deps.save({ board: this.#run.board, posting: announcedWithout(this.#run, this.#nonce) });
    if (!board) await this.#deps.posted(ref);
  }

  #post(content: () => Content, signal: AbortSignal | undefined): Promise<Posted> {
    return postOnce(this.#run, this.#nonce, content, this.#deps, { signal });
  }

  /** True: try again. A plan message that a person deleted is posted anew, once. */
  async #recover(error: unknown): Promise<boolean> {
    const code = error instanceof ChannelError ? error.code : undefined;
    const board = this.#run.board;
    const again = code === "message_gone" && board !== undefined && !board.reposted;
    this.#deps.log.warn({ run: this.#run.id, code, error: String(error), again }, "plan message cannot be shown");
    if (!again) return false;
    try {
      await this.#repost(board);
      return true;
    } catch (second) {
      this.#deps.log.warn({ run: this.#run.id, error: String(second) }, "plan message cannot be posted anew");
      return false;
    }
  }

  async #repost(board: NonNullable<Run["board"]>): Promise<void> {
    const content = () => ({ kind: "board" as const, board: this.#view() });
    const ref = await this.#deps.outbox.post(this.#run.inbound.at, content, { nonce: `${this.#run.id}.c` });
    this.#run.board = { ref, revision: board.revision + 1, shown: "", reposted: true };
    await this.#deps.save({ board: this.#run.board });
    await this.#deps.posted(ref);
  }
}

function upsert(list: Subagent[], item: Subagent): Subagent[] {
  const at = list.findIndex((other) => other.id === item.id);
  return at < 0 ? [...list, item] : list.with(at, item);
}

function hash(view: BoardView): string {
  return createHash("sha256").update(JSON.stringify(view)).digest("base64url").slice(0, 22);
}
