import { createMcp } from "../../../src/agent/mcp.ts";
import { quietLog, ROOT } from "../../support/agent-run.ts";

describe("an MCP server that never answers", () => {
  it("is given up after the time to connect", async () => {
    const log: string[] = [];
    const mute = {
      command: process.execPath,
      args: ["-e", "process.stdin.resume()"],
      env: {},
      deferred: false,
    };
    const mcp = createMcp({ servers: { mute }, root: ROOT, log: quietLog(log), now: Date.now, connectMs: 300 });
    expect(await mcp.load()).toEqual({ tools: [], deferred: new Set() });
    expect(log.join()).toContain("no answer within");
    await mcp.close();
  });
});
