/** Subagents of a run: `task` for the known kinds, `delegate` for one made up on the spot, and the limit on both. */
import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { z } from "zod";
import type { SubagentConfig } from "../../config/schema.ts";
import { escapeText } from "./escape.ts";
import { lastAi, toolError } from "./messages.ts";
import type { PartContext, Parts } from "./parts.ts";
import type { Prompts } from "./prompt/files.ts";
import { runSubagent, type SubagentSpec } from "./subagent-run.ts";
import { isAllowed } from "./tools/registry.ts";

export interface SubagentsPart {
  configured: SubagentConfig[];
  prompts: Prompts;
  /** What the run itself has, without deferred tools. */
  parts: Parts;
  /** Only for a kind of subagent that names them: a child cannot look tools up. */
  deferred: StructuredToolInterface[];
}

const GENERAL = "general-purpose";
const STARTERS = ["task", "delegate"];
/** These speak or decide for the conversation, which a subagent does not know. */
const OWN = new Set([
  "present_files",
  "remember",
  "forget",
  "update_agent",
  "create_skill",
  "patch_skill",
  "tool_search",
  // Its images are shown by a middleware that children do not have.
  "view_image",
]);
const DEFAULT_TIMEOUT_MS = 300_000;
const DEFAULT_TURNS = 30;

export function subagentsPart(options: SubagentsPart, context: PartContext): Partial<Parts> {
  const { run } = context;
  if (!run.subagent_enabled) return {};
  const specs = specsOf(options);
  const kinds = specs.map((spec) => `- ${spec.name}: ${escapeText(spec.description)}`).join("\n");
  const limit = run.max_concurrent_subagents;
  return {
    tools: [taskTool(specs, options, context), delegateTool(options, context)],
    middleware: [subagentLimit(limit, context)],
    prompt: { subagent_system: options.prompts.fill("subagents", { limit: String(limit), kinds }) },
    hidden: STARTERS,
  };
}

function specsOf(options: SubagentsPart): SubagentSpec[] {
  const known = options.configured.map((entry) => configured(entry, options));
  if (known.some((spec) => spec.name === GENERAL)) return known;
  const general: SubagentSpec = {
    ...base(options),
    name: GENERAL,
    description: "Any task, with the same tools as you.",
    systemPrompt: systemPrompt(options.prompts.text("subagent-general"), options),
  };
  return [general, ...known];
}

function configured(entry: SubagentConfig, options: SubagentsPart): SubagentSpec {
  const defaults = base(options);
  const named = options.deferred.filter((item) => entry.tools && isAllowed(item.name, { allow: entry.tools }));
  const tools = [...defaults.tools.filter((item) => isAllowed(item.name, { allow: entry.tools })), ...named];
  return {
    name: entry.name,
    description: entry.description,
    systemPrompt: systemPrompt(entry.system_prompt, options),
    tools,
    model: entry.model,
    timeoutMs: entry.timeout_seconds * 1000,
    maxTurns: entry.max_turns,
    interruptOn: { ...defaults.interruptOn, ...Object.fromEntries(entry.interrupt_on.map((name) => [name, true])) },
  };
}

/** What needs a person's approval in the run needs it in its children too. */
function base({ parts }: SubagentsPart): Pick<SubagentSpec, "tools" | "interruptOn" | "timeoutMs" | "maxTurns"> {
  const tools = parts.tools.filter((item) => !OWN.has(item.name));
  return { tools, interruptOn: parts.interruptOn, timeoutMs: DEFAULT_TIMEOUT_MS, maxTurns: DEFAULT_TURNS };
}

function systemPrompt(text: string, { parts }: SubagentsPart): string {
  return [text, parts.prompt.working_directory].filter(Boolean).join("\n\n");
}

const instructions = z.string().min(1).describe("Everything it needs to know; it sees nothing else");

function taskTool(specs: SubagentSpec[], options: SubagentsPart, context: PartContext): StructuredToolInterface {
  const names = specs.map((spec) => spec.name).join(", ");
  return tool(
    async ({ description, subagent_type }, config) => {
      const spec = specs.find((entry) => entry.name === (subagent_type ?? GENERAL));
      if (!spec) return refused("task", config, `There is no subagent ${subagent_type}. Allowed: ${names}.`);
      return start("task", spec, description, { options, context, config });
    },
    {
      name: "task",
      description: `Give a task to a subagent and get its result. Kinds: ${names}.`,
      schema: z.object({ description: instructions, subagent_type: z.string().optional() }),
    },
  );
}

function delegateTool(options: SubagentsPart, context: PartContext): StructuredToolInterface {
  const defaults = base(options);
  const names = defaults.tools.map((item) => item.name);
  return tool(
    async ({ task, system_prompt, tools = [] }, config) => {
      const unknown = tools.filter((name) => !names.includes(name));
      if (unknown.length > 0)
        return refused("delegate", config, `Unknown tools: ${unknown.join(", ")}. Available: ${names.join(", ")}.`);
      const spec: SubagentSpec = {
        ...defaults,
        name: "delegate",
        description: "",
        systemPrompt: systemPrompt(system_prompt, options),
        tools: defaults.tools.filter((item) => tools.includes(item.name)),
      };
      return start("delegate", spec, task, { options, context, config });
    },
    {
      name: "delegate",
      description: "Give a task to a subagent made for it: you write who it is and name its tools.",
      schema: z.object({
        task: instructions,
        system_prompt: z.string().min(1).describe("Who it is and how it works"),
        tools: z.array(z.string()).optional().describe("Names of your own tools it may use; default none"),
      }),
    },
  );
}

interface Calling {
  options: SubagentsPart;
  context: PartContext;
  config: RunnableConfig;
}

async function start(name: string, spec: SubagentSpec, task: string, calling: Calling): Promise<ToolMessage> {
  const { options, context, config } = calling;
  const callId = callIdOf(config);
  const lines = options.parts.lines;
  const { ok, text } = await runSubagent({ spec, task, callId, config, lines }, context);
  return new ToolMessage({ content: text, tool_call_id: callId, name, status: ok ? "success" : "error" });
}

function refused(name: string, config: RunnableConfig, content: string): ToolMessage {
  return toolError({ id: callIdOf(config), name }, content);
}

function callIdOf(config: RunnableConfig): string {
  const { toolCallId, toolCall } = config as { toolCallId?: string; toolCall?: { id?: string } }; // Set by ToolNode.
  return toolCallId ?? toolCall?.id ?? "";
}

/** The hard limit behind the prompt's words: what is over it is answered, not run. */
function subagentLimit(limit: number, { log }: PartContext): AgentMiddleware {
  return createMiddleware({
    name: "subagent_limit",
    afterModel: ({ messages }) => {
      const calls = (lastAi(messages)?.tool_calls ?? []).filter((call) => STARTERS.includes(call.name));
      const cut = calls.slice(limit);
      if (cut.length === 0) return undefined;
      log.warn({ asked: calls.length, limit }, "subagents over the limit were not started");
      const text = `Not started: at most ${limit} subagents at once. Call it again when the others have returned.`;
      return { messages: cut.map((call) => toolError(call, text)) };
    },
  });
}
