/** What only the embedded store has: one file, one process, and restarts. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OperatorError } from "../../src/errors.ts";
import { createLog } from "../../src/log.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";
import { aChat, LEASE, parked, running, T0, take } from "./store-fixtures.ts";

const log = createLog({ level: "silent" });
const ADVICE = "stop it, or use redis:// in state.url to run several workers.";
const DAY = 24 * 60 * 60_000;

describe("the state file", () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "planbridge-state-"));
    path = join(dir, "deep", "down", "state.db");
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const open = (now = () => T0) => openSqliteState({ path, keepDays: 30, log, now });

  it("belongs to one process: a second one is refused with one sentence", async () => {
    const { store } = open();
    const refusal = new OperatorError(`The state file ${path} is in use by another process: ${ADVICE}`);
    expect(() => open()).toThrow(refusal);
    const code = `
      import { openSqliteState } from ${JSON.stringify(join(import.meta.dirname, "../../src/state/sqlite.ts"))};
      try { openSqliteState({ path: ${JSON.stringify(path)}, keepDays: 1 }); } catch (error) { console.log(error.message); }`;
    const other = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
    expect(other.stdout.trim()).toBe(refusal.message);
    await store.close();
    await store.close();
    await open().store.close();
  });

  it("keeps everything over a restart, and a lane of the process before is free at once", async () => {
    const before = open();
    const { chat, session, run } = await running(before.store, "w1");
    const next = chat.run();
    await before.store.accept(next);
    const waits = await parked(before.store);
    await before.store.setSetting("pause/x", true, { at: T0, who: "U1", where: "cli", what: "pause" });
    await before.store.close();

    const { store } = open();
    expect(await store.waiting(10)).toEqual([session]);
    expect(await take(store, session, "w2", T0)).toMatchObject({ id: run.id, attempt: 2 });
    expect(await store.queue(session)).toEqual([next.id]);
    expect(await store.begin(waits.session, "w2", LEASE, T0)).toEqual({ kind: "idle" });
    expect((await store.lookup(waits.session)).active).toMatchObject({ status: "waiting" });
    expect(await store.accept(next)).toEqual({ kind: "duplicate" });
    expect(await store.settings()).toEqual({ "pause/x": true });
    await store.close();
  });

  it("survives a process that is killed in the middle of its work", async () => {
    const fixtures = JSON.stringify(join(import.meta.dirname, "store-fixtures.ts"));
    const code = `
      import { openSqliteState } from ${JSON.stringify(join(import.meta.dirname, "../../src/state/sqlite.ts"))};
      import { aChat, take } from ${fixtures};
      const { store } = openSqliteState({ path: ${JSON.stringify(path)}, keepDays: 30 });
      const chat = aChat();
      await store.accept(chat.run("first"));
      await store.accept(chat.run("second"));
      await take(store, chat.session);
      process.kill(process.pid, "SIGKILL");`;
    expect(spawnSync(process.execPath, ["--input-type=module", "-e", code]).signal).toBe("SIGKILL");
    const { store } = open();
    const [session = ""] = await store.waiting(10);
    expect(await take(store, session, "w2", T0)).toMatchObject({ attempt: 2, inbound: { text: "first" } });
    expect(await store.queue(session)).toHaveLength(1);
    await store.close();
  });

  it("forgets what is old: inbound ids, finished runs, unused sessions and checkpoints", async () => {
    const before = open();
    const { session, run } = await running(before.store);
    await before.store.finish(session, run.id, "w1", "done", T0);
    await before.store.begin(session, "w1", LEASE, T0);
    const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
    const checkpoint = { v: 4, id: "1", ts: "", channel_values: {}, channel_versions: {}, versions_seen: {} };
    await before.checkpointer.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, {});
    const waits = await parked(before.store);
    await before.store.close();

    const later = open(() => T0 + 31 * DAY);
    expect(await later.store.run(session, run.id)).toBeUndefined();
    expect(await later.checkpointer.getTuple(config)).toBeUndefined();
    expect((await later.store.lookup(session)).session).toBeDefined();
    await later.store.close();

    const { store } = open(() => T0 + 61 * DAY);
    expect((await store.lookup(session)).session).toBeUndefined();
    expect((await store.lookup(waits.session)).active).toMatchObject({ status: "waiting" });
    expect(await store.accept(run)).toEqual({ kind: "queued", position: 1 });
    await store.close();
    const file = new DatabaseSync(path);
    const left = ["checkpoints", "threads", "refs", "items"].map((table) =>
      file.prepare(`SELECT * FROM ${table}`).all(),
    );
    file.close();
    expect(left.flat()).toEqual([]);
  });

  it("that is not a database, or is newer than this version, is refused with one sentence", async () => {
    const other = join(dir, "notes.txt");
    writeFileSync(other, "these are my notes, ".repeat(500));
    const openOther = () => openSqliteState({ path: other, keepDays: 30, log });
    expect(openOther).toThrow(/^The state file .*notes\.txt cannot be opened \(it is not a SQLite database\)\.$/);
    await open().store.close();
    const file = new DatabaseSync(path);
    file.exec("PRAGMA user_version = 99");
    file.close();
    expect(() => open()).toThrow(/^The state file .*state\.db cannot be opened \(it was written by a newer version/);
    expect(() => openSqliteState({ path: dir, keepDays: 30, log })).toThrow(/^The state file .* cannot be opened/);
  });

  it("closed under a running process says so", async () => {
    const { store } = open();
    await store.close();
    await expect(store.ping()).rejects.toThrow(/^The state file .* cannot be read/);
    await expect(store.accept(aChat().run())).rejects.toThrow();
  });
});
