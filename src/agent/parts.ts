/**
 * What the agent's core asks of everything that brings tools: files, web, shell, MCP, skills, memory, subagents.
 * The core never imports those; main hands them in as one factory.
 */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { AgentMiddleware } from "langchain";
import type { Log } from "../log.ts";
import type { AgentEvent, RunContext, RunLimits } from "../types.ts";

/** In the order in which they stand in the prompt. Static ones first, so that providers can cache the prefix. */
export const PROMPT_LAYERS = [
  "role",
  "soul",
  "self_update",
  "thinking_style",
  "clarification_system",
  "skill_system",
  "subagent_system",
  "working_directory",
  "citations",
  "deferred_tools",
  "acp_agents",
  "channel_dialect",
  "critical_reminders",
  "todo_list_system",
  "goal",
  "memory_context",
  "current_date",
] as const;
export type PromptLayerName = (typeof PROMPT_LAYERS)[number];

export interface PartContext {
  run: RunContext;
  limits: RunLimits;
  /** The person's words of this run, unescaped; for skills called by name. */
  text: string;
  model: BaseChatModel;
  /** Resolves as the run's own model does: an unknown name falls back with a warning. */
  modelNamed(name: string): BaseChatModel;
  /** The run's model can see images. */
  vision: boolean;
  workspaceDir: string;
  /** Called while the run is active only. */
  emit(event: AgentEvent): void;
  signal: AbortSignal;
  log: Log;
  /**
   * What every agent of a run needs, children included, outermost first: repair of cut histories, retries of the
   * model, tool errors as messages, and a person's approval for the tools named in `interruptOn`.
   */
  safety(interruptOn: Record<string, boolean | "admin">): AgentMiddleware[];
}

export interface Parts {
  tools: StructuredToolInterface[];
  /** Placed between the plan and loop detection, in this order. Their state keys must be in `threadState`. */
  middleware: AgentMiddleware[];
  prompt: Partial<Record<PromptLayerName, string>>;
  /** Tools a person approves before they run. */
  interruptOn: Record<string, boolean | "admin">;
  /** Tools whose calls are not shown as progress. */
  hidden: string[];
  /** One short sentence for a call of this tool, e.g. "Reading notes.md". Absent: a general sentence. */
  lines?: Record<string, (args: Record<string, unknown>) => string>;
}

export interface PartsFactory {
  for(context: PartContext): Promise<Parts>;
  /** The model that the run's agent names in its configuration. */
  modelFor?(run: RunContext): Promise<string | undefined>;
  close(): Promise<void>;
}
