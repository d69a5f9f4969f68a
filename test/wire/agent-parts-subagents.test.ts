/** Subagents in the assembled agent: isolation, limits, failure, approval, stop. */
import { MemorySaver } from "@langchain/langgraph";
import type { AgentEvent, AgentRequest } from "../../src/types.ts";
import { eventsOf, lastOf, ofType } from "../support/agent-run.ts";
import { openWorld, type Script, type Turn, type World } from "../support/parts-run.ts";

let world: World;
afterEach(() => world.close());

async function open(script: Script, config: Record<string, unknown> = {}): Promise<void> {
  world = await openWorld({ script, config });
}

const on = { subagent_enabled: true };
const isChild = ({ system }: Turn): boolean => system.includes("You do one task for another agent");
const done = (events: AgentEvent[]): string => lastOf(events, "done").text;
const ann = { id: "U1", name: "Ann" };
const tasks = (...names: string[]): [string, object][] => names.map((name) => ["task", { description: name }]);

describe("subagents", () => {
  it("exist only where they are enabled", async () => {
    await open(() => "ok");
    await eventsOf(world.agent, { text: "hi" });
    expect(world.turns[0]?.tools).not.toContain("task");
    expect(world.turns[0]?.system).not.toContain("subagent_system");
    await eventsOf(world.agent, { text: "hi", thread: "t2", context: { ...on, max_concurrent_subagents: 2 } });
    expect(world.turns[1]?.tools).toEqual(expect.arrayContaining(["task", "delegate"]));
    expect(world.turns[1]?.system).toContain("At most 2 may run at once");
  });

  it("see nothing but their task, and return nothing but their last text", async () => {
    await open((turn) => {
      if (isChild(turn))
        return turn.results.length === 0 ? { text: "secret draft", calls: [["ls", {}]] } : "result \n\n";
      return turn.results.length === 0 ? { calls: tasks("measure the folder") } : `got [${turn.results.join()}]`;
    });
    const events = await eventsOf(world.agent, { text: "private words of Ann", context: on });
    expect(done(events)).toBe("got [result]");
    const child = world.turns.filter(isChild);
    expect(child[0]?.user).toBe("measure the folder");
    expect(JSON.stringify(child[0]?.request.messages)).not.toContain("private words");
    expect(child[0]?.tools).not.toContain("task");
    expect(child[0]?.tools).not.toContain("present_files");
    const parentAfter = JSON.stringify(world.turns.at(-1)?.request.messages);
    expect(parentAfter).not.toContain("secret draft");
    expect(
      ofType(events, "text")
        .map(({ text }) => text)
        .join(),
    ).not.toContain("secret draft");
  });

  it("are shown while they work, with what they do, and counted", async () => {
    await open((turn) => {
      if (isChild(turn)) return turn.results.length === 0 ? { calls: [["glob", { pattern: "*.md" }]] } : "found none";
      return turn.results.length === 0 ? { calls: tasks("look for notes\nin detail") } : "ok";
    });
    const events = await eventsOf(world.agent, { text: "go", context: on });
    const shown = ofType(events, "subagent").map(({ subagent }) => subagent);
    expect(new Set(shown.map(({ id, title }) => `${id} ${title}`)).size).toBe(1);
    expect(shown[0]).toMatchObject({ title: "look for notes", status: "running" });
    expect(shown.map(({ detail }) => detail)).toContain("Looking for files *.md");
    expect(shown.at(-1)?.status).toBe("done");
    expect(ofType(events, "tool").map(({ name }) => name)).not.toContain("task");
    expect(ofType(events, "usage").at(-1)?.usage.modelCalls).toBe(4);
  });

  it("run at the same time, up to the limit; calls over it are answered, not run", async () => {
    const running = { now: 0, most: 0 };
    let open3 = Promise.withResolvers<void>();
    await open(async (turn) => {
      if (!isChild(turn))
        return turn.results.length === 0 ? { calls: tasks("a", "b", "c", "d", "e") } : turn.results.join("|");
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      if (running.now === 3) open3.resolve();
      await open3.promise;
      running.now -= 1;
      return `done ${turn.user}`;
    });
    const text = done(await eventsOf(world.agent, { text: "go", context: on }));
    expect(running.most).toBe(3);
    const results = text.split("|").sort();
    expect(results.filter((result) => result.startsWith("done"))).toEqual(["done a", "done b", "done c"]);
    expect(results.filter((result) => result.startsWith("Not started: at most 3"))).toHaveLength(2);
    expect(world.log.join()).toContain("subagents over the limit");
    open3 = Promise.withResolvers();
  });

  it("of an unknown kind are refused with the list of known ones", async () => {
    const config = { subagents: [{ name: "critic", description: "Finds faults.", system_prompt: "You criticise." }] };
    await open(
      ({ results }) =>
        results.length === 0 ? { calls: [["task", { description: "x", subagent_type: "oracle" }]] } : results.join(),
      config,
    );
    const events = await eventsOf(world.agent, { text: "go", context: on });
    expect(done(events)).toBe("There is no subagent oracle. Allowed: general-purpose, critic.");
    expect(world.turns[0]?.system).toContain("- critic: Finds faults.");
  });

  it("of a configured kind get its prompt and only its tools", async () => {
    const config = {
      subagents: [{ name: "reader", description: "Reads.", system_prompt: "You read.", tools: ["read_*", "ls"] }],
    };
    await open((turn) => {
      if (turn.system.startsWith("You read.")) return "read";
      return turn.results.length === 0 ? { calls: [["task", { description: "x", subagent_type: "reader" }]] } : "ok";
    }, config);
    await eventsOf(world.agent, { text: "go", context: on });
    const child = world.turns.find(({ system }) => system.startsWith("You read."));
    expect(child?.tools).toEqual(["ls", "read_file"]);
  });

  it("can be made up on the spot, with tools by name; unknown tools are refused", async () => {
    await open((turn) => {
      if (turn.system.startsWith("You count.")) return "42";
      const call = (tools: string[]): [string, object] => [
        "delegate",
        { task: "count", system_prompt: "You count.", tools },
      ];
      if (turn.results.length === 0) return { calls: [call(["grep", "rocket"])] };
      return turn.results.length === 1 ? { calls: [call(["grep"])] } : turn.results.join("|");
    });
    const text = done(await eventsOf(world.agent, { text: "go", context: on }));
    expect(text).toMatch(/^Unknown tools: rocket\. Available: .*grep.*\|42$/);
    expect(world.turns.find(({ system }) => system.startsWith("You count."))?.tools).toEqual(["grep"]);
  });

  it("that never finish are ended after their turns, with what they said so far", async () => {
    const config = {
      subagents: [{ name: "busy", description: "-", system_prompt: "You are busy.", max_turns: 3 }],
    };
    await open((turn) => {
      if (turn.system.startsWith("You are busy.")) return { text: `step ${turn.results.length}`, calls: [["ls", {}]] };
      return turn.results.length === 0
        ? { calls: [["task", { description: "x", subagent_type: "busy" }]] }
        : turn.results.join();
    }, config);
    const events = await eventsOf(world.agent, { text: "go", context: on });
    expect(done(events)).toBe("The subagent did not finish: it was ended after 3 turns. Its last words: step 2");
    expect(ofType(events, "subagent").at(-1)?.subagent.status).toBe("failed");
  });

  it("that take too long are ended; the run goes on", async () => {
    const config = {
      subagents: [{ name: "slow", description: "-", system_prompt: "You are slow.", timeout_seconds: 1 }],
    };
    const never = Promise.withResolvers<string>();
    await open((turn) => {
      if (turn.system.startsWith("You are slow.")) return never.promise;
      return turn.results.length === 0
        ? { calls: [["task", { description: "x", subagent_type: "slow" }]] }
        : turn.results.join();
    }, config);
    const text = done(await eventsOf(world.agent, { text: "go", context: on }));
    expect(text).toContain("did not finish: it took longer than 1 s");
    never.resolve("late");
  });

  it("wait for a person where a tool needs approval, and go on where they were", async () => {
    await open(
      (turn) => {
        if (!isChild(turn))
          return turn.results.length === 0 ? { calls: tasks("run it") } : `got ${turn.results.join()}`;
        if (turn.results.length === 0) return { calls: [["ls", {}]] };
        return turn.results.length === 1 ? { calls: [["shell", { command: "echo ran" }]] } : turn.results.join("; ");
      },
      { tools: { shell: { enabled: true } } },
    );
    const { question } = lastOf(await eventsOf(world.agent, { text: "go", id: "m", context: on }), "approve");
    expect(question.text).toContain("echo ran");
    expect(world.turns).toHaveLength(3);
    const answer = { questionId: question.id, by: ann, decision: "approve" as const };
    const events = await eventsOf(world.agent, { text: "go", id: "m", context: on, request: { answer } });
    expect(done(events)).toBe("got /workspace is empty.; ran\n[exit code 0]");
    // The first step of the child was not done again.
    expect(world.turns.filter(isChild)).toHaveLength(3);
  });

  it("that wait side by side are answered one by one, each by its own decision", async () => {
    await open(
      (turn) => {
        if (!isChild(turn)) return turn.results.length === 0 ? { calls: tasks("one", "two") } : turn.results.join("|");
        return turn.results.length === 0
          ? { calls: [["shell", { command: `echo ${turn.user}` }]] }
          : turn.results.join();
      },
      { tools: { shell: { enabled: true } } },
    );
    const ask = (answer?: AgentRequest["answer"]) =>
      eventsOf(world.agent, { text: "go", id: "m", context: on, request: answer ? { answer } : {} });
    const first = lastOf(await ask(), "approve").question;
    const again = await ask({ questionId: first.id, by: ann, decision: "approve" });
    const second = lastOf(again, "approve").question;
    expect(second.id).not.toBe(first.id);
    const text = done(await ask({ questionId: second.id, by: ann, decision: "reject" }));
    expect(text.match(/exit code 0/g)).toHaveLength(1);
    expect(text.match(/did not allow/g)).toHaveLength(1);
    expect(world.turns.filter(isChild)).toHaveLength(4);
  });

  it("end when the run is stopped", async () => {
    const begun = Promise.withResolvers<void>();
    const never = Promise.withResolvers<string>();
    await open((turn) => {
      if (!isChild(turn)) return { calls: tasks("x") };
      begun.resolve();
      return never.promise;
    });
    const stop = new AbortController();
    const events = eventsOf(world.agent, { text: "go", context: on, request: { signal: stop.signal } });
    await begun.promise;
    stop.abort();
    expect((await events).at(-1)).toEqual({ type: "stopped" });
    never.resolve("late");
  });

  it("leave a thread whose next message is answered", async () => {
    const checkpointer = new MemorySaver();
    world = await openWorld({
      checkpointer,
      script: (turn) => {
        if (isChild(turn)) return "r";
        if (turn.user.includes("again")) return "fine";
        return turn.results.length === 0 ? { calls: tasks("a", "b") } : "ok";
      },
    });
    await eventsOf(world.agent, { text: "go", context: on });
    expect(done(await eventsOf(world.agent, { text: "again", context: on }))).toBe("fine");
  });
});
