/** Tools of MCP servers. Each server stands alone: one that fails is a warning, and is tried again later. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { MultiServerMCPClient } from "@langchain/mcp-adapters";
import type { McpServerConfig } from "../../config/schema.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { capped } from "./tools/text.ts";

export interface McpTools {
  tools: StructuredToolInterface[];
  /** Names of those that are looked up before use. */
  deferred: Set<string>;
}

export interface Mcp {
  /** Connects on first use. */
  load(): Promise<McpTools>;
  close(): Promise<void>;
}

export interface McpOptions {
  servers: Record<string, McpServerConfig>;
  /** Where stdio servers start. */
  root: string;
  log: Log;
  now(): number;
  connectMs?: number;
}

const RETRY_MS = 60_000;
const CONNECT_MS = 15_000;
const CALL_MS = 120_000;
/** What providers accept as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function createMcp(options: McpOptions): Mcp {
  const servers = Object.entries(options.servers).map(([name, config]) => openServer(name, config, options));
  return {
    async load() {
      const loaded = await Promise.all(servers.map((server) => server.tools()));
      const deferred = servers.flatMap((server, at) => (server.deferred ? (loaded[at] ?? []) : []));
      return { tools: loaded.flat(), deferred: new Set(deferred.map((tool) => tool.name)) };
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function openServer(name: string, config: McpServerConfig, options: McpOptions) {
  const { log, now } = options;
  let client: MultiServerMCPClient | undefined;
  let loading: Promise<StructuredToolInterface[]> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  async function connect(): Promise<StructuredToolInterface[]> {
    client = await newClient(name, config, options.root);
    try {
      const found = await within(client.getTools(), options.connectMs ?? CONNECT_MS);
      return found.filter((tool) => isUsable(tool, name, log));
    } catch (error) {
      failedAt = now();
      loading = undefined;
      log.warn({ server: name, error: messageOf(error) }, "MCP server cannot be used; it is tried again later");
      await close();
      return [];
    }
  }

  async function close(): Promise<void> {
    const old = client;
    client = undefined;
    await old?.close().catch((error: unknown) => {
      log.debug({ server: name, error: messageOf(error) }, "MCP server did not close cleanly");
    });
  }

  return {
    deferred: config.deferred,
    tools(): Promise<StructuredToolInterface[]> {
      if (!loading && now() - failedAt < RETRY_MS) return Promise.resolve([]);
      loading ??= connect();
      return loading;
    },
    close,
  };
}

async function newClient(name: string, config: McpServerConfig, root: string): Promise<MultiServerMCPClient> {
  // Half a second of loading that a bridge without MCP servers should not pay at each start.
  const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
  const connection =
    "command" in config
      ? {
          transport: "stdio" as const,
          command: config.command,
          args: config.args,
          // A server gets its own settings and a plain environment, never our tokens.
          env: config.env,
          cwd: root,
          stderr: "ignore" as const,
          restart: { enabled: true, maxAttempts: 3, delayMs: 1000 },
        }
      : {
          transport: "http" as const,
          url: config.url,
          headers: config.headers,
          reconnect: { enabled: true, maxAttempts: 3, delayMs: 1000 },
        };
  return new MultiServerMCPClient({
    mcpServers: { [name]: connection },
    prefixToolNameWithServerName: true,
    defaultToolTimeout: CALL_MS,
    // One odd tool must not cost the others.
    throwOnLoadError: false,
    afterToolCall: ({ result }) => (Array.isArray(result) ? { result: [textOnly(result[0]), []] } : undefined),
  });
}

/** Servers return text, images and files in any size; the model gets text of a bearable length. */
function textOnly(content: unknown): string {
  if (typeof content === "string") return capped(content);
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return capped(blocks.map(blockText).join("\n"));
}

function blockText(block: unknown): string {
  if (typeof block !== "object" || block === null) return String(block);
  if ("text" in block && typeof block.text === "string") return block.text;
  return "type" in block ? `[${String(block.type)}: not shown]` : "";
}

function isUsable(tool: StructuredToolInterface, server: string, log: Log): boolean {
  if (TOOL_NAME.test(tool.name)) return true;
  log.warn({ server, tool: tool.name }, "MCP tool left out: no model accepts its name");
  return false;
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${Math.round(ms / 1000)} s`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
