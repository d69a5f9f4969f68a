/** Builds the agent of one run: the middleware in their order, with a reason for each, and the prompt. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { type AgentMiddleware, createAgent, modelFallbackMiddleware } from "langchain";
import type { Config, ModelConfig } from "../../config/schema.ts";
import type { Log } from "../log.ts";
import type { AgentEvent, AgentRequest, RunContext, RunLimits } from "../types.ts";
import type { BoundedLedger } from "./bounded-ledger.ts";
import { anchor } from "./middleware/anchor.ts";
import { approvals } from "./middleware/approvals.ts";
import { budget } from "./middleware/budget.ts";
import { clarification } from "./middleware/clarification.ts";
import { finish } from "./middleware/finish.ts";
import { loop } from "./middleware/loop.ts";
import { planApproval } from "./middleware/plan-approval.ts";
import { progress } from "./middleware/progress.ts";
import { repair } from "./middleware/repair.ts";
import { retry } from "./middleware/retry.ts";
import { steer } from "./middleware/steer.ts";
import { summarize } from "./middleware/summarize.ts";
import { terminal } from "./middleware/terminal.ts";
import { type GuardNote, todoMiddleware } from "./middleware/todo.ts";
import { toolErrors } from "./middleware/tool-errors.ts";
import type { Parts } from "./parts.ts";
import type { Prompts } from "./prompt/files.ts";
import { promptLayers, systemPrompt } from "./prompt/layers.ts";
import { threadState } from "./thread-state.ts";
import type { UsageMeter } from "./usage.ts";

export interface Assembly {
  run: RunContext;
  limits: RunLimits;
  dialect: string;
  config: Config;
  model: BaseChatModel;
  modelConfig: ModelConfig;
  fallbacks: BaseChatModel[];
  parts: Parts;
  prompts: Prompts;
  ledger: BoundedLedger<GuardNote>;
  meter: UsageMeter;
  steers: AgentRequest["steers"];
  signal: AbortSignal;
  retryDelayMs: number;
  emit(event: AgentEvent): void;
  checkpointer: BaseCheckpointSaver;
  log: Log;
  now(): number;
}

export function assembleAgent(assembly: Assembly) {
  const { run, model, parts, prompts, checkpointer, limits } = assembly;
  const middleware = assembleMiddleware(assembly);
  const layers = promptLayers(prompts, {
    agentName: run.agent_name,
    planMode: run.is_plan_mode,
    goal: run.goal,
    dialect: assembly.dialect,
    now: assembly.now(),
    parts: parts.prompt,
  });
  const agent = createAgent({
    name: "lead",
    model,
    tools: parts.tools,
    middleware,
    systemPrompt: systemPrompt(layers),
    stateSchema: threadState,
    checkpointer,
  });
  return { agent, recursionLimit: recursionLimit(middleware, limits.recursionLimit) };
}

/** First is outermost; hooks after the model run from the end. */
function assembleMiddleware(assembly: Assembly): AgentMiddleware[] {
  const { run, parts, prompts, steers } = assembly;
  return [
    // first, or nothing below could jump back to the model
    anchor(),
    // before all that call the model: cut histories are made whole
    repair(),
    // outermost of the tool wrappers: catches the bugs of all others as well
    toolErrors(assembly.signal),
    // before the summary, so that new words are never part of the old
    ...(steers ? [steer(steers)] : []),
    // before the plan's reminders are added: they are no history
    summarize(summaryOf(assembly)),
    // before the todo middleware, so that its hook runs after the one that refuses double lists
    ...(run.is_plan_mode && run.plan_approval !== "never" ? [planApproval(run)] : []),
    // off is absent: no tool, no prompt, no hook
    ...(run.is_plan_mode ? [todoMiddleware({ run, prompts, ledger: assembly.ledger })] : []),
    // what brings tools: skills, memory, deferred tools, subagents and their limit
    ...parts.middleware,
    // sees what the model wants after the parts have cut it
    loop(),
    // what a person must allow waits here, before it counts as begun
    approvals(parts.interruptOn),
    progress({ emit: assembly.emit, hidden: parts.hidden, lines: parts.lines ?? {} }),
    // no final message is empty
    terminal(),
    ...modelGuards(assembly),
    // last: of a message that asks, only the question is left when the others look at it
    clarification(prompts.text("clarification-tool")),
  ];
}

/** What every agent of a run needs, subagents included. */
export function safety(assembly: Assembly, interruptOn: Record<string, boolean | "admin">): AgentMiddleware[] {
  return [repair(), toolErrors(assembly.signal), approvals(interruptOn), ...modelGuards(assembly)];
}

/** Nearest to the model: each attempt is paid for, and a reply cut in half is not taken for a whole one. */
function modelGuards({ limits, meter, fallbacks, modelConfig, retryDelayMs }: Assembly): AgentMiddleware[] {
  return [
    budget(limits, meter),
    finish(),
    ...(fallbacks.length > 0 ? [modelFallbackMiddleware(...fallbacks)] : []),
    retry(modelConfig.max_retries, retryDelayMs),
  ];
}

function summaryOf({ config, model, modelConfig, prompts, log }: Assembly) {
  const { enabled, at, keep_messages } = config.summarization;
  const window = modelConfig.context_window;
  return {
    model,
    atTokens: enabled ? Math.floor(window * at) : undefined,
    keepMessages: keep_messages,
    readTokens: Math.floor(window * 0.5),
    prompt: prompts.text("summary"),
    log,
  };
}

const DEFAULT_STEPS = 100;

/** LangGraph counts every hook as a step; people count model and tool steps. */
export function recursionLimit(middleware: AgentMiddleware[], steps = DEFAULT_STEPS): number {
  const having = (hook: "beforeAgent" | "beforeModel" | "afterModel" | "afterAgent") =>
    middleware.filter((one) => one[hook] !== undefined).length;
  const once = having("beforeAgent") + having("afterAgent");
  const perTurn = having("beforeModel") + 1 + having("afterModel") + 1;
  return once + Math.ceil(steps / 2) * perTurn;
}
