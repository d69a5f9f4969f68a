/** MCP servers, real ones over stdio and HTTP, in the assembled agent. */
import type { Server } from "node:http";
import { join } from "node:path";
import type { AgentEvent } from "../../src/types.ts";
import { eventsOf, lastOf, ROOT } from "../support/agent-run.ts";
import { serveMcp } from "../support/mcp-server.ts";
import { openWorld, type Script, type World } from "../support/parts-run.ts";

let world: World;
let http: Server | undefined;
afterEach(async () => {
  await world.close();
  http?.closeAllConnections();
  http?.close();
  http = undefined;
});

const stdio = { command: process.execPath, args: [join(ROOT, "test/support/mcp-server.ts")], env: { OWN: "1" } };
const done = (events: AgentEvent[]): string => lastOf(events, "done").text;
const once =
  (...calls: [string, object][]): Script =>
  ({ results }) =>
    results.length === 0 ? { calls } : results.join("\n");

async function open(script: Script, mcp: Record<string, object>, deps = {}): Promise<void> {
  world = await openWorld({ script, config: { tools: { mcp } }, deps });
}

describe("MCP servers", () => {
  it("bring their tools over stdio, under their own name, with nothing of our environment", async () => {
    process.env.SLACK_BOT_TOKEN = "xoxb-1";
    await open(once(["a__shout", { text: "hi" }], ["a__environment", {}], ["a__picture", {}]), { a: stdio });
    const [loud, names, picture] = done(await eventsOf(world.agent, { text: "go" })).split(/\n(?!\[)/);
    delete process.env.SLACK_BOT_TOKEN;
    expect(loud).toBe("HI");
    expect(names?.split(",")).toContain("OWN");
    expect(names).not.toContain("SLACK_BOT_TOKEN");
    expect(picture).toBe("a dot\n[image_url: not shown]");
  });

  it("bring their tools over HTTP, with the configured headers", async () => {
    const seen: unknown[] = [];
    const served = await serveMcp((headers) => seen.push(headers.authorization));
    http = served.server;
    await open(once(["web__shout", { text: "hi" }]), {
      web: { url: served.url, headers: { authorization: "Bearer k" } },
    });
    expect(done(await eventsOf(world.agent, { text: "go" }))).toBe("HI");
    expect(seen[0]).toBe("Bearer k");
  });

  it("tell failures of a tool, and cap what they return", async () => {
    await open(once(["a__fail", {}], ["a__flood", {}]), { a: stdio });
    const text = done(await eventsOf(world.agent, { text: "go" }));
    expect(text).toContain("no luck");
    expect(text).toContain("[cut: 60000 more characters]");
  });

  it("that fail are a warning and tried again later; the others work", async () => {
    let now = 1_000_000;
    const bad = { command: join(ROOT, "no-such-program"), args: [] };
    await open(once(["good__shout", { text: "hi" }]), { good: stdio, bad }, { now: () => now });
    expect(done(await eventsOf(world.agent, { text: "go" }))).toBe("HI");
    expect(warnings()).toBe(1);
    await eventsOf(world.agent, { text: "go", thread: "2" });
    expect(warnings()).toBe(1);
    now += 61_000;
    await eventsOf(world.agent, { text: "go", thread: "3" });
    expect(warnings()).toBe(2);
  });

  const warnings = (): number => world.log.filter((line) => line.includes('"server":"bad"')).length;

  it("can be deferred: a tool is bound only after it was looked up, and stays so in the thread", async () => {
    await open(
      ({ results, user }) => {
        if (user.includes("more")) return "fine";
        if (results.length === 0) return { calls: [["tool_search", { query: "say something loudly" }]] };
        return results.length === 1 ? { calls: [["a__shout", { text: "hi" }]] } : results.join("\n");
      },
      { a: { ...stdio, deferred: true } },
    );
    expect(done(await eventsOf(world.agent, { text: "go" }))).toContain("\nHI");
    const bound = world.turns.map(({ tools }) => tools.filter((name) => name.startsWith("a__")));
    expect(bound).toEqual([[], ["a__shout"], ["a__shout"]]);
    expect(world.turns[0]?.system).toContain("- a__flood");
    await eventsOf(world.agent, { text: "more" });
    expect(world.turns.at(-1)?.tools).toContain("a__shout");
    await eventsOf(world.agent, { text: "more", thread: "other" });
    expect(world.turns.at(-1)?.tools).not.toContain("a__shout");
  });
});
