/** A small real MCP server: over stdio when run as a program, over HTTP when asked to. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

export function mcpServer(): McpServer {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  const words = { text: z.string() };
  const say = (text: string) => ({ content: [{ type: "text" as const, text }] });
  server.registerTool("shout", { description: "Says a text loudly", inputSchema: words }, ({ text }) =>
    say(text.toUpperCase()),
  );
  server.registerTool("flood", { description: "Returns very much", inputSchema: {} }, () => say("x".repeat(100_000)));
  server.registerTool("fail", { description: "Always fails", inputSchema: {} }, () => {
    throw new Error("no luck");
  });
  server.registerTool("picture", { description: "Returns an image", inputSchema: {} }, () => ({
    content: [
      { type: "text", text: "a dot" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
  }));
  server.registerTool("environment", { description: "Names of variables", inputSchema: {} }, () =>
    say(Object.keys(process.env).sort().join(",")),
  );
  return server;
}

export async function serveMcp(
  seen: (headers: Record<string, unknown>) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    seen(request.headers);
    // Stateless: a server and a transport per request.
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcpServer().connect(transport as Parameters<McpServer["connect"]>[0]);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

if (process.argv[1] === import.meta.filename) await mcpServer().connect(new StdioServerTransport());
