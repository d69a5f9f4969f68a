/** Everything that brings tools to the agent, put together for one run. */
import type { Config } from "../../config/schema.ts";
import type { Log } from "../log.ts";
import { openPrompts } from "./part-prompts.ts";
import type { PartContext, Parts, PartsFactory } from "./parts.ts";
import { filePart } from "./tools/file-part.ts";
import type { Lookup } from "./tools/net-guard.ts";
import { shellPart, webPart } from "./tools/other-parts.ts";
import { distinct, isAllowed, matchesName } from "./tools/registry.ts";
import { sessionMounts } from "./tools/workspace.ts";

export interface PartsDeps {
  root: string;
  log: Log;
  now(): number;
  /** The folder a person at the terminal stands in. */
  cwd?: string;
  /** For tests of name resolution. */
  lookup?: Lookup;
}

export function createParts(config: Config, deps: PartsDeps): PartsFactory {
  const prompts = openPrompts();
  const maxBytes = config.workspace.max_file_mb * 1_000_000;

  function mountsOf({ run, workspaceDir }: PartContext) {
    const seesProject = run.channel === "terminal" && config.workspace.terminal_reads_cwd;
    return sessionMounts(workspaceDir, seesProject ? (deps.cwd ?? process.cwd()) : undefined);
  }

  return {
    async for(context) {
      const found = [
        config.tools.files ? filePart({ mounts: mountsOf(context), maxBytes, prompts }, context) : {},
        webPart(config.tools, prompts, deps.lookup),
        shellPart(config.tools.shell, context),
      ];
      return settled(merged(found), config, context);
    },
    async close() {},
  };
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

/** What the rules of this run leave, with what the operator wants approved. */
function settled(parts: Parts, config: Config, { limits, log }: PartContext): Parts {
  const named = distinct(parts.tools, (name) => log.warn({ tool: name }, "a second tool of this name is left out"));
  const tools = named.filter((tool) => isAllowed(tool.name, limits.tools));
  const wanted = tools.filter(({ name }) => config.tools.approve.some((pattern) => matchesName(name, pattern)));
  const approve = Object.fromEntries(wanted.map(({ name }) => [name, true]));
  return { ...parts, tools, interruptOn: { ...parts.interruptOn, ...approve } };
}
