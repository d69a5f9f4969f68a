import type { BoardView, Button, Todo } from "../../../../channels/channel.ts";
import { boardBody, buttonRows } from "../../../../channels/discord/board.ts";
import { bodyOf, fitsEdit, split } from "../../../../channels/discord/outbound.ts";
import { flatten, refuseMessage } from "../../../support/emulators/discord-rules.ts";
import type { WireComponent } from "../../../support/emulators/discord-world.ts";

const empty: BoardView = { title: "Planning", state: "planning", todos: [], subagents: [], activity: [], buttons: [] };

function shown(view: BoardView): { parts: WireComponent[]; text: string; accent: number | null | undefined } {
  const body = boardBody(view);
  // The emulator's rules are Discord's, on the body as it goes over the wire.
  const wire = JSON.parse(JSON.stringify(body)) as { flags: number; components: WireComponent[] };
  expect(refuseMessage(wire, 0, false)).toBeUndefined();
  const parts = flatten(wire.components);
  const text = parts.map(({ content }) => content ?? "").join("\n");
  return { parts, text, accent: wire.components[0]?.accent_color };
}

const todo = (content: string, status: Todo["status"] = "pending"): Todo => ({ content, status });
const buttons = (count: number): Button[] =>
  Array.from({ length: count }, (_, index) => ({ token: `t${index}`, label: `Button ${index}` }));

describe("the board", () => {
  it("shows title, steps, subagents, activity, note and buttons in this order", () => {
    const { text, parts } = shown({
      title: "Working · 1/3",
      state: "working",
      todos: [todo("Read", "completed"), { ...todo("Write", "in_progress"), activeForm: "Writing" }, todo("Send")],
      subagents: [{ id: "a", title: "researcher", status: "running", detail: "searching" }],
      activity: ["read_file notes.md"],
      note: "resumed after a restart",
      buttons: [{ token: "stop:r1", label: "Stop", style: "danger" }],
    });
    expect(text.trim().split("\n")).toEqual([
      "### ⏳ Working · 1/3",
      "☑ ~~Read~~",
      "▶ **Writing**",
      "☐ Send",
      "▶ researcher: searching",
      "-# read\\_file notes.md",
      "-# resumed after a restart",
    ]);
    expect(parts.at(-1)).toMatchObject({ type: 2, label: "Stop", style: 4, custom_id: "stop:r1" });
  });

  it("has another colour for each state", () => {
    const states = ["planning", "working", "waiting", "done", "failed", "stopped", "lost"] as const;
    expect(new Set(states.map((state) => shown({ ...empty, state }).accent)).size).toBe(states.length);
  });

  it("shows words as they are, without markup and line breaks", () => {
    const { text } = shown({ ...empty, todos: [todo("use **bold** and `code`\n# and [a](https://ex.test)")] });
    expect(text).toContain("☐ use \\*\\*bold\\*\\* and \\`code\\` # and \\[a](https://ex.test)");
  });

  it("always fits: first finished steps go, then the end, and both are counted", () => {
    const many = [
      ...Array.from({ length: 40 }, (_, n) => todo(`finished ${n} ${"x".repeat(150)}`, "completed")),
      todo("the current step", "in_progress"),
      ...Array.from({ length: 60 }, (_, n) => todo(`later ${n} ${"*".repeat(150)}`)),
    ];
    const { text } = shown({
      ...empty,
      title: "T".repeat(500),
      todos: many,
      subagents: Array.from({ length: 30 }, (_, n) => ({ id: `${n}`, title: "*".repeat(300), status: "done" })),
      activity: Array.from({ length: 30 }, () => "*".repeat(300)),
      note: "*".repeat(900),
      buttons: buttons(40),
    });
    expect(text).toContain("-# 40 finished steps");
    expect(text).toContain("-# … and");
  });

  it("keeps the current step when many are finished", () => {
    const todos = [
      ...Array.from({ length: 80 }, (_, n) => todo(`finished ${n} ${"x".repeat(100)}`, "completed")),
      todo("the current step", "in_progress"),
    ];
    expect(shown({ ...empty, todos }).text).toContain("**the current step**");
  });

  it("never cuts a character in half", () => {
    const { text } = shown({ ...empty, todos: [todo(`${"a".repeat(178)}😀😀`)] });
    expect(text.isWellFormed()).toBe(true);
  });

  it("shows an empty plan", () => {
    expect(shown(empty).text).toContain("Planning");
    expect(shown({ ...empty, todos: [todo("   ")], activity: [" "], note: "" }).parts).not.toEqual([]);
  });
});

describe("buttons", () => {
  it("stand five in a row, 25 at most, each token once", () => {
    expect(buttonRows(buttons(12)).map(({ components }) => components.length)).toEqual([5, 5, 2]);
    expect(buttonRows(buttons(40)).flatMap(({ components }) => components)).toHaveLength(25);
    expect(buttonRows([...buttons(2), ...buttons(2)]).flatMap(({ components }) => components)).toHaveLength(2);
  });

  it("have a label of 80 characters at most and never none", () => {
    const [row] = buttonRows([
      { token: "a", label: "y".repeat(200) },
      { token: "b", label: "  " },
    ]);
    expect(row?.components).toMatchObject([{ label: `${"y".repeat(79)}…` }, { label: "…" }]);
  });
});

describe("text", () => {
  it("is cut into pieces that fit", () => {
    const pieces = split(`${"word ".repeat(1500)}\n\n| a | b |\n| - | - |\n${"| x | y |\n".repeat(300)}`);
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces)
      expect(bodyOf({ kind: "markdown", text: piece }).content?.length).toBeLessThanOrEqual(2000);
    expect(split("  \n ")).toEqual([]);
  });

  it("says what fits an edit", () => {
    expect(fitsEdit({ kind: "markdown", text: "x".repeat(2000) })).toBe(true);
    expect(fitsEdit({ kind: "markdown", text: "x".repeat(2001) })).toBe(false);
    expect(fitsEdit({ kind: "board", board: { ...empty, todos: Array(500).fill(todo("a long step")) } })).toBe(true);
    expect(fitsEdit({ kind: "file", file: { name: "a", path: "/a", type: "text/plain" } })).toBe(false);
  });
});
