/** Tools that need no more than the config: the web and the shell. */
import type { Config } from "../../../config/schema.ts";
import type { PartContext, Parts } from "../parts.ts";
import { word } from "./file-part.ts";
import type { Lookup } from "./net-guard.ts";
import { shellTool } from "./shell.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";

export function webPart(config: Config["tools"], lookup?: Lookup): Partial<Parts> {
  const { enabled, timeout_seconds, max_bytes, allow_private_hosts } = config.web_fetch;
  const timeoutMs = timeout_seconds * 1000;
  const options = { timeoutMs, maxBytes: max_bytes, allowPrivateHosts: allow_private_hosts, lookup };
  const tools = [enabled ? webFetchTool(options) : undefined, webSearchTool(config.search)];
  return {
    tools: tools.filter((tool) => tool !== undefined),
    lines: {
      web_fetch: (args) => `Fetching ${word(args.url, "a page")}`,
      web_search: (args) => `Searching the web for ${word(args.query)}`,
    },
  };
}

export function shellPart(config: Config["tools"]["shell"], { workspaceDir }: PartContext): Partial<Parts> {
  if (!config.enabled) return {};
  return {
    tools: [shellTool({ dir: workspaceDir, timeoutMs: config.timeout_seconds * 1000 })],
    interruptOn: config.approval === "always" ? { shell: true } : {},
    lines: { shell: (args) => `Running ${word(args.command)}` },
  };
}
