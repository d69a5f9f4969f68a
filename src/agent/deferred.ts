/** Many tools cost many tokens: deferred ones are named in the prompt and loaded by `tool_search` when wanted. */
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { z } from "zod";
import { escapeText } from "./escape.ts";
import type { Parts } from "./parts.ts";
import type { Prompts } from "./prompt/files.ts";

const MAX_FOUND = 8;
const artifact = z.object({ loaded: z.array(z.string()) });

export function deferredPart(deferred: StructuredToolInterface[], prompts: Prompts): Partial<Parts> {
  if (deferred.length === 0) return {};
  const names = deferred.map(({ name }) => `- ${escapeText(name)}`).join("\n");
  return {
    tools: [toolSearch(deferred)],
    middleware: [loadedOnly(new Set(deferred.map(({ name }) => name)))],
    prompt: { deferred_tools: prompts.fill("deferred-tools", { names }) },
    lines: { tool_search: () => "Looking for a tool" },
  };
}

function toolSearch(deferred: StructuredToolInterface[]): StructuredToolInterface {
  return tool(
    async ({ query }) => {
      const found = search(deferred, query);
      const text = found.map(({ name, description }) => `- ${name}: ${(description ?? "").slice(0, 500)}`).join("\n");
      const content = found.length > 0 ? `Loaded:\n${text}` : `No deferred tool fits ${JSON.stringify(query)}.`;
      return [content, { loaded: found.map(({ name }) => name) }];
    },
    {
      name: "tool_search",
      description: "Load deferred tools: by exact names, separated by commas, or by words that describe what they do.",
      schema: z.object({ query: z.string().min(1).max(500) }),
      responseFormat: "content_and_artifact",
    },
  );
}

/** Exact names first; otherwise those that share the most words with the query. */
function search(deferred: StructuredToolInterface[], query: string): StructuredToolInterface[] {
  const asked = query.split(/[\s,]+/).filter(Boolean);
  const exact = deferred.filter((item) => asked.includes(item.name));
  if (exact.length > 0) return exact;
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return deferred
    .map((item) => ({ item, score: scoreOf(item, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, two) => two.score - one.score)
    .slice(0, MAX_FOUND)
    .map(({ item }) => item);
}

function scoreOf({ name, description }: StructuredToolInterface, words: string[]): number {
  const [inName, inText] = [name.toLowerCase(), (description ?? "").toLowerCase()];
  return words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : inText.includes(word) ? 1 : 0), 0);
}

/** What was loaded is read from the thread itself, so it holds after a restart and needs no state of its own. */
function loadedOnly(deferred: Set<string>): AgentMiddleware {
  return createMiddleware({
    name: "deferred_tools",
    wrapModelCall: (request, next) => {
      const loaded = loadedIn(request.messages);
      const tools = request.tools.filter(({ name }) => !deferred.has(String(name)) || loaded.has(String(name)));
      return next({ ...request, tools });
    },
  });
}

function loadedIn(messages: BaseMessage[]): Set<string> {
  const results = messages.filter((message) => ToolMessage.isInstance(message) && message.name === "tool_search");
  return new Set(
    results.flatMap((message) => artifact.safeParse((message as ToolMessage).artifact).data?.loaded ?? []),
  );
}
