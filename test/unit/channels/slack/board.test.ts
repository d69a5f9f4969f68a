import { describe, expect, it } from "vitest";
import type { BoardState, BoardView } from "../../../../channels/channel.ts";
import { bodies } from "../../../../channels/slack/blocks.ts";
import { boardText, capLines, clip, planBlocks, sectionBlocks } from "../../../../channels/slack/board.ts";
import { blockProblem } from "../../../support/emulators/slack-blocks.ts";

const view = (change: Partial<BoardView> = {}): BoardView => ({
  title: "Trip",
  state: "working",
  todos: [
    { content: "Find trains", status: "completed" },
    { content: "Find hotels", status: "in_progress", activeForm: "Finding hotels" },
    { content: "Write it up", status: "pending" },
  ],
  subagents: [],
  activity: [],
  buttons: [],
  ...change,
});
const cards = (board: BoardView) => {
  const [plan] = planBlocks(board, "1");
  if (plan?.type !== "plan") throw new Error("no plan");
  return (plan.tasks ?? []) as { title: string; status: string; details?: unknown }[];
};

describe("a board in Slack", () => {
  it("shows the active form of what runs", () => {
    expect(cards(view()).map(({ title, status }) => [title, status])).toEqual([
      ["Find trains", "complete"],
      ["Finding hotels", "in_progress"],
      ["Write it up", "pending"],
    ]);
  });

  it.each<[BoardState, string, string]>([
    ["waiting", "Find hotels (waiting)", "pending"],
    ["done", "Find hotels (not finished)", "pending"],
    ["failed", "Find hotels (not finished)", "error"],
    ["stopped", "Find hotels (not finished)", "pending"],
    ["lost", "Find hotels (not finished)", "pending"],
  ])("spins nothing when it is %s", (state, title, status) => {
    const board = view({ state, subagents: [{ id: "a", title: "scout", status: "running" }] });
    expect(cards(board)[1]).toMatchObject({ title, status });
    expect(JSON.stringify(planBlocks(board, "1"))).not.toContain("in_progress");
    expect(boardText(board)).not.toContain("▸");
  });

  it("shows subagents with what they do, and their end", () => {
    const subagents = [
      { id: "a", title: "scout", status: "running" as const, detail: "reading" },
      { id: "b", title: "critic", status: "failed" as const },
    ];
    expect(cards(view({ subagents })).slice(3)).toMatchObject([
      { title: "↳ scout", status: "in_progress", details: { type: "rich_text" } },
      { title: "↳ critic", status: "error" },
    ]);
  });

  it("stops showing tool activity once it has ended, but keeps the note", () => {
    const ended = planBlocks(
      view({ state: "failed", activity: ["web_fetch x"], note: "The model gave no answer." }),
      "1",
    );
    expect(JSON.stringify(ended)).toContain("The model gave no answer.");
    expect(JSON.stringify(ended)).not.toContain("web_fetch");
  });

  const extremes: [string, Partial<BoardView>][] = [
    ["nothing in it", { title: "", todos: [], subagents: [], activity: [], note: "" }],
    ["blank todos", { todos: [{ content: " ", status: "in_progress", activeForm: "" }] }],
    [
      "two hundred long todos",
      { todos: Array.from({ length: 200 }, () => ({ content: "長".repeat(900), status: "pending" })) },
    ],
    [
      "sixty subagents",
      { subagents: Array.from({ length: 60 }, (_, n) => ({ id: `${n}`, title: `s${n}`, status: "done" })) },
    ],
    ["a long note and label", { note: "n".repeat(5000), buttons: [{ token: "t", label: "L".repeat(200) }] }],
    ["markup everywhere", { title: "<!here> *x*", todos: [{ content: "<@U1> & *b* _i_", status: "in_progress" }] }],
    ["a broken emoji at the cut", { title: "😀".repeat(400) }],
  ];
  it.each(extremes)("is accepted with %s, in each of its forms", (_, change) => {
    for (const body of bodies({ kind: "board", board: view(change) }, "s-1")) {
      expect(body.text.trim()).not.toBe("");
      expect(Buffer.byteLength(body.text)).toBeLessThanOrEqual(3900);
      expect(body.text).not.toMatch(/<[!@#]/);
      expect(JSON.stringify(body)).toBe(JSON.stringify(body).toWellFormed());
      if (body.blocks.length > 0) expect(blockProblem(body.blocks, new Set())).toBeUndefined();
    }
  });

  it("keeps the running step in sight when it folds", () => {
    const todos = Array.from({ length: 120 }, (_, n) => ({
      content: `Step ${n}`,
      status: n < 80 ? ("completed" as const) : n === 80 ? ("in_progress" as const) : ("pending" as const),
    }));
    const titles = cards(view({ todos })).map(({ title }) => title);
    expect(titles).toContain("Step 80");
    expect(titles[0]).toMatch(/^\d+ earlier steps$/);
    expect(titles.length).toBeLessThanOrEqual(45);
  });

  it("offers the same buttons in both block forms", () => {
    const board = view({ buttons: [{ token: "t1", label: "Stop", style: "danger" }] });
    expect(planBlocks(board, "1").at(-1)).toEqual(sectionBlocks(board).at(-1));
  });
});

describe("cutting for Slack", () => {
  it("cuts neither entities nor surrogate pairs", () => {
    const fits = (text: string) => text.length <= 11;
    expect(capLines([`aaaaaaa${"&amp;".repeat(5)}`], fits)).not.toMatch(/&(?!amp;)/);
    expect(clip(`aaa${"😀".repeat(9)}`, 5)).toBe("aaa…");
  });

  it("keeps the options of a question when its text must be cut", () => {
    const buttons = [{ token: "t", label: "Yes & no" }];
    const bare = bodies({ kind: "question", text: "why? ".repeat(2000), buttons }, "1").at(-1);
    expect(bare?.text.endsWith("• Yes &amp; no")).toBe(true);
    expect(Buffer.byteLength(bare?.text ?? "")).toBeLessThanOrEqual(3900);
  });
});
