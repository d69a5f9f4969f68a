import type { BoardView } from "../../../../channels/channel.ts";
import { boardHtml, boardKeyboard, boardPlain } from "../../../../channels/telegram/board.ts";

const base: BoardView = { title: "Working", state: "working", todos: [], subagents: [], activity: [], buttons: [] };

describe("boardHtml", () => {
  it("escapes everything the model wrote and keeps each entry on one line", () => {
    const todos = [{ content: "a <b>&\nnext", status: "pending" as const }];
    const html = boardHtml({ ...base, todos, activity: ["x < y"], note: "1 & 2" });
    expect(html).toBe("<b>⏳ Working</b>\n\n☐ a &lt;b&gt;&amp; next\n\n· x &lt; y\n\n<i>1 &amp; 2</i>");
  });

  it("shows what is done, being done and open", () => {
    const todos = [
      { content: "one", status: "completed" as const },
      { content: "two", activeForm: "Doing two", status: "in_progress" as const },
      { content: "three", status: "in_progress" as const },
      { content: "four", status: "pending" as const },
    ];
    expect(boardHtml({ ...base, todos })).toContain("☑ <s>one</s>\n▶ <i>Doing two</i>\n▶ <i>three</i>\n☐ four");
  });

  it("leaves finished steps out first when the plan is too long", () => {
    const step = (n: number, status: "completed" | "pending") => ({ content: `${n} ${"x".repeat(150)}`, status });
    const todos = Array.from({ length: 40 }, (_, n) => step(n, n < 20 ? "completed" : "pending"));
    const html = boardHtml({ ...base, todos, note: "still here" });
    expect(html.length).toBeLessThanOrEqual(4096);
    expect(html).toContain("☐ 39 ");
    expect(html).toMatch(/… and 1\d more/);
    expect(html).toContain("still here");
  });

  it("never cuts an emoji in half", () => {
    const todos = [{ content: "🎉".repeat(300), status: "pending" as const }];
    expect(boardHtml({ ...base, todos }).isWellFormed()).toBe(true);
  });

  it("has the same words without markup", () => {
    const todos = [{ content: "a <b> & c", status: "completed" as const }];
    expect(boardPlain({ ...base, todos })).toBe("⏳ Working\n\n☑ a <b> & c");
  });
});

describe("boardKeyboard", () => {
  const button = (label: string) => ({ label, token: label.toLowerCase() });

  it("puts short buttons side by side and long ones below each other", () => {
    const labels = (names: string[]) =>
      boardKeyboard(names.map(button)).inline_keyboard.map((row) => row.map(({ text }) => text));
    expect(labels(["Approve", "Change", "Reject", "Stop"])).toEqual([["Approve", "Change", "Reject"], ["Stop"]]);
    expect(labels(["Stop", "A rather long label"])).toEqual([["Stop"], ["A rather long label"]]);
    expect(labels([])).toEqual([]);
  });
});
