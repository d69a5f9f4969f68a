/** The context of a run, read from both places LangGraph has for it. */
import { z } from "zod";
import { sessionContext } from "../../config/schema.ts";
import type { PlanMode, RunContext } from "../types.ts";

export type ResolvedContext = Omit<RunContext, "is_plan_mode"> & { is_plan_mode: PlanMode };

export class ContextError extends Error {
  override name = "ContextError";
}

const text = z.string().min(1);
const shape = sessionContext.shape;

const runContext = z.object({
  thread_id: text,
  run_id: text,
  user_id: text,
  channel: text,
  chat_id: text,
  is_plan_mode: shape.is_plan_mode.default(false),
  plan_approval: shape.plan_approval.default("never"),
  thinking_enabled: shape.thinking_enabled.default(true),
  reasoning_effort: shape.reasoning_effort.optional(),
  model_name: shape.model_name.optional(),
  subagent_enabled: shape.subagent_enabled.default(false),
  max_concurrent_subagents: shape.max_concurrent_subagents.default(3),
  agent_name: shape.agent_name.optional(),
  is_bootstrap: shape.is_bootstrap.optional(),
  goal: shape.goal.optional(),
  private: z.boolean().optional(),
});

type Values = Record<string, unknown>;

/** `context` wins over `configurable`, key by key, also when it says false. Wrong types are refused, not converted. */
export function resolveContext(sources: { configurable?: object; context?: object }): ResolvedContext {
  const merged = { ...named(sources.configurable), ...named(sources.context) };
  const parsed = runContext.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw new ContextError(`Run context: ${parsed.error.issues.map((issue) => problem(issue, merged)).join("; ")}`);
}

/** `model` is another name of `model_name`; an undefined value says nothing. */
function named(source: object | undefined): Values {
  const said = Object.fromEntries(Object.entries(source ?? {}).filter(([, value]) => value !== undefined));
  if ("model" in said && !("model_name" in said)) said.model_name = said.model;
  return said;
}

function problem(issue: z.core.$ZodIssue, values: Values): string {
  const key = issue.path.join(".");
  return key in values ? `${key}: ${issue.message}, not ${JSON.stringify(values[key])}` : `${key} is missing`;
}
