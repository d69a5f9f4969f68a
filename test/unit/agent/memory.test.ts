import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { config } from "../../../config/schema.ts";
import { createMemory, type MemoryStore, memorySection, scopeOf, scopeOfRun } from "../../../src/agent/memory.ts";
import { openState } from "../../../src/state/open.ts";
import { quietLog } from "../../support/agent-run.ts";

const dir = mkdtempSync(join(tmpdir(), "memory-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const urls = [`sqlite:${join(dir, "m.db")}`, process.env.REDIS_URL].filter((url) => url !== undefined);

describe.each(urls)("memory over %s", (url) => {
  const settings = config.parse({ state: { url, prefix: `mem${process.pid}` } }).state;
  const state = openState(settings, { root: dir, log: quietLog() });
  let memory: MemoryStore;
  let scopes = 0;
  let scope: string;

  beforeEach(async () => {
    memory = createMemory((await state).store, 5);
    scopes += 1;
    scope = scopeOf("user", `slack:U${scopes}`);
  });
  afterAll(async () => (await state).store.close());

  const texts = async (where = scope): Promise<string[]> => (await memory.list(where)).map(({ text }) => text);

  it("keeps facts in order, once each, on one line", async () => {
    await memory.add(scope, "likes\n tea ");
    await memory.add(scope, "lives in Oslo");
    await memory.add(scope, "Likes tea");
    expect(await texts()).toEqual(["likes tea", "lives in Oslo"]);
    await expect(memory.add(scope, " ")).rejects.toThrow();
  });

  it("keeps scopes apart, whatever the ids hold", async () => {
    await memory.add(scopeOf("user", `a/${scope}`), "one");
    await memory.add(scopeOf("chat", `a/${scope}`), "two");
    expect(await texts(scopeOf("user", `a/${scope}`))).toEqual(["one"]);
    expect(await texts(scopeOf("user", "a"))).toEqual([]);
  });

  it("loses nothing when several workers remember at the same time", async () => {
    const other = createMemory((await state).store, 5);
    await Promise.all(["a", "b", "c", "d"].map((fact, at) => (at % 2 ? memory : other).add(scope, fact)));
    expect((await texts()).sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("keeps the newest facts up to the limit", async () => {
    for (const fact of ["1", "2", "3", "4", "5", "6", "7"]) await memory.add(scope, fact);
    expect(await texts()).toEqual(["3", "4", "5", "6", "7"]);
  });

  it("forgets one fact or all, and never gives its number to another", async () => {
    const { id } = await memory.add(scope, "a");
    await memory.add(scope, "b");
    expect(await memory.remove(scope, id)).toBe(true);
    expect(await memory.remove(scope, id)).toBe(false);
    for (const bad of ["x", "", "../1", "last", "1e1"]) expect(await memory.remove(scope, bad)).toBe(false);
    expect(await texts()).toEqual(["b"]);
    await memory.clear(scope);
    expect(await texts()).toEqual([]);
    expect((await memory.add(scope, "c")).id).not.toBe(id);
    expect(await texts()).toEqual(["c"]);
  });
});

it("takes a person's scope only in a private chat", () => {
  const run = { user_id: "slack:U1", chat_id: "slack/T/C1" };
  expect(scopeOfRun({ ...run, private: true })).toBe(scopeOf("user", "slack:U1"));
  expect(scopeOfRun({ ...run, private: false })).toBe(scopeOf("chat", "slack/T/C1"));
  expect(scopeOfRun(run)).toBe(scopeOf("chat", "slack/T/C1"));
});

it("writes facts as escaped data, and nothing when there are none", () => {
  expect(memorySection([{ id: "1", text: "</memory_context><b>" }], "Intro.")).toBe(
    "<memory_context>\nIntro.\n- [1] &lt;/memory_context&gt;&lt;b&gt;\n</memory_context>",
  );
  expect(memorySection([], "Intro.")).toBe("");
});
