/** Everything that brings tools to the agent, put together for one run. */
import { resolve } from "node:path";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../log.ts";
import { type Agents, createAgents, DEFAULT_AGENT } from "./agents.ts";
import { deferredPart } from "./deferred.ts";
import { createKnowledge, type Knowledge } from "./knowledge.ts";
import { createMcp } from "./mcp.ts";
import { createMemory, type KeyValue } from "./memory.ts";
import { memoryPart } from "./memory-part.ts";
import type { PartContext, Parts, PartsFactory, PromptLayerName } from "./parts.ts";
import { loadPrompts } from "./prompt/files.ts";
import { createSkillBook, skillMounts } from "./skills.ts";
import { skillsPart } from "./skills-part.ts";
import { bootstrapPart, soulPart } from "./soul.ts";
import { subagentsPart } from "./subagents.ts";
import { filePart } from "./tools/file-part.ts";
import { readTool } from "./tools/files.ts";
import type { Mounts } from "./tools/mounts.ts";
import type { Lookup } from "./tools/net-guard.ts";
import { shellPart, webPart } from "./tools/other-parts.ts";
import { distinct, isAllowed, matchesName, type ToolRules } from "./tools/registry.ts";
import { imagePart } from "./tools/view-image.ts";
import { sessionMounts } from "./tools/workspace.ts";

export interface PartsDeps {
  root: string;
  log: Log;
  now(): number;
  /** Where memory lives; absent: nothing is remembered. */
  memory?: KeyValue;
  /** The folder a person at the terminal stands in. */
  cwd?: string;
  /** For tests of name resolution. */
  lookup?: Lookup;
}

export interface AllParts extends PartsFactory {
  knowledge: Knowledge;
  agents: Agents;
}

export function createParts(config: Config, deps: PartsDeps): AllParts {
  const { root, log } = deps;
  const under = (dir: string): string => resolve(root, dir);
  const prompts = loadPrompts(root);
  const agents = createAgents({ dir: under(config.agents.dir), dataDir: under(config.agents.data_dir), log });
  const skillDirs = config.skills.dirs.map(under);
  const book = createSkillBook(skillDirs, log);
  const memory = config.memory.enabled && deps.memory ? createMemory(deps.memory, config.memory.max_facts) : undefined;
  const mcp = createMcp({ servers: config.tools.mcp, root, log, now: deps.now });
  const maxBytes = config.workspace.max_file_mb * 1_000_000;
  const customDir = config.skills.self_evolution ? skillDirs.at(-1) : undefined;

  async function usual(context: PartContext): Promise<Parts> {
    const agent = await agents.get(context.run.agent_name ?? DEFAULT_AGENT);
    const skills = await book.enabled(agent?.skills);
    const mounts = { ...mountsOf(context, config, deps.cwd), more: skillMounts(skills) };
    const outside = await mcp.load();
    const found = await Promise.all([
      soulPart(agents, agent, context, prompts),
      skillsPart({ book, skills, prompts, customDir }, context),
      config.tools.files ? filePart({ mounts, maxBytes, prompts }, context) : skillFiles(mounts, maxBytes),
      context.vision && config.tools.files ? imagePart(mounts) : {},
      webPart(config.tools, deps.lookup),
      shellPart(config.tools.shell, context),
      memory ? memoryPart(memory, prompts, context) : {},
      {
        tools: outside.tools,
        lines: Object.fromEntries(outside.tools.map(({ name }) => [name, () => `Using ${name}`])),
      },
    ]);
    const rules = [context.limits.tools, { allow: agent?.tools }];
    const own = settled(merged(found), rules, config, context);
    const isDeferred = ({ name }: { name: string }): boolean => outside.deferred.has(name);
    const loaded = { ...own, tools: own.tools.filter((tool) => !isDeferred(tool)) };
    const more = [
      deferredPart(own.tools.filter(isDeferred), prompts),
      subagentsPart(
        { configured: config.subagents, prompts, parts: loaded, deferred: own.tools.filter(isDeferred) },
        context,
      ),
    ];
    return settled(merged([own, ...more]), rules, config, context);
  }

  return {
    agents,
    knowledge: createKnowledge(book, agents, memory),
    async for(context) {
      if (!context.run.is_bootstrap) return usual(context);
      return merged([await bootstrapPart({ agents, skills: book, prompts, config }, context)]);
    },
    modelFor: async ({ agent_name }) => (await agents.get(agent_name ?? DEFAULT_AGENT))?.model,
    close: () => mcp.close(),
  };
}

/** Without file tools, skills can still be read. */
function skillFiles({ home, work, more }: Mounts, maxBytes: number): Partial<Parts> {
  if (!more || more.length === 0) return {};
  return { tools: [readTool({ all: [], more, home, work }, { maxBytes })] };
}

function mountsOf({ run, workspaceDir }: PartContext, config: Config, cwd = process.cwd()): Mounts {
  const seesProject = run.channel === "terminal" && config.workspace.terminal_reads_cwd;
  return sessionMounts(workspaceDir, seesProject ? cwd : undefined);
}

function merged(found: Partial<Parts>[]): Parts {
  return {
    tools: found.flatMap((part) => part.tools ?? []),
    middleware: found.flatMap((part) => part.middleware ?? []),
    prompt: Object.assign({}, ...found.map((part) => part.prompt)),
    interruptOn: Object.assign({}, ...found.map((part) => part.interruptOn)),
    hidden: found.flatMap((part) => part.hidden ?? []),
    lines: Object.assign({}, ...found.map((part) => part.lines)),
  };
}

/** What all rules leave, with what the operator wants approved. */
function settled(parts: Parts, rules: (ToolRules | undefined)[], config: Config, { log }: PartContext): Parts {
  const named = distinct(parts.tools, (name) => log.warn({ tool: name }, "a second tool of this name is left out"));
  const tools = named.filter((tool) => rules.every((rule) => isAllowed(tool.name, rule)));
  const wanted = tools.filter(({ name }) => config.tools.approve.some((pattern) => matchesName(name, pattern)));
  const approve = Object.fromEntries(wanted.map(({ name }) => [name, true]));
  return { ...parts, tools, prompt: usable(parts.prompt, tools), interruptOn: { ...parts.interruptOn, ...approve } };
}

/** Layers that speak of tools, and the tools without which they would mislead. */
const ABOUT: [PromptLayerName, string[]][] = [
  ["self_update", ["update_agent"]],
  ["skill_system", ["read_file"]],
  ["working_directory", ["ls", "read_file", "write_file"]],
  ["subagent_system", ["task", "delegate"]],
  ["deferred_tools", ["tool_search"]],
];

function usable(prompt: Parts["prompt"], tools: Parts["tools"]): Parts["prompt"] {
  const names = new Set(tools.map((tool) => tool.name));
  const idle = ABOUT.filter(([, needed]) => !needed.some((name) => names.has(name))).map(([layer]) => layer);
  return Object.fromEntries(Object.entries(prompt).filter(([layer]) => !idle.some((name) => name === layer)));
}
