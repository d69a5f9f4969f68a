/** One run, from its first model call to its last word. Whatever happens, the person is told. */
import type { Channel, Content, MessageRef } from "../channels/channel.ts";
import type { Config } from "../config/schema.ts";
import { Board, type BoardDeps } from "./board.ts";
import { Draft } from "./draft.ts";
import { DAY_MS, endRun, showAnswered, spendKey } from "./ending.ts";
import { messageOf } from "./errors.ts";
import type { Lane } from "./lanes.ts";
import type { Log } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { decidePlanMode } from "./plan-decision.ts";
import { type Policy, resolvePolicy } from "./policy.ts";
import { postOnce } from "./post-once.ts";
import { questionButtons, questionText } from "./render.ts";
import type { Seen } from "./seen.ts";
import { chatKey, userKey } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import type { RunPatch, Steer, Store } from "./state/store.ts";
import type {
  Agent,
  AgentEvent,
  AgentRequest,
  Answer,
  InputFile,
  Outcome,
  Question,
  Run,
  RunContext,
} from "./types.ts";
import type { Uploads } from "./uploads.ts";
import { words } from "./words.ts";

export interface RunsDeps {
  root: string;
  config(): Config;
  store: Store;
  settings: Settings;
  agent: Agent;
  outbox: Outbox;
  uploads: Uploads;
  seen: Seen;
  channel(at: Run["inbound"]["at"]): Channel;
  log: Log;
  now(): number;
}

/** Why a run's signal was aborted. */
export class Stopped extends Error {}
class TimedOut extends Error {}
export class LeaseLost extends Error {}
export class ShuttingDown extends Error {}

export function boardDeps(deps: RunsDeps, run: Run, log: Log): BoardDeps {
  return {
    outbox: deps.outbox,
    save: (patch) => deps.store.saveRun(run.session, run.id, patch),
    posted: (ref) => deps.store.remember(ref, run.session),
    log,
  };
}

/** Platforms' indicators lapse after 5 seconds or more. */
const TYPING_EVERY_MS = 4_000;

const hasOpenStep = ({ todos }: Run): boolean => todos.some((todo) => todo.status !== "completed");

export class Execution {
  readonly #deps: RunsDeps;
  readonly #run: Run;
  readonly #lane: Lane;
  readonly #control: AbortController;
  readonly #log: Log;
  readonly #board: Board;
  readonly #draft: Draft;
  readonly #policy: Policy;
  #offered: string[] = [];

  constructor(deps: RunsDeps, run: Run, lane: Lane, control: AbortController, log: Log) {
    this.#deps = deps;
    this.#run = run;
    this.#lane = lane;
    this.#control = control;
    this.#log = log;
    this.#board = new Board(run, boardDeps(deps, run, log));
    this.#draft = new Draft(run, { ...boardDeps(deps, run, log), channel: deps.channel(run.inbound.at) });
    this.#policy = resolvePolicy(deps.config(), deps.settings, { at: run.inbound.at, user: run.inbound.user });
  }

  async go(): Promise<void> {
    const run = this.#run;
    run.outcome ??= await this.#decide();
    if (!run.outcome) return;
    await this.#save({ outcome: run.outcome, todos: run.todos, usage: run.usage });
    await endRun(run, run.outcome, {
      ...this.#deps,
      board: this.#board,
      owner: this.#lane.owner,
      log: this.#log,
      offered: this.#offered,
    });
  }

  /** The outcome, or undefined when the run is not over: it waits for a person, or another worker goes on. */
  async #decide(): Promise<Outcome | undefined> {
    const { max_attempts } = this.#deps.config().runs;
    if (this.#run.attempt > max_attempts) return { kind: "lost", text: words.lost(max_attempts) };
    await decidePlanMode(this.#run, this.#deps.store);
    this.#board.resume(this.#run.attempt > 1 ? words.resumed : undefined);
    if (this.#run.answer) await this.#goOnAfterAnswer(this.#run.answer);
    const typing = this.#typing();
    const deadline = this.#deadline();
    try {
      return await this.#listen();
    } finally {
      await this.#draft.close();
      clearTimeout(deadline);
      clearInterval(typing);
    }
  }

  async #goOnAfterAnswer(answer: Answer): Promise<void> {
    this.#board.answered();
    await showAnswered(this.#deps, this.#run, "text" in answer ? answer.text : answer.decision);
  }

  async #listen(): Promise<Outcome | undefined> {
    let last: AgentEvent | undefined;
    for await (const event of this.#deps.agent.stream(await this.#request())) {
      last = event;
      await this.#apply(event);
    }
    switch (last?.type) {
      case "done":
        return { kind: "done", text: last.text };
      case "failed":
        return { kind: "failed", text: last.text, failure: last.failure };
      case "ask":
      case "approve":
        await this.#park(last.question);
        return undefined;
      default:
        return this.#cut();
    }
  }

  /** The agent was stopped: by a person, by time, or because this worker must let go. */
  async #cut(): Promise<Outcome | undefined> {
    const reason: unknown = this.#control.signal.reason;
    if (reason instanceof Stopped) return { kind: "stopped", text: words.stopped };
    if (reason instanceof TimedOut) {
      const text = `This took longer than ${this.#deps.config().runs.timeout_minutes} minutes, so I stopped it.`;
      return { kind: "failed", text, failure: { code: "step_limit", detail: "run timeout" } };
    }
    if (reason instanceof ShuttingDown) await this.#board.suspend();
    this.#log.info({ reason: messageOf(reason) }, "run is handed over");
    return undefined;
  }

  async #apply(event: AgentEvent): Promise<void> {
    const run = this.#run;
    // Words while steps are open are no answer yet: the model is sent back to its plan.
    if (event.type === "text" && !hasOpenStep(run)) this.#draft.write(event.text);
    if (event.type === "usage") {
      run.usage = event.usage;
      await this.#save({ usage: run.usage });
    }
    if (event.type === "file") {
      const { name, path, mime: type, comment } = event;
      // A tool that runs again after a crash hands over the same file.
      const others = (run.files ?? []).filter((file) => file.path !== path);
      run.files = [...others, { name, path, type, comment }];
      await this.#save({ files: run.files });
    }
    if (event.type === "todos") {
      run.todos = event.todos;
      await this.#save({ todos: event.todos });
    }
    // Only the conversation that made an agent was held for that.
    if (event.type === "tool" && event.name === "setup_agent" && event.status === "done") {
      await this.#deps.store.overrideSession(run.session, { is_bootstrap: undefined }, this.#deps.now());
    }
    this.#board.apply(event);
    if (event.type === "subagent") {
      run.subagents = this.#board.subagents;
      await this.#save({ subagents: run.subagents });
    }
  }

  async #request(): Promise<AgentRequest> {
    const { inbound, answer } = this.#run;
    const channel = this.#deps.channel(inbound.at);
    return {
      context: this.#context(),
      input: {
        id: inbound.id,
        text: inbound.text,
        speaker: inbound.user,
        quoted: inbound.quoted,
        files: await this.#uploads(),
      },
      dialect: channel.capabilities.dialect,
      answer,
      spent: this.#run.usage,
      limits: await this.#limits(),
      signal: this.#control.signal,
      steers: () => this.#steers(),
    };
  }

  async #limits(): Promise<AgentRequest["limits"]> {
    const { budget, tools, recursionLimit } = this.#policy;
    const perDay = budget.chat_tokens_per_day;
    const spent =
      perDay === undefined
        ? 0
        : await this.#deps.store.count(spendKey(this.#run.inbound.at, this.#deps.now()), 0, DAY_MS);
    return {
      tools,
      runTokens: budget.run_tokens,
      runModelCalls: budget.run_model_calls,
      chatTokensLeft: perDay === undefined ? undefined : Math.max(0, perDay - spent),
      recursionLimit,
    };
  }

  async #uploads(): Promise<InputFile[]> {
    return this.#run.inbound.attachments.length === 0 ? [] : this.#deps.uploads.take(this.#run);
  }

  #context(): RunContext {
    const { id, threadId, inbound, context } = this.#run;
    return {
      ...context,
      is_plan_mode: context.is_plan_mode === true,
      thread_id: threadId,
      run_id: id,
      user_id: userKey(inbound.at, inbound.user.id),
      channel: inbound.at.channel,
      chat_id: chatKey(inbound.at),
      private: inbound.kind === "dm",
    };
  }

  /** What was offered before is in the agent's history once it asks again. */
  async #steers(): Promise<Steer[]> {
    const { session, id } = this.#run;
    if (this.#offered.length > 0) await this.#deps.store.ackSteers(session, id, this.#offered);
    const steers = await this.#deps.store.steers(session, id);
    this.#offered = steers.map((steer) => steer.id);
    return steers;
  }

  async #park(question: Question): Promise<void> {
    const run = this.#run;
    // What was written before the question stays above it; the answer comes below.
    await this.#draft.close();
    run.draft = undefined;
    await this.#save({ todos: run.todos, usage: run.usage, answer: undefined, draft: undefined });
    await this.#board.ask(question);
    const asked = question.kind === "plan" ? question : await this.#ask(question);
    const parked = await this.#deps.store.park(run.session, run.id, this.#lane.owner, asked);
    this.#log.info({ kind: question.kind, parked }, "run waits for an answer");
  }

  async #ask(question: Question): Promise<Question> {
    const run = this.#run;
    const buttons = questionButtons(run.id, question);
    const content: Content = { kind: "question", text: questionText(question), buttons };
    const nonce = `${run.id}.q${question.id.slice(0, 6)}`;
    const save = (patch: RunPatch) => this.#save(patch);
    const { ref } = await postOnce(run, nonce, () => content, { outbox: this.#deps.outbox, save });
    await this.#posted(ref);
    return { ...question, ref };
  }

  #deadline(): NodeJS.Timeout {
    const minutes = this.#deps.config().runs.timeout_minutes;
    return setTimeout(() => this.#control.abort(new TimedOut()), minutes * 60_000);
  }

  #typing(): NodeJS.Timeout {
    const { at } = this.#run.inbound;
    const channel = this.#deps.channel(at);
    const show = () => {
      channel.typing?.(at, true).catch((error) => this.#log.debug({ error: messageOf(error) }, "typing not shown"));
    };
    show();
    return setInterval(show, TYPING_EVERY_MS);
  }

  #save(patch: RunPatch): Promise<void> {
    return this.#deps.store.saveRun(this.#run.session, this.#run.id, patch);
  }

  #posted(ref: MessageRef): Promise<void> {
    return this.#deps.store.remember(ref, this.#run.session);
  }
}
