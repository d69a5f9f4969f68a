/** The agent behind the port: one stream of events per run, started, resumed or found done. Never throws. */
import { rm } from "node:fs/promises";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../log.ts";
import type { Agent, AgentEvent, AgentRequest, RunContext } from "../types.ts";
import { workspaceDir } from "../workspace.ts";
import { type Assembly, safety } from "./assemble.ts";
import { BoundedLedger } from "./bounded-ledger.ts";
import { resolveContext } from "./context.ts";
import { Drive } from "./drive.ts";
import { EventQueue } from "./event-queue.ts";
import { toFailure } from "./failures.ts";
import type { GuardNote } from "./middleware/todo.ts";
import { chooseModel, createModel, fallbackModels } from "./models.ts";
import type { Parts, PartsFactory } from "./parts.ts";
import { loadPrompts, type Prompts } from "./prompt/files.ts";
import { UsageMeter } from "./usage.ts";

export interface AgentDeps {
  config: Config;
  /** Where `config/prompts` and the workspaces are. */
  root: string;
  checkpointer: BaseCheckpointSaver;
  log: Log;
  /** Told what the operator should know, such as a model name that is not configured. */
  warn?(text: string): void;
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
    return new Drive(await this.#assembly(run), this.#request, this.#queue).go();
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
    this.#deps.warn?.(line);
    this.#queue.push({ type: "tool", id: "model", name: "model", status: "done", line });
  }
}
