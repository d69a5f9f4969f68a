import { Board } from "../../src/board.ts";
import { newRun } from "../../src/new-run.ts";
import { createOutbox } from "../../src/outbox.ts";
import { settingsOf } from "../../src/settings.ts";
import type { RunPatch } from "../../src/state/store.ts";
import type { AgentEvent, Run, SessionContext, Todo } from "../../src/types.ts";
import { createFakeChannel, type FakeChannel, inboundOf } from "../support/fake-channel.ts";

const context: SessionContext = {
  is_plan_mode: true,
  plan_approval: "never",
  thinking_enabled: true,
  subagent_enabled: false,
  max_concurrent_subagents: 3,
};
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

const todos = (...statuses: Todo["status"][]): AgentEvent => ({
  type: "todos",
  todos: statuses.map((status, n) => ({ content: `step ${n + 1}`, status })),
});

function setUp(channel: FakeChannel, run: Run = freshRun()) {
  const saved: RunPatch = {};
  const outbox = createOutbox({
    channel: () => channel,
    store: { take: async () => 0 },
    settings: settingsOf({}),
    log: silent,
    now: Date.now,
  });
  const board = new Board(run, {
    outbox,
    save: async (patch) => void Object.assign(saved, structuredClone(patch)),
    posted: async () => undefined,
    log: silent,
  });
  return { board, saved, run };
}

function freshRun(): Run {
  return newRun({ inbound: inboundOf("do it"), session: "s", threadId: "s#0", context, now: 0 });
}

const shown = (channel: FakeChannel) => {
  const content = channel.boards()[0]?.history.at(-1);
  return content?.kind === "board" ? content.board : undefined;
};

describe("the plan message", () => {
  it("appears at the first plan of this run, not before", async () => {
    const channel = createFakeChannel();
    const { board } = setUp(channel);
    board.resume(undefined);
    board.apply({ type: "text", text: "thinking" });
    board.apply({ type: "tool", id: "1", name: "ls", status: "running", line: "Looking" });
    await board.end("done");
    expect(channel.messages).toEqual([]);
  });

  it("is posted once and then edited, and ends in its last state", async () => {
    const channel = createFakeChannel();
    const { board, saved } = setUp(channel);
    board.apply(todos("in_progress", "pending"));
    await vi.waitFor(() => expect(channel.boards()).toHaveLength(1));
    board.apply(todos("completed", "in_progress"));
    board.apply(todos("completed", "completed"));
    await board.end("done");
    expect(channel.boards()).toHaveLength(1);
    expect(shown(channel)).toMatchObject({ state: "done", title: "Done · 2/2", buttons: [] });
    expect(saved.board?.ref).toEqual(channel.boards()[0]?.ref);
  });

  it("coalesces a flood: far fewer edits than updates, the last one always shown", async () => {
    const channel = createFakeChannel();
    channel.slow(15);
    const { board } = setUp(channel);
    for (let n = 0; n < 100; n++) {
      board.apply(todos(...Array.from({ length: 100 }, (_, i) => (i < n ? "completed" : "pending") as Todo["status"])));
      await new Promise(setImmediate);
    }
    await board.end("done");
    expect(channel.boards()[0]?.history.length).toBeLessThan(30);
    expect(shown(channel)?.todos.filter((todo) => todo.status === "completed")).toHaveLength(99);
  });

  it("skips an edit that would change nothing", async () => {
    const channel = createFakeChannel();
    const { board } = setUp(channel);
    board.apply(todos("in_progress"));
    await vi.waitFor(() => expect(channel.boards()).toHaveLength(1));
    board.apply(todos("in_progress"));
    board.apply(todos("in_progress"));
    await board.end("stopped");
    expect(channel.boards()[0]?.history).toHaveLength(2);
  });

  it("shows nothing as running when the run ended early", async () => {
    const channel = createFakeChannel();
    const { board } = setUp(channel);
    board.apply(todos("completed", "in_progress", "pending"));
    board.apply({ type: "subagent", subagent: { id: "a", title: "search", status: "running" } });
    await board.end("failed");
    expect(shown(channel)?.todos.map((todo) => todo.status)).toEqual(["completed", "pending", "pending"]);
    expect(shown(channel)?.subagents[0]?.status).toBe("failed");
  });

  it("is posted anew once when a person deletes it, and never a third time", async () => {
    const channel = createFakeChannel();
    const { board, saved } = setUp(channel);
    board.apply(todos("in_progress"));
    await vi.waitFor(() => expect(channel.boards()).toHaveLength(1));
    const first = channel.boards()[0];
    if (first) first.deleted = true;
    board.apply(todos("completed"));
    await vi.waitFor(() => expect(channel.boards()).toHaveLength(2));
    const second = channel.boards()[1];
    if (second) second.deleted = true;
    await board.end("done");
    expect(channel.boards()).toHaveLength(2);
    expect(saved.board?.ref).toEqual(second?.ref);
  });

  it("waits as long as the platform says and then shows the newest state", async () => {
    const channel = createFakeChannel();
    const { board } = setUp(channel);
    board.apply(todos("in_progress", "pending"));
    await vi.waitFor(() => expect(channel.boards()).toHaveLength(1));
    channel.refuse("edit", { code: "rate_limited", message: "slow down", retryAfterMs: 60 });
    const before = Date.now();
    board.apply(todos("completed", "in_progress"));
    await vi.waitFor(() => expect(board.todos[1]?.status).toBe("in_progress"));
    await board.end("done");
    expect(Date.now() - before).toBeGreaterThanOrEqual(55);
    expect(channel.boards()[0]?.history.map((it) => (it.kind === "board" ? it.board.state : ""))).toEqual([
      "working",
      "done",
    ]);
  });

  it("goes on in the same message after a restart, and edits it only where it differs", async () => {
    const channel = createFakeChannel();
    const first = setUp(channel);
    first.board.apply(todos("in_progress", "pending"));
    await vi.waitFor(() => expect(first.saved.board).toBeDefined());
    const run = { ...first.run, todos: first.board.todos, board: first.saved.board, attempt: 2 };
    const same = setUp(channel, structuredClone(run));
    same.board.resume(undefined);
    expect(channel.boards()[0]?.history).toHaveLength(1);
    const told = setUp(channel, structuredClone(run));
    told.board.resume("resumed after a restart");
    told.board.apply(todos("completed", "completed"));
    await told.board.end("done");
    expect(channel.boards()).toHaveLength(1);
    expect(shown(channel)?.title).toBe("Done · 2/2");
  });

  it("finds the message that a dead worker posted but did not record", async () => {
    const channel = createFakeChannel();
    const dead = setUp(channel);
    dead.board.apply(todos("in_progress"));
    await vi.waitFor(() => expect(channel.boards()).toHaveLength(1));
    const run = {
      ...freshRun(),
      id: dead.run.id,
      inbound: dead.run.inbound,
      posting: [`${dead.run.id}.b`],
      todos: dead.board.todos,
    };
    const next = setUp(channel, run);
    next.board.resume("resumed after a restart");
    next.board.apply(todos("completed"));
    await next.board.end("done");
    expect(channel.boards()).toHaveLength(1);
    expect(shown(channel)?.state).toBe("done");
  });

  it("does not fail the run when the chat refuses the plan", async () => {
    const channel = createFakeChannel();
    const { board } = setUp(channel);
    channel.refuse("post", { code: "chat_gone", message: "kicked" }, 5);
    board.apply(todos("in_progress"));
    await expect(board.end("done")).resolves.toBeUndefined();
  });
});
