import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agents, createAgents } from "../../../src/agent/agents.ts";
import { quietLog, ROOT } from "../../support/agent-run.ts";

let root: string;
let log: string[];
let agents: Agents;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "agents-"));
  log = [];
  agents = createAgents({ dir: join(root, "config"), dataDir: join(root, "data"), log: quietLog(log) });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, ".."), { recursive: true });
  await writeFile(join(root, path), text);
}

describe("named agents", () => {
  it("are listed from both folders, with their description", async () => {
    await put("config/b/agent.yaml", "description: B.");
    await agents.create("a", { description: "A." }, "soul");
    expect(await agents.list()).toEqual([
      { name: "a", description: "A." },
      { name: "b", description: "B." },
    ]);
    expect((await agents.get("a"))?.custom).toBe(true);
    expect((await agents.get("b"))?.custom).toBe(false);
  });

  it("that cannot be used are left out with a warning that names them", async () => {
    await put("config/a/agent.yaml", "description: A.\nmodle: typo");
    await put("config/b/agent.yaml", "[");
    await put("config/c/agent.yaml", "name: other\ndescription: C.");
    expect(await agents.list()).toEqual([]);
    for (const text of ["modle", '"agent":"b"', "must be c"]) expect(log.join()).toContain(text);
  });

  it.each(["../x", "a/b", "a\\b", "", ".", "-a", "a b", "a\0", "x".repeat(65), "ä"])(
    "refuse the name %j",
    async (name) => {
      expect(await agents.get(name)).toBeUndefined();
      await expect(agents.create(name, { description: "d" }, "s")).rejects.toThrow("no agent name");
      await expect(agents.soul(name)).rejects.toThrow("no agent name");
      await expect(agents.saveOwnSoul(name, "u", "s")).rejects.toThrow("no agent name");
    },
  );

  it.each(["default", "new", "users"])("cannot be called %s", async (name) => {
    await expect(agents.create(name, { description: "d" }, "s")).rejects.toThrow("taken");
  });

  it("of the operator cannot be replaced by talking", async () => {
    await put("config/a/agent.yaml", "description: A.");
    await expect(agents.create("a", { description: "mine" }, "s")).rejects.toThrow("taken");
    await put("data/a/agent.yaml", "description: planted");
    expect((await agents.get("a"))?.description).toBe("A.");
  });

  it("are created once, also when two ask at the same time", async () => {
    const both = await Promise.allSettled([
      agents.create("a", { description: "one" }, "s"),
      agents.create("a", { description: "two" }, "s"),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("that are refused do not take the name", async () => {
    await expect(agents.create("a", { description: "d" }, "  ")).rejects.toThrow("empty");
    await expect(agents.create("a", { description: "d" }, "x".repeat(20_001))).rejects.toThrow("more than 20000");
    await agents.create("a", { description: "d" }, "s");
    expect(await readdir(join(root, "data/a"))).toEqual(["SOUL.md", "agent.yaml"]);
  });
});

describe("souls", () => {
  it("of a person's own copy come before the shared one, for that person only", async () => {
    await put("config/a/SOUL.md", "shared");
    await agents.saveOwnSoul("a", "slack:U1/../U2", "own");
    expect(await agents.soul("a", "slack:U1/../U2")).toBe("own");
    expect(await agents.soul("a", "slack:U2")).toBe("shared");
    expect(await agents.soul("a")).toBe("shared");
  });

  it("that are blank or absent say nothing", async () => {
    await put("config/a/SOUL.md", " \n ");
    expect(await agents.soul("a")).toBe("");
    expect(await agents.soul("none")).toBe("");
  });

  it("may be given to the agent of those who chose none", async () => {
    await put("config/default/SOUL.md", "calm");
    expect(await agents.soul("default")).toBe("calm");
  });
});

it("the agents that come with the project can be used", async () => {
  const shipped = createAgents({ dir: join(ROOT, "config/agents"), dataDir: join(root, "data"), log: quietLog(log) });
  expect((await shipped.list()).map(({ name }) => name)).toContain("researcher");
  expect(await shipped.soul("researcher")).not.toBe("");
  expect(log).toEqual([]);
});
