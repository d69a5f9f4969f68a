import { MemorySaver } from "@langchain/langgraph";
import { tool } from "langchain";
import { z } from "zod";
import type { RunLimits } from "../../src/types.ts";
import {
  type AgentSetup,
  createTestAgent,
  eventsOf,
  fixedParts,
  lastOf,
  ofType,
  quietLog,
} from "../support/agent-run.ts";
import {
  anthropicModel,
  type ModelServer,
  openaiModel,
  type Reply,
  startModelServer,
  told,
} from "../support/model-server.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.stop());

const spin = tool(({ n }) => `spun ${n}`, { name: "spin", description: "Spins", schema: z.object({ n: z.number() }) });
const boom = tool(
  () => {
    throw new Error("the disk is full");
  },
  { name: "boom", description: "Breaks", schema: z.object({}) },
);

const call = (n: number): Reply => ({ calls: [{ name: "spin", args: { n } }] });

function agentWith(models: unknown[], more: Record<string, unknown> = {}, deps: Partial<AgentSetup> = {}) {
  return createTestAgent({ config: { models, ...more }, parts: fixedParts({ tools: [spin, boom] }), ...deps });
}

describe.each([openaiModel, anthropicModel])("a model that fails (%#)", (model) => {
  const run = async (replies: Reply[], options: Record<string, unknown> = { max_retries: 1 }) => {
    server.script(replies);
    return eventsOf(agentWith([model(server, options)]), { text: "hi" });
  };

  it("is asked again after it was overloaded or broken", async () => {
    for (const status of [529, 500, 503]) {
      expect(lastOf(await run([{ status }, { text: "ok" }]), "done").text).toBe("ok");
    }
  });

  it("ends the run with one clear sentence when it stays overloaded", async () => {
    const { failure, text } = lastOf(await run([{ status: 429 }, { status: 429 }]), "failed");
    expect(failure.code).toBe("model_overloaded");
    expect(text).toMatch(/^The model is overloaded/);
    expect(server.requests()).toHaveLength(2);
  });

  it("is not asked again before the time it names", async () => {
    const began = Date.now();
    expect(lastOf(await run([{ status: 429 }, { text: "ok" }]), "done").text).toBe("ok");
    // The scripted provider says "Retry-After: 1".
    expect(Date.now() - began).toBeGreaterThanOrEqual(950);
  });

  it("is not asked again when it refuses the key, and the key is not told", async () => {
    const events = await run([{ status: 401, message: "bad key sk-secret" }], { max_retries: 3, api_key: "sk-secret" });
    const last = lastOf(events, "failed");
    expect(last.failure.code).toBe("model_auth");
    expect(JSON.stringify(last)).not.toContain("sk-secret");
    expect(server.requests()).toHaveLength(1);
  });

  it("is told to be unknown when the provider has no such model", async () => {
    expect(lastOf(await run([{ status: 404 }]), "failed").failure.code).toBe("model_unknown");
  });

  it("refuses a request once", async () => {
    expect(lastOf(await run([{ status: 400, message: "policy" }]), "failed").failure.code).toBe("model_refused");
    expect(server.requests()).toHaveLength(1);
  });

  it("cannot be reached", async () => {
    const nowhere = { base_url: "http://127.0.0.1:9/v1", max_retries: 0 };
    const events = await eventsOf(agentWith([model(server, nowhere)]), { text: "hi" });
    expect(lastOf(events, "failed").failure.code).toBe("model_unreachable");
  });

  it("leaves a thread that answers the next message", async () => {
    const agent = agentWith([model(server, { max_retries: 0 })]);
    server.script([{ status: 500 }]);
    await eventsOf(agent, { text: "one", id: "m1" });
    server.script([{ text: "two" }]);
    expect(lastOf(await eventsOf(agent, { text: "again", id: "m2" }), "done").text).toBe("two");
    expect(server.requests()[0]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });
});

describe("a model that fails", () => {
  it("is replaced by the next of the fallback list", async () => {
    const models = [openaiModel(server, { max_retries: 0 }), anthropicModel(server, { name: "second" })];
    server.script([{ status: 401 }, { text: "from the second" }]);
    const events = await eventsOf(agentWith(models, { model_fallback: ["main", "second"] }), { text: "hi" });
    expect(lastOf(events, "done").text).toBe("from the second");
  });

  it("gets a shorter history once when it says the history is too long", async () => {
    const agent = agentWith([openaiModel(server)]);
    for (const text of ["one", "two", "three", "four"]) {
      server.script([{ text: `answer ${text}` }]);
      await eventsOf(agent, { text });
    }
    const overflow: Reply = { status: 400, message: "This model's maximum context length is 10 tokens." };
    server.script([overflow, { text: "short notes" }, { text: "five" }]);
    const events = await eventsOf(agent, { text: "the fifth" });
    expect(lastOf(events, "done").text).toBe("five");
    const users = told(server.requests()[2], "user");
    expect(users[0]).toContain("short notes");
    expect(users.at(-1)).toBe("the fifth");
    server.script([{ text: "six" }]);
    await eventsOf(agent, { text: "the sixth" });
    expect(told(server.requests()[0], "user")[0]).toContain("short notes");
  });

  it("ends the run when even the shorter history is too long", async () => {
    const agent = agentWith([openaiModel(server)]);
    server.script([{ text: "1" }]);
    await eventsOf(agent, { text: "one" });
    server.script([{ text: "2" }]);
    await eventsOf(agent, { text: "two" });
    server.script([{ text: "3" }]);
    await eventsOf(agent, { text: "three" });
    const overflow: Reply = { status: 400, message: "This model's maximum context length is 10 tokens." };
    server.script([overflow, { text: "short notes" }, overflow]);
    const { failure, text } = lastOf(await eventsOf(agent, { text: "four" }), "failed");
    expect(failure.code).toBe("context_overflow");
    expect(text).toContain("/new");
  });

  it("falls back to the first model with a warning when the one asked for is not configured", async () => {
    const log: string[] = [];
    server.script([{ text: "ok" }]);
    const agent = agentWith([openaiModel(server)], {}, { log: quietLog(log) });
    const events = await eventsOf(agent, { text: "hi", context: { model_name: "gone" } });
    expect(lastOf(events, "done").text).toBe("ok");
    expect(ofType(events, "tool")[0]?.line).toBe("The model gone is not configured; main answers instead.");
    expect(log.join()).toContain("gone is not configured");
  });
});

describe("a run that does not end", () => {
  it("is warned at the third same call and stopped at the fifth", async () => {
    server.script([call(1)], { repeat: true });
    const events = await eventsOf(agentWith([openaiModel(server)]), { text: "spin" });
    expect(server.requests()).toHaveLength(5);
    expect(ofType(events, "tool").filter(({ status }) => status === "done")).toHaveLength(4);
    expect(told(server.requests()[3], "user").at(-1)).toContain("same tool call several times");
    expect(told(server.requests()[2], "user")).toEqual(["spin"]);
    expect(lastOf(events, "done").text).toContain("kept repeating");
  });

  it("ends at the step limit of people's counting: model and tool steps", async () => {
    server.script(Array.from({ length: 30 }, (_, n) => call(n)));
    const request = { limits: { recursionLimit: 10 } };
    const events = await eventsOf(agentWith([openaiModel(server)]), { text: "spin", request });
    expect(lastOf(events, "failed").failure.code).toBe("step_limit");
    expect(server.requests()).toHaveLength(5);
  });

  it.each<[string, RunLimits]>([
    ["model calls", { runModelCalls: 3 }],
    ["tokens of a run", { runTokens: 45 }],
    ["tokens of the chat's day", { chatTokensLeft: 40 }],
  ])("ends when the budget is used up: %s", async (_, limits) => {
    server.script(Array.from({ length: 9 }, (_, n) => call(n)));
    const events = await eventsOf(agentWith([openaiModel(server)]), { text: "spin", request: { limits } });
    const { failure, text } = lastOf(events, "failed");
    expect(failure.code).toBe("budget");
    expect(text).toMatch(/^I stopped here: .*used up\.$/);
    expect(server.requests()).toHaveLength(3);
  });

  it("does not get a new budget by being resumed", async () => {
    const checkpointer = new MemorySaver();
    const agent = () => agentWith([openaiModel(server, { max_retries: 0 })], {}, { checkpointer });
    server.script([call(1), call(2), { status: 500 }]);
    const ask = { text: "spin", id: "m1", request: { limits: { runModelCalls: 3 } } };
    await eventsOf(agent(), ask);
    server.script([call(3), call(4)]);
    expect(lastOf(await eventsOf(agent(), ask), "failed").failure.code).toBe("budget");
    expect(server.requests()).toHaveLength(1);
  });
});

describe("a tool that throws", () => {
  it("tells the model, and the run goes on", async () => {
    server.script([{ calls: [{ name: "boom", args: {} }] }, { text: "The disk is full." }]);
    const events = await eventsOf(agentWith([openaiModel(server)]), { text: "go" });
    expect(lastOf(events, "done").text).toBe("The disk is full.");
    expect(ofType(events, "tool").map(({ status }) => status)).toEqual(["running", "failed"]);
    expect(told(server.requests()[1], "tool")).toEqual(["Error: the disk is full"]);
  });
});

describe("a stop", () => {
  it("ends a slow stream at once", async () => {
    const slow = await startModelServer({ slowMs: 400 });
    try {
      const control = new AbortController();
      slow.script([{ text: "much too late", onRequest: () => setImmediate(() => control.abort(new Error("stop"))) }]);
      const agent = agentWith([openaiModel(slow)]);
      const began = Date.now();
      const events = await eventsOf(agent, { text: "hi", request: { signal: control.signal } });
      expect(events.at(-1)).toEqual({ type: "stopped" });
      expect(Date.now() - began).toBeLessThan(3_000);
    } finally {
      await slow.stop();
    }
  });
});
