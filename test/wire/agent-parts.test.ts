/** The whole agent with its parts over a real model client: what tools, skills, souls and memory do to a run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyValue } from "../../src/agent/memory.ts";
import type { AgentEvent } from "../../src/types.ts";
import { workspaceDir } from "../../src/workspace.ts";
import { eventsOf, lastOf, ofType, ROOT } from "../support/agent-run.ts";
import { openWorld, type Script, type World, type WorldOptions } from "../support/parts-run.ts";

let world: World;
afterEach(() => world.close());

async function open(script: Script, options: Omit<WorldOptions, "script"> = {}): Promise<void> {
  world = await openWorld({ script, ...options });
}

function put(path: string, text: string): void {
  mkdirSync(join(world.dir, path, ".."), { recursive: true });
  writeFileSync(join(world.dir, path), text);
}

const skill = (name: string, body: string): void =>
  put(`public/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`);

const done = (events: AgentEvent[]): string => lastOf(events, "done").text;

function mapStore(): KeyValue {
  const values = new Map<string, unknown>();
  return {
    get: async (key) => values.get(key),
    put: async (key, value) => void values.set(key, value),
    remove: async (key) => void values.delete(key),
    count: async (key, by) => {
      const total = Number(values.get(key) ?? 0) + by;
      values.set(key, total);
      return total;
    },
  };
}

describe("files in a run", () => {
  it("writes a file, hands it over and answers", async () => {
    await open(({ results }) => {
      if (results.length === 0) return { calls: [["write_file", { path: "/outputs/a.md", content: "# A" }]] };
      if (results.length === 1) return { calls: [["present_files", { paths: ["/outputs/a.md"] }]] };
      return "Here it is.";
    });
    const events = await eventsOf(world.agent, { text: "write a", thread: "th/1" });
    expect(done(events)).toBe("Here it is.");
    const path = join(workspaceDir(ROOT, join(world.dir, "workspaces"), "th/1"), "outputs/a.md");
    expect(ofType(events, "file")).toEqual([{ type: "file", path, name: "a.md", mime: "text/markdown" }]);
    expect(ofType(events, "tool").map(({ line, status }) => `${line} ${status}`)).toEqual([
      "Writing /outputs/a.md running",
      "Writing /outputs/a.md done",
    ]);
    expect(readFileSync(path, "utf8")).toBe("# A");
  });

  it("tells the model about a refused path and goes on", async () => {
    await open(({ results }) =>
      results.length === 0 ? { calls: [["read_file", { path: "../../etc/passwd" }]] } : `I saw: ${results[0]}`,
    );
    expect(done(await eventsOf(world.agent, { text: "read it" }))).toContain('".." is not allowed');
  });

  it("shows one session nothing of another", async () => {
    await open(({ user, results }) => {
      if (results.length > 0) return results.join();
      return user.includes("write")
        ? { calls: [["write_file", { path: "s.txt", content: "x" }]] }
        : { calls: [["ls", {}]] };
    });
    await eventsOf(world.agent, { text: "write", thread: "one" });
    expect(done(await eventsOf(world.agent, { text: "list", thread: "two" }))).toBe("/workspace is empty.");
  });

  it("asks a person before a tool that needs approval, and runs it only then", async () => {
    await open(
      ({ results }) => (results.length === 0 ? { calls: [["shell", { command: "echo hi > f" }]] } : results.join()),
      {
        config: { tools: { shell: { enabled: true } } },
      },
    );
    const { question } = lastOf(await eventsOf(world.agent, { text: "go", id: "m1" }), "approve");
    expect(question.text).toContain("echo hi > f");
    const file = join(workspaceDir(ROOT, join(world.dir, "workspaces"), "t1"), "f");
    expect(existsSync(file)).toBe(false);
    const answer = { questionId: question.id, by: { id: "U1", name: "Ann" }, decision: "approve" as const };
    expect(done(await eventsOf(world.agent, { text: "go", id: "m1", request: { answer } }))).toBe("[exit code 0]");
    expect(existsSync(file)).toBe(true);
  });
});

describe("images", () => {
  const dot = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );

  const upload = (name: string, bytes: Buffer): void => {
    const folder = join(workspaceDir(ROOT, join(world.dir, "workspaces"), "t1"), "uploads");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), bytes);
  };

  it("are shown to a model that can see, in the turn that looks at them, and never stored", async () => {
    const looking: Script = ({ user }) =>
      user.startsWith("look") ? { calls: [["view_image", { path: "/uploads/a.png" }]] } : "a dot";
    await open(looking, { model: { vision: true } });
    upload("a.png", dot);
    expect(done(await eventsOf(world.agent, { text: "look" }))).toBe("a dot");
    expect(JSON.stringify(world.turns[1]?.request.messages.at(-1))).toContain(
      `data:image/png;base64,${dot.toString("base64")}`,
    );
    await eventsOf(world.agent, { text: "and now?" });
    expect(JSON.stringify(world.turns[2]?.request.messages)).not.toContain("base64");
  });

  it("are checked by content, and the tool is absent for a model that cannot see", async () => {
    const looking: Script = ({ results }) =>
      results.length === 0 ? { calls: [["view_image", { path: "/uploads/a.png" }]] } : results.join();
    await open(looking, { model: { vision: true } });
    upload("a.png", Buffer.from("<svg onload=x>"));
    expect(done(await eventsOf(world.agent, { text: "look" }))).toContain("is not a PNG");
    await world.close();
    await open(() => "ok");
    await eventsOf(world.agent, { text: "hi" });
    expect(world.turns[0]?.tools).not.toContain("view_image");
  });
});

describe("rules for tools", () => {
  it("withholds what a chat's rules deny, and the prompt's words about it", async () => {
    await open(() => "ok");
    await eventsOf(world.agent, {
      text: "hi",
      request: { limits: { tools: { deny: ["web_*", "*_file", "remember"] } } },
    });
    const { tools, system } = world.turns[0] ?? { tools: [], system: "" };
    expect(tools).toEqual(["ask_clarification", "disk_usage", "glob", "grep", "ls", "present_files"]);
    expect(system).not.toContain("<skill_system>");
    expect(system).toContain("<working_directory>");
  });

  it("leaves only what is allowed", async () => {
    await open(() => "ok");
    await eventsOf(world.agent, {
      text: "hi",
      request: { limits: { tools: { allow: ["read_*", "ls"], deny: ["ls"] } } },
    });
    expect(world.turns[0]?.tools).toEqual(["ask_clarification", "read_file"]);
  });
});

describe("approval by config", () => {
  it("holds for names and patterns", async () => {
    await open(
      ({ results }) => (results.length === 0 ? { calls: [["write_file", { path: "a", content: "x" }]] } : "ok"),
      {
        config: { tools: { approve: ["write_*"] } },
      },
    );
    const events = await eventsOf(world.agent, { text: "go" });
    expect(lastOf(events, "approve").question.text).toContain("write_file");
  });
});

describe("skills in a run", () => {
  it("lists names and descriptions, never bodies, and reads one when asked", async () => {
    await open(({ results }) =>
      results.length === 0 ? { calls: [["read_file", { path: "/skills/pdf/SKILL.md" }]] } : "read",
    );
    skill("pdf", "BODY-OF-PDF");
    put("public/pdf/forms.md", "FORMS");
    await eventsOf(world.agent, { text: "use it" });
    expect(world.turns[0]?.system).toContain("<name>pdf</name>");
    expect(world.turns[0]?.system).not.toContain("BODY-OF-PDF");
    expect(world.turns[1]?.results[0]).toContain("BODY-OF-PDF");
  });

  it("hands the text over when a skill is called by name", async () => {
    await open(() => "ok");
    skill("pdf", "Do </skill> <b>this</b>.");
    await eventsOf(world.agent, { text: "/pdf make one" });
    expect(world.turns[0]?.system).toContain("Do &lt;/skill&gt; &lt;b&gt;this&lt;/b&gt;.");
    await eventsOf(world.agent, { text: "/unknown make one" });
    expect(world.turns[1]?.system).not.toContain("by name");
  });

  it("does not let a skill be written to, or read past its folder", async () => {
    await open(({ results }) =>
      results.length === 0
        ? {
            calls: [
              ["write_file", { path: "/skills/pdf/SKILL.md", content: "x" }],
              ["read_file", { path: "/skills/pdf/../../agents/x" }],
              ["read_file", { path: "/skills/other/SKILL.md" }],
            ],
          }
        : results.join("\n"),
    );
    skill("pdf", "b");
    const text = done(await eventsOf(world.agent, { text: "go" }));
    expect(text).toContain("read-only");
    expect(text).toContain('".." is not allowed');
    expect(text).toContain("no such folder");
  });

  it("writes a new skill only when that is switched on and a person approves", async () => {
    const make: Script = ({ results }) =>
      results.length === 0
        ? { calls: [["create_skill", { name: "greet", description: "Say: hello", instructions: "Wave." }]] }
        : results.join();
    await open(make, {});
    expect(done(await eventsOf(world.agent, { text: "learn" }))).toContain("create_skill");
    expect(world.turns[0]?.tools).not.toContain("create_skill");
    await world.close();

    await open(make, {});
    const { dir } = world;
    await world.close();
    const skills = { dirs: [join(dir, "public"), join(dir, "custom")], self_evolution: true };
    await open(make, { config: { skills } });
    const { question } = lastOf(await eventsOf(world.agent, { text: "learn", id: "m1" }), "approve");
    const answer = { questionId: question.id, by: { id: "U1", name: "Ann" }, decision: "approve" as const };
    await eventsOf(world.agent, { text: "learn", id: "m1", request: { answer } });
    expect(await world.parts.knowledge.skills()).toEqual([{ name: "greet", description: "Say: hello" }]);
  });
});

describe("agents and souls in a run", () => {
  const agentYaml = (extra = "") => `description: Writes notes.\n${extra}`;

  it("puts the soul into the prompt, escaped, and keeps the agent to its skills and tools", async () => {
    await open(() => "ok");
    put("agents/notes/agent.yaml", agentYaml('skills: []\ntools: ["read_*"]\n'));
    put("agents/notes/SOUL.md", "You love </soul> brevity.");
    skill("pdf", "b");
    await eventsOf(world.agent, { text: "hi", context: { agent_name: "notes" } });
    expect(world.turns[0]?.system).toContain("<soul>\nYou love &lt;/soul&gt; brevity.\n</soul>");
    expect(world.turns[0]?.system).not.toContain("skill_system");
    expect(world.turns[0]?.tools).toEqual(["ask_clarification", "read_file"]);
  });

  it("lets a custom agent change itself for the person in a private chat, for nobody else", async () => {
    await open(({ user, results }) =>
      user.includes("change") && results.length === 0 ? { calls: [["update_agent", { soul: "NEW SOUL" }]] } : "ok",
    );
    await world.parts.agents.create("mine", { description: "Mine." }, "OLD SOUL");
    const as = (user_id: string, isPrivate = true) => ({ agent_name: "mine", user_id, private: isPrivate });
    await eventsOf(world.agent, { text: "change", thread: "a", context: as("slack:U1") });
    await eventsOf(world.agent, { text: "hi", thread: "b", context: as("slack:U1") });
    expect(world.turns.at(-1)?.system).toContain("NEW SOUL");
    await eventsOf(world.agent, { text: "hi", thread: "c", context: as("slack:U2") });
    expect(world.turns.at(-1)?.system).toContain("OLD SOUL");
    await eventsOf(world.agent, { text: "hi", thread: "d", context: as("slack:U1", false) });
    expect(world.turns.at(-1)?.system).toContain("OLD SOUL");
    expect(world.turns.at(-1)?.tools).not.toContain("update_agent");
    expect(world.turns.at(-1)?.system).not.toContain("self_update");
  });

  it("creates an agent by talking, with one tool and one skill", async () => {
    await open(
      ({ results }) =>
        results.length === 0
          ? { calls: [["setup_agent", { name: "release-notes", description: "Notes.", soul: "You write notes." }]] }
          : results.join(),
      { config: { skills: { dirs: [join(ROOT, "config/skills/public")] } } },
    );
    const events = await eventsOf(world.agent, { text: "I want a new agent", context: { is_bootstrap: true } });
    expect(done(events)).toContain("/agent release-notes");
    expect(world.turns[0]?.tools).toEqual(["ask_clarification", "setup_agent"]);
    expect(world.turns[0]?.system).toContain("Write its soul");
    expect(await world.parts.knowledge.agents()).toEqual([{ name: "release-notes", description: "Notes." }]);
    expect(await world.parts.agents.soul("release-notes")).toBe("You write notes.");
  });
});

describe("memory in a run", () => {
  const remember: Script = ({ user, results }) =>
    user.startsWith("remember") || user.includes("remember me")
      ? results.length === 0
        ? { calls: [["remember", { fact: `fact <${user.at(-1)}>` }]] }
        : "noted"
      : "ok";

  it("shows a person's facts in that person's private chats only", async () => {
    await open(remember, { deps: { memory: mapStore() } });
    const ann = { user_id: "slack:U1", chat_id: "slack/T/D1", private: true };
    await eventsOf(world.agent, { text: "remember me A", thread: "1", context: ann });
    await eventsOf(world.agent, { text: "hi", thread: "2", context: { ...ann, chat_id: "slack/T/D2" } });
    expect(world.turns.at(-1)?.system).toContain("fact &lt;A&gt;");
    const others = [
      { user_id: "slack:U2", chat_id: "slack/T/D1", private: true },
      { user_id: "slack:U1", chat_id: "slack/T/C9" },
      { user_id: "telegram:U1", chat_id: "telegram/1/1", private: true },
    ];
    for (const [at, context] of others.entries()) {
      await eventsOf(world.agent, { text: "hi", thread: `o${at}`, context });
      expect(world.turns.at(-1)?.system).not.toContain("fact &lt;A&gt;");
    }
    expect((await world.parts.knowledge.facts("user", "slack:U1")).map(({ text }) => text)).toEqual(["fact <A>"]);
  });

  it("keeps a chat's facts in that chat", async () => {
    await open(remember, { deps: { memory: mapStore() } });
    await eventsOf(world.agent, { text: "remember me B", thread: "1", context: { chat_id: "slack/T/C1" } });
    await eventsOf(world.agent, { text: "hi", thread: "2", context: { chat_id: "slack/T/C1", user_id: "slack:U7" } });
    expect(world.turns.at(-1)?.system).toContain("fact &lt;B&gt;");
    await eventsOf(world.agent, { text: "hi", thread: "3", context: { chat_id: "slack/T/C2" } });
    expect(world.turns.at(-1)?.system).not.toContain("fact &lt;B&gt;");
  });
});
