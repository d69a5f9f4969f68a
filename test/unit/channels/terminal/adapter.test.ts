import { PassThrough, Writable } from "node:stream";
import type { BoardView, Button, Channel, Content, Door, Inbound, Press, Todo } from "../../../../channels/channel.ts";
import { createTerminal, type TerminalOptions } from "../../../../channels/terminal/adapter.ts";
import { terminalChannel } from "../../../../config/schema.ts";
import { FakeTty } from "./vt.ts";

const HERE = { channel: "terminal", account: "local", chat: "local" } as const;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
let clock = 0;

interface Setup extends TerminalOptions {
  door?: Partial<Door>;
}

function open({ door = {}, ...options }: Setup = {}) {
  const input = Object.assign(new PassThrough(), { isTTY: options.output instanceof FakeTty, setRawMode: () => input });
  const output = options.output ?? new PassThrough().setEncoding("utf8");
  const inbounds: Inbound[] = [];
  const presses: Press[] = [];
  const all: Door = {
    accept: async (it) => void inbounds.push(it),
    edited: async () => {},
    migrated: async () => {},
    press: async (it) => {
      presses.push(it);
      return undefined;
    },
    ...door,
  };
  const channel = createTerminal(terminalChannel.parse({}), {
    log: quiet,
    now: () => ++clock,
    input,
    ...options,
    output,
  });
  return { channel, input, output, inbounds, presses, start: () => channel.start(all) };
}

const texts = (inbounds: Inbound[]) => inbounds.map((it) => it.text);
const read = (output: unknown) => String((output as PassThrough).read() ?? "");

function board(todos: Todo["status"][], extra: Partial<BoardView> = {}): Content {
  const list = todos.map((status, index) => ({ content: `step ${index + 1}`, status }));
  return {
    kind: "board",
    board: { title: "Plan", state: "working", todos: list, subagents: [], activity: [], buttons: [], ...extra },
  };
}

const buttons: Button[] = [
  { token: "ok:r1", label: "Approve" },
  { token: "no:r1", label: "Reject" },
];

describe("a terminal that is piped into", () => {
  it("takes each line as a direct message of the local user, in order, with ids of its own", async () => {
    const { start, input, inbounds } = open();
    await start();
    input.write("plan my week\n\n  /stop  \n你好\n");
    await expect.poll(() => texts(inbounds)).toEqual(["plan my week", "/stop", "你好"]);
    expect(inbounds[0]).toMatchObject({
      at: HERE,
      kind: "dm",
      addressed: true,
      user: { id: "local" },
      attachments: [],
    });
    expect(new Set(inbounds.map((it) => it.id)).size).toBe(3);
  });

  it("makes ids that another process does not repeat", async () => {
    const first = open();
    const second = open();
    for (const it of [first, second]) {
      await it.start();
      it.input.write("hi\n");
      await expect.poll(() => it.inbounds.length).toBe(1);
    }
    expect(first.inbounds[0]?.id).not.toBe(second.inbounds[0]?.id);
  });

  it("prints one line of help, then a plan, and of each change only the lines that are new", async () => {
    const { start, channel, output } = open();
    await start();
    expect(read(output)).toMatch(/^planbridge: .*\/help.*\n$/);
    const ref = await channel.post(HERE, board(["in_progress", "pending"]));
    expect(read(output)).toBe("Plan\n▸ step 1\n○ step 2\n");
    await channel.edit(ref, board(["completed", "in_progress"]));
    expect(read(output)).toBe("✓ step 1\n▸ step 2\n");
    await channel.edit(ref, board(["completed", "in_progress"], { activity: ["reading"] }));
    expect(read(output)).toBe("");
    await channel.edit(ref, board(["completed", "completed"], { state: "done", title: "Done", note: "all good" }));
    expect(read(output)).toBe("Done\n✓ step 2\nall good\n");
  });

  it("says that its input is over after everything before was accepted", async () => {
    const events: string[] = [];
    const slow = Promise.withResolvers<void>();
    const accept = (it: Inbound) => slow.promise.then(() => void events.push(it.text));
    const { start, input } = open({ door: { accept }, onEnd: () => void events.push("end") });
    await start();
    input.end("last words");
    await expect.poll(() => input.readableEnded).toBe(true);
    slow.resolve();
    await expect.poll(() => events).toEqual(["last words", "end"]);
  });

  it("does not say so when it was stopped", async () => {
    const ends: string[] = [];
    const { start, channel, input } = open({ onEnd: () => void ends.push("end") });
    await start();
    await channel.stop();
    await channel.stop();
    input.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect({ ends, state: channel.status().state }).toEqual({ ends: [], state: "stopped" });
  });

  it("tells when a message could not be stored and goes on", async () => {
    const accepted: string[] = [];
    const accept = async (it: Inbound) => {
      if (it.text === "one") throw new Error("disk full");
      accepted.push(it.text);
    };
    const { start, input, output } = open({ door: { accept } });
    await start();
    input.write("one\ntwo\n");
    await expect.poll(() => accepted).toEqual(["two"]);
    expect(read(output)).toContain("could not be stored");
  });

  it("survives that nobody reads its output any more", async () => {
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const ends: string[] = [];
    const { start, channel } = open({ output: gone, onEnd: () => void ends.push("end") });
    await start();
    await expect.poll(() => channel.status().state).toBe("down");
    const ref = await channel.post(HERE, { kind: "markdown", text: "an answer" });
    await channel.edit(ref, { kind: "markdown", text: "another" });
    await channel.stop();
    expect({ ends, state: channel.status().state }).toEqual({ ends: ["end"], state: "down" });
  });
});

describe("questions in a terminal", () => {
  it("are answered by the number of a button", async () => {
    const { start, channel, input, output, presses, inbounds } = open();
    await start();
    read(output);
    const ref = await channel.post(HERE, board(["pending"], { state: "waiting", buttons }));
    expect(read(output)).toBe("Plan\n○ step 1\n  1. Approve\n  2. Reject\nType a number, or answer in words.\n");
    input.write("2\n");
    await expect.poll(() => presses.length).toBe(1);
    expect(presses[0]).toMatchObject({ token: "no:r1", message: ref, user: { id: "local" } });
    await channel.edit(ref, board(["in_progress"], { buttons }));
    input.write("2\n");
    await expect.poll(() => texts(inbounds)).toEqual(["2"]);
  });

  it("list their options once, and are messages again when they are answered", async () => {
    const { start, channel, input, output, inbounds, presses } = open();
    await start();
    read(output);
    const options = ["Red", "Blue"].map((label, index) => ({ token: `opt:${index}`, label }));
    const ref = await channel.post(HERE, { kind: "question", text: "Which?\n\n1. Red\n2. Blue", buttons: options });
    expect(read(output)).toBe("Which?\n\n1. Red\n2. Blue\nType a number, or answer in words.\n");
    input.write("7\n1\n");
    await expect.poll(() => presses.length).toBe(1);
    expect([texts(inbounds), presses[0]?.token]).toEqual([["7"], "opt:0"]);
    await channel.edit(ref, { kind: "question", text: "Which?\n\n→ Red", buttons: [] });
    expect(read(output)).toBe("→ Red\n");
    input.write("1\n");
    await expect.poll(() => texts(inbounds)).toEqual(["7", "1"]);
  });

  it("show what the bridge says about a press", async () => {
    const { start, channel, input, output } = open({ door: { press: async () => "That is no longer open." } });
    await start();
    await channel.post(HERE, { kind: "question", text: "Sure?", buttons });
    input.write("1\n");
    let seen = "";
    await expect.poll(() => (seen += read(output))).toContain("That is no longer open.\n");
  });
});

describe("a real terminal", () => {
  async function tty() {
    const output = new FakeTty();
    const opened = open({ output });
    await opened.start();
    return { ...opened, output };
  }

  it("redraws the plan in place, above what is being typed", async () => {
    const { channel, input, output } = await tty();
    const ref = await channel.post(HERE, board(["in_progress", "pending"]));
    input.write("half a wo");
    await channel.edit(ref, board(["completed", "in_progress"], { activity: ["reading 文件"] }));
    await expect
      .poll(() => output.screen.slice(1))
      .toEqual(["Plan", "✓ step 1", "▸ step 2", "  … reading 文件", "> half a wo"]);
  });

  it("prints answers above a plan that goes on", async () => {
    const { channel, output } = await tty();
    const ref = await channel.post(HERE, board(["in_progress"]));
    await channel.post(HERE, { kind: "notice", text: "Noted." });
    await channel.edit(ref, board(["completed"], { state: "done" }));
    await channel.post(HERE, { kind: "markdown", text: "The answer" });
    await expect.poll(() => output.screen.slice(1)).toEqual(["Noted.", "Plan", "✓ step 1", "The answer", ">"]);
  });

  it("starts the plan anew below a line that was typed in between", async () => {
    const { channel, input, output, inbounds } = await tty();
    const ref = await channel.post(HERE, board(["in_progress"]));
    input.write("/status\r");
    await expect.poll(() => texts(inbounds)).toEqual(["/status"]);
    await channel.edit(ref, board(["completed"]));
    await expect.poll(() => output.screen.slice(1)).toEqual(["Plan", "▸ step 1", "> /status", "Plan", "✓ step 1", ">"]);
  });

  it("ends at Ctrl-D and hands Ctrl-C on", async () => {
    const events: string[] = [];
    const output = new FakeTty();
    const onInterrupt = () => void events.push("interrupt");
    const { start, input } = open({ output, onEnd: () => void events.push("end"), onInterrupt });
    await start();
    input.write("\u0003");
    await expect.poll(() => events).toEqual(["interrupt"]);
    input.write("\u0004");
    await expect.poll(() => events).toEqual(["interrupt", "end"]);
  });
});

describe("one message from the command line", () => {
  it("reads nothing and prints every state of the plan in full", async () => {
    const { start, channel, input, output, inbounds } = open({ once: "do it" });
    await start();
    input.write("ignored\n");
    const ref = await channel.post(HERE, board(["in_progress", "pending"]));
    await channel.edit(ref, board(["completed", "in_progress"]));
    await channel.post(HERE, { kind: "markdown", text: "**Done**" });
    expect(read(output)).toBe("Plan\n▸ step 1\n○ step 2\n\nPlan\n✓ step 1\n▸ step 2\n\n**Done**\n");
    expect(inbounds).toEqual([]);
  });
});

describe("text on a terminal", () => {
  it("cannot steer the terminal", async () => {
    const { start, channel, output } = open();
    await start();
    read(output);
    await channel.post(HERE, { kind: "markdown", text: "a\u001b]0;title\u0007b\u001b[2Jc\r\nd\u009b31m\te" });
    expect(read(output)).toBe("abc\nd\te\n");
  });

  it("is never split, and every edit fits", () => {
    const channel: Channel = open().channel;
    const long = "x".repeat(100_000);
    expect([channel.split(long), channel.fitsEdit({ kind: "markdown", text: long })]).toEqual([[long], true]);
  });
});
