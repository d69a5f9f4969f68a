import { describe, expect, it } from "vitest";
import { splitHtml } from "../../../../channels/markdown/html.ts";
import { splitMarkdown } from "../../../../channels/markdown/split.ts";
import { splitText, truncate, utf8Bytes } from "../../../../channels/markdown/text.ts";
import { threadTitle } from "../../../../channels/markdown/title.ts";
import { truncateMarkdown } from "../../../../channels/markdown/truncate.ts";

const x = (count: number, text = "word ") => text.repeat(count).trim();

describe("splitMarkdown", () => {
  it("leaves a text that fits alone", () => {
    expect(splitMarkdown("# a\n\nb", 100)).toEqual(["# a\n\nb"]);
  });

  it("cuts between paragraphs rather than within one", () => {
    const [a, b] = [x(14), x(10)];
    expect(splitMarkdown(`${a}\n\n${b}`, 100)).toEqual([a, b]);
  });

  it("keeps a heading with what it is about", () => {
    expect(splitMarkdown(`${x(12)}\n\n## Next\n\n${x(12)}`, 100)).toEqual([x(12), `## Next\n\n${x(12)}`]);
  });

  it("keeps a fence whole when it fits one piece", () => {
    const fence = `\`\`\`py\n${x(9, "a = 1\n")}\n\`\`\``;
    expect(splitMarkdown(`Intro.\n\n${fence}`, 70)).toEqual(["Intro.", fence]);
  });

  it("closes a long fence and opens it again with its language and indentation", () => {
    const pieces = splitMarkdown(`\`\`\`py\n${x(20, "if a:\n    b()\n")}\n\`\`\``, 80);
    for (const piece of pieces) expect(piece).toMatch(/^```py\n(?:if a:\n| {4}b\(\)\n)+```$/);
    expect(pieces.join("\n").match(/ {4}b\(\)/g)).toHaveLength(20);
  });

  it("does not repeat a fence that is in a list at a depth that would make it text", () => {
    const pieces = splitMarkdown(`- a\n    - b\n\n      \`\`\`js\n${x(12, "      c()\n")}\n      \`\`\``, 70);
    expect(pieces[1]).toMatch(/^```js\n[\s\S]*\n```$/);
  });

  it("gives a table its head again", () => {
    const head = "| a | b |\n|---|---|";
    const pieces = splitMarkdown(`${head}\n${x(20, "| 1 | 2 |\n")}`, 100);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.startsWith(`${head}\n| 1 |`)).toBe(true);
  });

  it("closes bold text at a cut and opens it again", () => {
    const pieces = splitMarkdown(`**${x(40)}** end`, 100);
    for (const piece of pieces) expect(piece).toMatch(/^\*\*word[^*]*word\*\*(?: end)?$/);
  });

  it("does not cut a link or code that fits the next piece", () => {
    const link = "[a link](https://ex.test/path)";
    expect(splitMarkdown(`${x(14)} ${link} ${x(10)}`, 90).some((piece) => piece.includes(link))).toBe(true);
    expect(splitMarkdown(`${x(16)} \`some code here\` ${x(10)}`, 90).join("|")).toContain("`some code here`");
  });

  it("goes on with a quote in the next piece", () => {
    for (const piece of splitMarkdown(`> ${x(60)}`, 100)) expect(piece.startsWith("> word")).toBe(true);
  });

  it("does not turn the rest of a nested list into code", () => {
    const [, rest] = splitMarkdown(`- a\n${x(6, "    - nested item\n").replace(/^/, "    ")}`, 64);
    expect(rest).toMatch(/^- nested item/);
  });

  it("makes room for what rendering adds", () => {
    const render = (piece: string) => piece.replaceAll("&", "&amp;");
    const pieces = splitMarkdown(x(200, "a & b && c "), 100, { render });
    for (const piece of pieces) expect(render(piece).length).toBeLessThanOrEqual(100);
    expect(pieces.length).toBeLessThan(80);
  });

  it("measures as it is told, and keeps further conditions", () => {
    for (const piece of splitMarkdown("字".repeat(300), 100, { measure: utf8Bytes })) {
      expect(utf8Bytes(piece)).toBeLessThanOrEqual(100);
    }
    const fits = (piece: string) => piece.split("\n").length <= 3;
    expect(splitMarkdown(x(9, "a\n"), 100, { fits }).every(fits)).toBe(true);
  });

  it.each([0, 1, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses a limit of %d", (limit) => {
    expect(() => splitMarkdown("abc", limit)).toThrow(RangeError);
    expect(() => splitText("abc", limit)).toThrow(RangeError);
    expect(() => splitHtml("abc", limit)).toThrow(RangeError);
  });

  it("refuses a limit that no rendered character fits", () => {
    expect(() => splitMarkdown("&", 4, { render: () => "&amp;" })).toThrow(RangeError);
  });

  it("has nothing to say about blank text and empty fences without code", () => {
    expect(splitMarkdown(" \n\n ", 10)).toEqual([]);
    expect(splitMarkdown(`a\n\n\`\`\`\nb\n${"\n".repeat(90)}\`\`\``, 40)).toHaveLength(1);
  });

  it.each([
    ["words", x(200_000)],
    ["one word", "x".repeat(1_000_000)],
    ["blank lines", `a${"\n".repeat(1_000_000)}b`],
    ["a fence", `\`\`\`py\n${x(100_000, "  a = 1\n")}\n\`\`\``],
    ["an empty fence", `\`\`\`\n${"\n".repeat(1_000_000)}\`\`\``],
    ["a table", `| a | b |\n|---|---|\n${x(100_000, "| 1 | 2 |\n")}`],
    ["backticks", "`".repeat(1_000_000)],
    ["emoji", "👨‍👩‍👧‍👦".repeat(90_000)],
    ["one endless character", `e${"\u0301".repeat(1_000_000)}`],
    ["spaces", `${" ".repeat(1_000_000)}x`],
    ["list marks", "- ".repeat(500_000)],
  ])("splits a megabyte of %s in linear time", (_name, text) => {
    const started = performance.now();
    const pieces = splitMarkdown(text, 2000);
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(pieces.every((piece) => piece.length <= 2000 && piece.isWellFormed())).toBe(true);
  });
});

describe("splitText", () => {
  it("prefers lines, then words, and loses nothing", () => {
    expect(splitText(`${x(15)}\n${x(15)}`, 100)).toEqual([`${x(15)}\n`, x(15)]);
    const text = x(100);
    expect(splitText(text, 32).join("")).toBe(text);
  });

  it("does not cut a family, a flag or an accent", () => {
    for (const cluster of ["👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0302", "👍🏽"]) {
      const pieces = splitText(cluster.repeat(40), 33);
      expect(pieces.every((piece) => piece.replaceAll(cluster, "") === "")).toBe(true);
    }
  });
});

describe("splitHtml", () => {
  it("closes the tags of a piece and opens them in the next", () => {
    const pieces = splitHtml(`<b><i>${x(30)}</i></b>`, 60);
    for (const piece of pieces) expect(piece).toMatch(/^<b><i>word[^<]*<\/i><\/b>$/);
  });

  it("does not cut an entity", () => {
    for (const piece of splitHtml("&amp;".repeat(50), 33)) expect(piece.replaceAll("&amp;", "")).toBe("");
  });

  it("writes the target of a link as text when the tag leaves no room", () => {
    const all = splitHtml(`<a href="https://ex.test/${"p".repeat(200)}">label</a>`, 80).join("");
    expect(all).toContain("label (https://ex.test/ppp");
    expect(all).not.toContain("<a");
  });
});

describe("cutting short", () => {
  it("ends with an ellipsis on a whole character", () => {
    expect(truncate("abcdef", 4)).toBe("abc…");
    expect(truncate("ab😀😀", 4)).toBe("ab…");
    expect(truncate("👨‍👩‍👧‍👦", 5)).toBe("…");
    expect(truncate("abc", 3)).toBe("abc");
  });

  it("closes the markup that it cuts", () => {
    expect(truncateMarkdown(`**${x(30)}**`, 80)).toMatch(/^\*\*word[^*]*\*\*…$/);
    expect(truncateMarkdown(`\`\`\`\n${x(30, "a\n")}\n\`\`\``, 40)).toMatch(/\n```…?$/);
  });
});

describe("threadTitle", () => {
  it.each([
    ["<@123> fix\n the   build", "fix the build"],
    ["<@!1> <#2> @everyone", "New conversation"],
    ["party <:blob:123>", "party :blob:"],
    ["a\u202eb\u0007c", "a b c"],
  ])("makes one readable line of %j", (text, title) => {
    expect(threadTitle(text)).toBe(title);
  });
});
