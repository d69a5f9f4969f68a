/** The agent behind the port: one stream of events per run, started, resumed or found done. Never throws. */
import { rm } from "node:fs/promises";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../log.ts";
import type { Agent, AgentEvent, AgentRequest, RunContext, Todo } from "../types.ts";
import { workspaceDir } from "../workspace.ts";
import { type Assembly, assembleAgent, safety } from "./assemble.ts";
import { BoundedLedger } from "./bounded-ledger.ts";
import { resolveContext } from "./context.ts";
import { EventQueue } from "./event-queue.ts";
import { plannedTodos, questionsIn, TextSoFar, writtenTodos } from "./events.ts";
import { toFailure } from "./failures.ts";
import { finalText } from "./final-text.ts";
import { closeTurn, runMessages, spentOn } from "./history.ts";
import { NO_ANSWER } from "./middleware/terminal.ts";
import type { GuardNote } from "./middleware/todo.ts";
import { chooseModel, createModel, fallbackModels } from "./models.ts";
import type { Parts, PartsFactory } from "./parts.ts";
import { loadPrompts, type Prompts } from "./prompt/files.ts";
import { humanText } from "./speaker.ts";
import { UsageMeter } from "./usage.ts";

export interface AgentDeps {
  config: Config;
  /** Where `config/prompts` and the workspaces are. */
  root: string;
  checkpointer: BaseCheckpointSaver;
  log: Log;
  parts?: PartsFactory;
  now(): number;
  /** First wait before a model call is tried again; doubles each time. */
  retryDelayMs?: number;
}

const NO_PARTS: Parts = { tools: [], middleware: [], prompt: {}, interruptOn: {}, hidden: [] };

export function createAgentRuntime(deps: AgentDeps): Agent {
  const prompts = loadPrompts(deps.root);
  const ledger = new BoundedLedger<GuardNote>();
  return {
    stream: (request) => new RunStream(deps, prompts, ledger, request).events(),
    forget: (threadId) => forget(deps, threadId),
    close: async () => deps.parts?.close(),
  };
}

async function forget({ checkpointer, root, config }: AgentDeps, threadId: string): Promise<void> {
  await checkpointer.deleteThread(threadId);
  await rm(workspaceDir(root, config.workspace.dir, threadId), { recursive: true, force: true });
}

class RunStream {
  readonly #deps: AgentDeps;
  readonly #prompts: Prompts;
  readonly #ledger: BoundedLedger<GuardNote>;
  readonly #request: AgentRequest;
  readonly #queue = new EventQueue<AgentEvent>();
  readonly #log: Log;

  constructor(deps: AgentDeps, prompts: Prompts, ledger: BoundedLedger<GuardNote>, request: AgentRequest) {
    this.#deps = deps;
    this.#prompts = prompts;
    this.#ledger = ledger;
    this.#request = request;
    this.#log = deps.log.child({ run: request.context.run_id });
  }

  async *events(): AsyncGenerator<AgentEvent> {
    const worked = this.#work().then(
      (last) => this.#end(last),
      (error: unknown) => this.#end(this.#failed(error)),
    );
    yield* this.#queue;
    await worked;
  }

  #end(last: AgentEvent): void {
    this.#queue.push(last);
    this.#queue.end();
  }

  #failed(error: unknown): AgentEvent {
    if (this.#request.signal.aborted) return { type: "stopped" };
    const { failure, text } = toFailure(error);
    this.#log.warn({ code: failure.code, detail: failure.detail }, "run failed");
    return { type: "failed", failure, text };
  }

  async #work(): Promise<AgentEvent> {
    const { signal, context } = this.#request;
    signal.throwIfAborted();
    const run: RunContext = { ...resolveContext({ context }), is_plan_mode: context.is_plan_mode };
    return new Drive(await this.#assembly(run), this.#request, this.#deps, this.#queue).go();
  }

  async #assembly(run: RunContext): Promise<Assembly> {
    const { config, root, parts: factory, log } = this.#deps;
    const { signal, limits, input, dialect, steers } = this.#request;
    const { config: modelConfig, warning } = chooseModel(config.models, run.model_name, await factory?.modelFor?.(run));
    if (warning) this.#warn(warning);
    const emit = (event: AgentEvent) => this.#queue.push(event);
    const assembly: Assembly = {
      run,
      limits,
      dialect,
      config,
      model: createModel(modelConfig, run),
      modelConfig,
      fallbacks: fallbackModels(config, modelConfig, run),
      parts: NO_PARTS,
      prompts: this.#prompts,
      ledger: this.#ledger,
      meter: new UsageMeter((usage) => emit({ type: "usage", usage })),
      steers,
      signal,
      retryDelayMs: this.#deps.retryDelayMs ?? 1_000,
      emit,
      checkpointer: this.#deps.checkpointer,
      log: this.#log,
      now: this.#deps.now,
    };
    if (!factory) return assembly;
    const parts = await factory.for({
      run,
      limits,
      text: input.text,
      model: assembly.model,
      modelNamed: (name) => createModel(chooseModel(config.models, name).config, run),
      vision: modelConfig.vision,
      workspaceDir: workspaceDir(root, config.workspace.dir, run.thread_id),
      emit,
      signal,
      log,
      safety: (interruptOn) => safety(assembly, interruptOn),
    });
    return { ...assembly, parts };
  }

  #warn(line: string): void {
    this.#log.warn({}, line);
    this.#queue.push({ type: "tool", id: "model", name: "model", status: "done", line });
  }
}

/** Runs the assembled graph for one message. */
class Drive {
  readonly #assembly: Assembly;
  readonly #request: AgentRequest;
  readonly #deps: AgentDeps;
  readonly #queue: EventQueue<AgentEvent>;
  readonly #agent: ReturnType<typeof assembleAgent>["agent"];
  readonly #config;

  constructor(assembly: Assembly, request: AgentRequest, deps: AgentDeps, queue: EventQueue<AgentEvent>) {
    this.#assembly = assembly;
    this.#request = request;
    this.#deps = deps;
    this.#queue = queue;
    const { agent, recursionLimit } = assembleAgent(assembly);
    this.#agent = agent;
    this.#config = { ...runConfig(assembly), recursionLimit };
  }

  async go(): Promise<AgentEvent> {
    const state = await this.#state();
    const own = runMessages(state.messages, this.#request.input.id);
    if (own.length === 0) return this.#run(this.#start(state.messages));
    this.#assembly.meter.startFrom(spentOn(own));
    const { answer } = this.#request;
    const asked = questionsIn(state.interrupts, this.#deps.now());
    if (asked.length > 0) {
      const known = answer && asked.find(({ id }) => id === answer.questionId);
      if (!answer || !known) return this.#ask(state.interrupts);
      const { questionId, by, ...reply } = answer;
      return this.#run(new Command({ resume: { [questionId]: reply } }));
    }
    if (state.next.length > 0) return this.#run(null);
    return { type: "done", text: finalText(own) || NO_ANSWER };
  }

  #start(before: BaseMessage[]) {
    const { input, context } = this.#request;
    const human = new HumanMessage({ id: input.id, content: humanText(context.channel, input) });
    return { messages: [...closeTurn(before), human] };
  }

  async #run(input: { messages: BaseMessage[] } | Command | null): Promise<AgentEvent> {
    const stream = await this.#agent.stream(
      input as never,
      {
        ...this.#config,
        streamMode: ["messages", "updates"] as const,
        durability: "sync",
      } as never,
    );
    const text = new TextSoFar();
    for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
      if (mode === "messages") this.#showText(text, chunk as [BaseMessage, Record<string, unknown>]);
      if (mode === "updates") this.#showUpdate(chunk as Record<string, unknown>);
    }
    this.#request.signal.throwIfAborted();
    const { messages, interrupts } = await this.#state();
    if (interrupts.length > 0) return this.#ask(interrupts);
    return { type: "done", text: finalText(runMessages(messages, this.#request.input.id)) || NO_ANSWER };
  }

  #showText(text: TextSoFar, [message, meta]: [BaseMessage, Record<string, unknown>]): void {
    const ns = String(meta.langgraph_checkpoint_ns ?? "")
      .split("|")
      .slice(1);
    const event = text.add({ ns, tags: (meta.tags as string[] | undefined) ?? [], message });
    if (event) this.#queue.push(event);
  }

  #showUpdate(chunk: Record<string, unknown>): void {
    const todos = writtenTodos(chunk);
    if (todos) this.#showTodos(todos);
  }

  #showTodos(todos: Todo[]): void {
    this.#queue.push({ type: "todos", todos });
  }

  /** One question at a time; the others are asked again when this one is answered. */
  #ask(interrupts: unknown[]): AgentEvent {
    const [question] = questionsIn(interrupts, this.#deps.now());
    if (!question) throw new Error("the run waits for something unknown");
    const plan = plannedTodos(interrupts);
    if (plan) this.#showTodos(plan);
    return question.kind === "clarification" ? { type: "ask", question } : { type: "approve", question };
  }

  async #state(): Promise<{ messages: BaseMessage[]; next: string[]; interrupts: unknown[] }> {
    const { values, next, tasks } = await this.#agent.graph.getState({ configurable: this.#config.configurable });
    const messages = (values as { messages?: BaseMessage[] }).messages ?? [];
    // A task that has its result keeps the interrupts it was answered.
    const waiting = tasks.filter((task) => task.result === undefined);
    return { messages, next: [...next], interrupts: waiting.flatMap((task) => task.interrupts) };
  }
}

/** The run's context goes into both places LangGraph has for it, and what tracing shows into the metadata. */
function runConfig({ run, meter, signal, modelConfig }: Assembly) {
  return {
    configurable: { ...run, checkpoint_ns: "" },
    context: { ...run },
    callbacks: [meter],
    signal,
    runName: "planbridge",
    tags: ["planbridge", `channel:${run.channel}`],
    metadata: {
      model_name: modelConfig.name,
      is_plan_mode: run.is_plan_mode,
      thinking_enabled: run.thinking_enabled,
      agent_name: run.agent_name ?? "lead",
      channel: run.channel,
      session_id: run.thread_id,
      run_id: run.run_id,
      user_id: run.user_id,
    },
  };
}
