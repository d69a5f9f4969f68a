import { readFileSync } from "node:fs";
import { openSqliteState } from "../../src/state/sqlite.ts";
import type { Store } from "../../src/state/store.ts";
import type { AgentEvent, Question } from "../../src/types.ts";
import { openBridge, silent, slackConfig, type TestBridge } from "../support/bridge.ts";
import { createFakeChannel, inboundOf } from "../support/fake-channel.ts";
import { tempFolder } from "../support/process.ts";
import { answers, createScriptedAgent, gate, type Script } from "../support/scripted-agent.ts";

let bridge: TestBridge;
afterEach(() => bridge.close());

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 3_000, interval: 5 });
const texts = () => bridge.channel.texts();
const session = "slack/T1/C1/1.1";

const asks = (question: Partial<Question>): Script =>
  async function* () {
    yield {
      type: "ask",
      question: {
        id: "q1-abcdef",
        kind: "clarification",
        text: "Which?",
        options: [],
        askedAt: Date.now(),
        ...question,
      },
    };
  };
const wantsApproval: Script = async function* () {
  yield { type: "todos", todos: [{ content: "one", status: "pending" }] };
  yield { type: "approve", question: { id: "p1-abcdef", kind: "plan", text: "Go?", options: [], askedAt: Date.now() } };
};

describe("a message", () => {
  it("is answered once, however often it is delivered", async () => {
    bridge = await openBridge();
    const inbound = inboundOf("hello");
    await Promise.all([bridge.core.door.accept(inbound), bridge.core.door.accept(inbound)]);
    await until(() => expect(texts()).toEqual(["ok"]));
    await bridge.core.door.accept(inbound);
    await bridge.core.lanes.idle();
    expect(texts()).toEqual(["ok"]);
    expect(bridge.agent.requests).toHaveLength(1);
  });

  it("that is not for us costs no agent and leaves no trace", async () => {
    bridge = await openBridge();
    await bridge.channel.say("just talking", { addressed: false });
    await bridge.core.lanes.idle();
    expect(texts()).toEqual([]);
    expect((await bridge.store.lookup(session)).session).toBeUndefined();
  });

  it("follows without mention in a thread where the bot already works", async () => {
    bridge = await openBridge();
    await bridge.channel.say("hello");
    await until(() => expect(texts()).toHaveLength(1));
    await bridge.channel.say("and then?", { addressed: false });
    await until(() => expect(texts()).toHaveLength(2));
  });

  it("that only mentions us gets a hint and no run", async () => {
    bridge = await openBridge();
    await bridge.channel.say("  ");
    expect(texts()[0]).toContain("/help");
    expect(bridge.agent.requests).toEqual([]);
  });

  it("from somebody not on the list is not run; in a direct message that is said once", async () => {
    bridge = await openBridge({ slack: { allowed_users: ["U2"] } });
    await bridge.channel.say("hi");
    expect(texts()).toEqual([]);
    await bridge.channel.say("hi", { kind: "dm" });
    await bridge.channel.say("hi again", { kind: "dm" });
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).toContain("U1");
    expect(bridge.agent.requests).toEqual([]);
  });

  it("waits its turn while a run is active, in order, and other sessions go on", async () => {
    bridge = await openBridge();
    const first = gate("first");
    bridge.agent.script(first.script, answers("other"), answers("second"), answers("third"));
    await bridge.channel.say("1");
    await first.begun;
    await bridge.channel.say("2");
    await bridge.channel.say("3");
    await bridge.channel.say("elsewhere", { at: { channel: "slack", account: "T1", chat: "C2", thread: "9.9" } });
    await until(() => expect(texts()).toEqual(["other"]));
    first.open();
    await until(() => expect(texts()).toEqual(["other", "first", "second", "third"]));
    expect(bridge.agent.requests.map((request) => request.input.text)).toEqual(["1", "elsewhere", "2", "3"]);
  });

  it("that was edited while it waited is run in its new form; an answered one is not run again", async () => {
    bridge = await openBridge();
    const first = gate();
    bridge.agent.script(first.script, answers("done"));
    const one = await bridge.channel.say("1");
    await first.begun;
    const two = await bridge.channel.say("2");
    const edit = (inbound: typeof one, text: string) =>
      bridge.core.door.edited({
        at: inbound.at,
        messageId: inbound.messageId,
        inboundId: inbound.id,
        user: inbound.user,
        text,
        editedAt: 5,
      });
    await edit(two, "two, corrected");
    await edit(one, "one, too late");
    first.open();
    await until(() => expect(bridge.agent.requests).toHaveLength(2));
    expect(bridge.agent.requests[1]?.input.text).toBe("two, corrected");
  });
});

describe("a very long answer", () => {
  it("comes as its beginning, an outline, and the whole as a file", async () => {
    const folder = tempFolder();
    const text = Array.from({ length: 40 }, (_, n) => `## Part ${n}\n\n${"words ".repeat(100)}`).join("\n\n");
    bridge = await openBridge({ rest: { workspace: { dir: folder.path } } });
    bridge.agent.script(answers(text));
    await bridge.channel.say("write a book");
    await until(() => expect(bridge.channel.messages).toHaveLength(3));
    const [beginning, outline, file] = bridge.channel.messages.map((message) => message.history[0]);
    expect(beginning?.kind === "markdown" && text.startsWith(beginning.text)).toBe(true);
    expect(outline?.kind === "markdown" && outline.text).toMatch(/whole answer[\s\S]*- Part 0\n- Part 1/);
    expect(file?.kind === "file" && readFileSync(file.file.path, "utf8")).toBe(text);
    folder.remove();
  });

  it("comes as messages where the file cannot be written", async () => {
    bridge = await openBridge({ rest: { workspace: { dir: "/dev/null/workspaces" } } });
    bridge.agent.script(answers("x".repeat(30_000)));
    await bridge.channel.say("write a book");
    await until(() => expect(texts().join("")).toBe("x".repeat(30_000)));
  });
});

describe("an agent that fails", () => {
  it("is told in the chat, on the plan and in words", async () => {
    bridge = await openBridge();
    bridge.agent.script(async function* () {
      yield { type: "todos", todos: [{ content: "one", status: "in_progress" }] };
      yield {
        type: "failed",
        text: "The model cannot be reached.",
        failure: { code: "model_unreachable", detail: "" },
      };
    });
    await bridge.channel.say("do it");
    await until(() => expect(texts()).toEqual(["⚠️ The model cannot be reached."]));
    const board = bridge.channel.boards()[0]?.history.at(-1);
    expect(board?.kind === "board" && board.board.state).toBe("failed");
  });

  it("by throwing still leaves no message without a last word", async () => {
    bridge = await openBridge({ rest: { runs: { max_attempts: 1 } } });
    bridge.agent.script(async function* (): AsyncGenerator<AgentEvent> {
      yield { type: "text", text: "x" };
      throw new Error("bug");
    });
    await bridge.channel.say("do it");
    await vi.waitFor(() => expect(texts().join()).toContain("given up"), { timeout: 9_000 });
  }, 12_000);
});

describe("stopping", () => {
  it("ends the run, says so, and the next message works", async () => {
    bridge = await openBridge();
    const work = gate();
    bridge.agent.script(work.script, answers("next"));
    await bridge.channel.say("long work");
    await work.begun;
    await bridge.channel.say("/stop");
    await until(() => expect(texts()).toContain("Stopped."));
    await bridge.channel.say("go on");
    await until(() => expect(texts().at(-1)).toBe("next"));
    const board = bridge.channel.boards()[0]?.history.at(-1);
    expect(board?.kind === "board" && board.board).toMatchObject({ state: "stopped", buttons: [] });
  });

  it("by button is for the asker and admins; a second press is answered, not obeyed", async () => {
    bridge = await openBridge({ rest: { admins: { slack: ["U9"] } } });
    const work = gate();
    bridge.agent.script(work.script);
    await bridge.channel.say("long work");
    await until(() => expect(bridge.channel.boards()).toHaveLength(1));
    const message = bridge.channel.boards()[0];
    const content = message?.history[0];
    const token = content?.kind === "board" ? (content.board.buttons[0]?.token ?? "") : "";
    const press = (id: string, user: string) =>
      bridge.core.door.press({
        id,
        at: inboundOf("").at,
        user: { id: user, name: "" },
        token,
        message: message?.ref ?? { at: inboundOf("").at, id: "" },
      });
    expect(token.length).toBeLessThanOrEqual(40);
    expect(await press("1", "U2")).toContain("Only the person who asked");
    expect(await press("2", "U9")).toBe("Stopping.");
    await until(() => expect(texts()).toContain("Stopped."));
    expect(await press("3", "U9")).toContain("no longer open");
  });
});

describe("a question", () => {
  it("is answered by the next message, by option number, and the same run goes on", async () => {
    bridge = await openBridge();
    bridge.agent.script(asks({ options: ["red", "blue"] }), answers("painted"));
    await bridge.channel.say("paint it");
    await until(() => expect(texts().join()).toContain("2. blue"));
    await bridge.channel.say("2", { addressed: false });
    await until(() => expect(texts().at(-1)).toBe("painted"));
    expect(bridge.agent.requests[1]).toMatchObject({
      answer: { questionId: "q1-abcdef", decision: "answer", text: "blue" },
      input: { text: "paint it" },
    });
    expect(texts()[0]).toContain("→ blue");
  });

  it("takes an answer without the files that came with it, and says so", async () => {
    bridge = await openBridge();
    bridge.agent.script(asks({ options: ["red", "blue"] }), answers("painted"));
    await bridge.channel.say("paint it");
    await until(() => expect(texts()).toHaveLength(1));
    await bridge.core.lanes.idle();
    const attachments = [{ id: "F1", name: "a.png", type: "image/png", size: 1, source: "x" }];
    await bridge.channel.say("red", { attachments });
    await until(() => expect(texts()).toContain("painted"));
    expect(texts().filter((text) => text.includes("not the files"))).toHaveLength(1);
  });

  it("is dropped by /new", async () => {
    bridge = await openBridge();
    bridge.agent.script(asks({ options: ["red"] }), answers("fresh"));
    await bridge.channel.say("paint it");
    await until(() => expect(texts()).toHaveLength(1));
    await bridge.channel.say("/new");
    await bridge.channel.say("1");
    await until(() => expect(texts().at(-1)).toBe("fresh"));
    expect(bridge.agent.requests[1]?.answer).toBeUndefined();
    expect(bridge.agent.requests[1]?.context.thread_id).toBe(`${session}#1`);
  });

  it("is asked once, also by a worker that has to begin it again", async () => {
    const { store } = openSqliteState({ path: ":memory:", keepDays: 1, log: silent });
    let parks = 0;
    const failing: Store = {
      ...store,
      park: (...args) => (parks++ === 0 ? Promise.reject(new Error("the state is away")) : store.park(...args)),
    };
    bridge = await openBridge({ store: failing });
    bridge.agent.script(asks({ options: ["red"] }));
    await bridge.channel.say("paint it");
    await vi.waitFor(() => expect(parks).toBe(2), { timeout: 9_000 });
    await bridge.core.lanes.idle();
    expect(bridge.agent.requests).toHaveLength(2);
    expect(texts()).toHaveLength(1);
  }, 12_000);

  it("waits through a restart of the bridge", async () => {
    const first = await openBridge();
    first.agent.script(asks({ options: ["red"] }));
    bridge = first;
    await bridge.channel.say("paint it");
    await until(async () => expect((await first.store.lookup(session)).active?.status).toBe("waiting"));
    await first.core.close(0);
    const agent = createScriptedAgent();
    agent.script(answers("painted"));
    bridge = await openBridge({ store: first.store, channel: first.channel, agent });
    await bridge.channel.say("red");
    await until(() => expect(texts().at(-1)).toBe("painted"));
    expect(agent.requests[0]?.answer).toMatchObject({ text: "red" });
  });
});

describe("a plan that waits for approval", () => {
  const boardButtons = () => {
    const content = bridge.channel.boards()[0]?.history.at(-1);
    return content?.kind === "board" ? content.board.buttons : [];
  };
  const press = (id: string, label: string, user = "U1") => {
    const token = boardButtons().find((button) => button.label === label)?.token ?? "";
    const at = inboundOf("").at;
    return bridge.core.door.press({ id, at, user: { id: user, name: "" }, token, message: { at, id: "m1" } });
  };

  beforeEach(async () => {
    bridge = await openBridge();
    bridge.agent.script(wantsApproval, answers("carried out"));
    await bridge.channel.say("plan it");
    await until(() => expect(boardButtons().map((button) => button.label)).toEqual(["Approve", "Change", "Reject"]));
    await until(async () => expect((await bridge.store.lookup(session)).active?.status).toBe("waiting"));
  });

  it("goes on when the asker approves, once", async () => {
    const token = boardButtons()[0]?.token ?? "";
    expect(await press("a", "Approve", "U2")).toContain("Only the person who asked");
    expect(await press("b", "Approve")).toBe("Noted: approve.");
    await until(() => expect(texts()).toEqual(["carried out"]));
    expect(bridge.agent.requests[1]?.answer).toMatchObject({ decision: "approve" });
    const at = inboundOf("").at;
    const late = await bridge.core.door.press({
      id: "c",
      at,
      user: { id: "U1", name: "" },
      token,
      message: { at, id: "m1" },
    });
    expect(late).toContain("no longer open");
    expect(bridge.agent.requests).toHaveLength(2);
  });

  it("takes words for a change", async () => {
    expect(await press("a", "Change")).toContain("Write what should be different");
    await bridge.channel.say("skip the second part");
    await until(() => expect(bridge.agent.requests).toHaveLength(2));
    expect(bridge.agent.requests[1]?.answer).toMatchObject({ decision: "change", text: "skip the second part" });
  });

  it("lets another person's message wait instead of taking it for an approval", async () => {
    await bridge.channel.say("yes", { user: { id: "U2", name: "Bob" } });
    expect((await bridge.store.lookup(session)).active?.status).toBe("waiting");
    await press("a", "Approve");
    await until(() => expect(bridge.agent.requests).toHaveLength(3));
    expect(bridge.agent.requests[2]?.input.text).toBe("yes");
  });

  it("is written to the audit log", async () => {
    await press("a", "Reject");
    await until(async () => expect((await bridge.store.audits(5))[0]?.what).toMatch(/^reject run/));
  });
});

describe("a question that only an admin may decide", () => {
  it("is not decided by the asker, by button, word or command, but by an admin", async () => {
    bridge = await openBridge({ rest: { admins: { slack: ["U9"] } } });
    bridge.agent.script(asks({ kind: "tool", text: "Run create_skill?", byAdmin: true }), answers("created"));
    await bridge.channel.say("make a skill");
    await until(async () => expect((await bridge.store.lookup(session)).active?.status).toBe("waiting"));
    const [run] = await bridge.store.activeRuns(1);
    const at = inboundOf("").at;
    const press = (id: string, user: string) =>
      bridge.core.door.press({
        id,
        at,
        user: { id: user, name: "" },
        token: `ok:${run?.id}:q1-abcde`,
        message: { at, id: "m" },
      });
    expect(await press("a", "U1")).toContain("admin");
    await bridge.channel.say("/approve");
    expect(texts().at(-1)).toContain("admin");
    expect((await bridge.store.lookup(session)).active?.status).toBe("waiting");
    expect(await press("b", "U9")).toBe("Noted: approve.");
    await until(() => expect(texts()).toContain("created"));
  });
});

describe("what a message does while a run is active", () => {
  const busy = async (queue: string) => {
    bridge = await openBridge({ slack: { queue } });
    const work = gate("first");
    bridge.agent.script(work.script, answers("second"));
    await bridge.channel.say("1");
    await work.begun;
    return work;
  };

  it("reject: it is refused with a reason", async () => {
    const work = await busy("reject");
    await bridge.channel.say("2");
    expect(texts().at(-1)).toContain("still busy");
    work.open();
    await until(() => expect(texts().at(-1)).toBe("first"));
    await bridge.core.lanes.idle();
    expect(bridge.agent.requests).toHaveLength(1);
  });

  it("interrupt: the run is stopped and the message runs", async () => {
    await busy("interrupt");
    await bridge.channel.say("2");
    await until(() => expect(texts()).toEqual(["Stopped.", "second"]));
  });

  it("steer: the running agent gets it, and what comes after its last step becomes a run of its own", async () => {
    bridge = await openBridge({ slack: { queue: "steer" } });
    const [told, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const taken: string[] = [];
    bridge.agent.script(async function* (request) {
      await told.promise;
      taken.push(...((await request.steers?.()) ?? []).map((steer) => steer.text));
      await request.steers?.();
      await late.promise;
      yield { type: "done", text: "steered run" };
    }, answers("own run"));
    await bridge.channel.say("1");
    await until(() => expect(bridge.agent.requests).toHaveLength(1));
    await bridge.channel.say("also this");
    told.resolve();
    await until(() => expect(taken).toEqual(["also this"]));
    await bridge.channel.say("and this, too late");
    late.resolve();
    await until(() => expect(texts()).toContain("own run"));
    expect(texts()).toContain("steered run");
    expect(bridge.agent.requests.map((request) => request.input.text)).toEqual(["1", "and this, too late"]);
  });

  it("collect: several waiting messages become one turn", async () => {
    bridge = await openBridge({ slack: { queue: "collect" } });
    const work = gate("first");
    const taken: string[] = [];
    bridge.agent.script(work.script, async function* (request) {
      taken.push(request.input.text, ...((await request.steers?.()) ?? []).map((steer) => steer.text));
      yield { type: "done", text: "second" };
    });
    await bridge.channel.say("1");
    await work.begun;
    for (const text of ["2", "3", "4"]) await bridge.channel.say(text);
    work.open();
    await until(() => expect(texts()).toContain("second"));
    await bridge.core.lanes.idle();
    expect(taken).toEqual(["2", "3", "4"]);
    expect(bridge.agent.requests).toHaveLength(2);
  });
});

describe("a worker that dies", () => {
  it("leaves the run to the next one, in the same plan message, with one answer", async () => {
    const now = { value: Date.now() };
    const first = await openBridge({ now: () => now.value });
    bridge = first;
    const work = gate();
    first.agent.script(work.script);
    await first.channel.say("long work");
    await until(() => expect(first.channel.boards()).toHaveLength(1));
    const agent = createScriptedAgent();
    agent.script(async function* () {
      yield { type: "todos", todos: [{ content: "wait", status: "completed" }] };
      yield { type: "done", text: "finished by another" };
    });
    now.value += 60_000;
    const second = await openBridge({ store: first.store, channel: first.channel, agent, now: () => now.value });
    second.core.lanes.kick(session);
    await until(() => expect(first.channel.texts()).toEqual(["finished by another"]));
    await second.core.close(0);
    expect(first.channel.boards()).toHaveLength(1);
    const board = first.channel.boards()[0]?.history.at(-1);
    expect(board?.kind === "board" && board.board).toMatchObject({ state: "done", note: undefined });
  });
});

describe("plan mode", () => {
  it("is decided by chat, session and message", async () => {
    bridge = await openBridge({ slack: { chats: { C1: { session: { context: { is_plan_mode: true } } } } } });
    await bridge.channel.say("a");
    await bridge.channel.say("/plan off");
    await bridge.channel.say("b");
    await bridge.channel.say("/plan write it");
    await until(() => expect(bridge.agent.requests).toHaveLength(3));
    expect(bridge.agent.requests.map((request) => request.context.is_plan_mode)).toEqual([true, false, true]);
    expect(bridge.agent.requests[2]?.input.text).toBe("write it");
  });

  it("auto is decided by the text of each message, and /status says why", async () => {
    bridge = await openBridge({ slack: { session: { context: { is_plan_mode: "auto" } } } });
    await bridge.channel.say("hello");
    await bridge.channel.say("1) read the report 2) summarise it 3) send it to Ann");
    await until(() => expect(texts()).toHaveLength(2));
    expect(bridge.agent.requests.map((request) => request.context.is_plan_mode)).toEqual([false, true]);
    await bridge.channel.say("/status");
    expect(texts().at(-1)).toMatch(/auto \(from channels\.slack\); last message planned: a list of 3 tasks/);
  });

  it("auto looks at a message as it is when its run begins, edits included", async () => {
    bridge = await openBridge({ slack: { session: { context: { is_plan_mode: "auto" } } } });
    const first = gate();
    bridge.agent.script(first.script, answers("done"));
    await bridge.channel.say("hello");
    await first.begun;
    const two = await bridge.channel.say("hi");
    const text = "1) read the report 2) summarise it 3) send it";
    const { at, messageId, user } = two;
    await bridge.core.door.edited({ at, messageId, inboundId: two.id, user, text, editedAt: 5 });
    first.open();
    await until(() => expect(bridge.agent.requests[1]?.context.is_plan_mode).toBe(true));
  });

  it("that is pinned is not changed by /plan", async () => {
    bridge = await openBridge({ slack: { session: { pinned: true, context: { is_plan_mode: true } } } });
    await bridge.channel.say("/plan off");
    expect(texts()[0]).toContain("fixed");
    await bridge.channel.say("a");
    await until(() => expect(bridge.agent.requests[0]?.context.is_plan_mode).toBe(true));
  });

  it("applies a changed config file to the next message", async () => {
    bridge = await openBridge();
    bridge.setConfig(slackConfig({ session: { context: { is_plan_mode: true } } }));
    await bridge.channel.say("a");
    await until(() => expect(bridge.agent.requests[0]?.context.is_plan_mode).toBe(true));
  });
});

describe("a chat that moved", () => {
  it("keeps its session, and answers go to where it lives now", async () => {
    bridge = await openBridge({ channel: createFakeChannel() });
    const from = { channel: "slack", account: "T1", chat: "C1" } as const;
    const to = { ...from, chat: "C9" };
    await bridge.channel.say("a", { at: from });
    await until(() => expect(texts()).toHaveLength(1));
    await bridge.core.door.migrated({ from, to });
    await bridge.channel.say("b", { at: to });
    await until(() => expect(texts()).toHaveLength(2));
    expect(bridge.agent.requests[1]?.context.thread_id).toBe(bridge.agent.requests[0]?.context.thread_id);
    expect(bridge.channel.messages.at(-1)?.ref.at.chat).toBe("C9");
  });
});
