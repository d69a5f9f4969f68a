/** The assembled agent with all its parts, against a model server that follows a script. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import { MemorySaver } from "@langchain/langgraph";
import { config as configSchema } from "../../config/schema.ts";
import { createAgentRuntime } from "../../src/agent/agent.ts";
import { type AllParts, createParts, type PartsDeps } from "../../src/agent/parts-all.ts";
import type { Agent } from "../../src/types.ts";
import { quietLog, ROOT } from "./agent-run.ts";

export interface Turn {
  /** All system messages. */
  system: string;
  /** The newest message of a person. */
  user: string;
  /** Results since then, oldest first. */
  results: string[];
  tools: string[];
  request: ChatCompletionRequest;
}

export interface Reply {
  text?: string;
  calls?: [name: string, args: object][];
}

export type Script = (turn: Turn) => Reply | string | Promise<Reply | string>;

export interface World {
  dir: string;
  agent: Agent;
  parts: AllParts;
  log: string[];
  /** Everything the model was asked, in order. */
  turns: Turn[];
  close(): Promise<void>;
}

export interface WorldOptions {
  script: Script;
  config?: Record<string, unknown>;
  /** Added to the model's entry. */
  model?: Record<string, unknown>;
  deps?: Partial<PartsDeps>;
  checkpointer?: MemorySaver;
}

export async function openWorld({
  script,
  config = {},
  model = {},
  deps = {},
  checkpointer,
}: WorldOptions): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), "parts-"));
  const turns: Turn[] = [];
  const server = new LLMock({ port: 0, host: "127.0.0.1" });
  server.on({ predicate: () => true }, async (request) => {
    const turn = turnOf(request);
    turns.push(turn);
    return toResponse(await script(turn));
  });
  const base = await server.start();
  const checked = configSchema.parse({
    models: [{ name: "m", provider: "openai", model: "gpt-4o", base_url: `${base}/v1`, max_retries: 0, ...model }],
    workspace: { dir: join(dir, "workspaces"), terminal_reads_cwd: false },
    agents: { dir: join(dir, "agents"), data_dir: join(dir, "data-agents") },
    skills: { dirs: [join(dir, "public"), join(dir, "custom")] },
    ...config,
  });
  const log: string[] = [];
  const parts = createParts(checked, { root: ROOT, log: quietLog(log), now: Date.now, ...deps });
  const agent = createAgentRuntime({
    config: checked,
    root: ROOT,
    checkpointer: checkpointer ?? new MemorySaver(),
    log: quietLog(log),
    parts,
    now: Date.now,
    retryDelayMs: 1,
  });
  const close = async (): Promise<void> => {
    await agent.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  return { dir, agent, parts, log, turns, close };
}

function turnOf(request: ChatCompletionRequest): Turn {
  const texts = request.messages.map((message) => ({ role: message.role, text: textOf(message.content) }));
  const last = texts.findLastIndex(({ role }) => role === "user");
  return {
    system: texts.flatMap(({ role, text }) => (role === "system" ? [text] : [])).join("\n"),
    user: texts[last]?.text ?? "",
    results: texts.slice(last + 1).flatMap(({ role, text }) => (role === "tool" ? [text] : [])),
    tools: (request.tools ?? []).map((tool) => tool.function.name).sort(),
    request,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}

let calls = 0;

function toResponse(reply: Reply | string) {
  if (typeof reply === "string") return { content: reply };
  const toolCalls = (reply.calls ?? []).map(([name, args]) => {
    calls += 1;
    return { name, arguments: JSON.stringify(args), id: `call_${calls}` };
  });
  return toolCalls.length === 0 ? { content: reply.text ?? "" } : { content: reply.text ?? "", toolCalls };
}
