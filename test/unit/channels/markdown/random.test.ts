import { describe, expect, it } from "vitest";
import { toDiscord } from "../../../../channels/discord/format.ts";
import { splitHtml } from "../../../../channels/markdown/html.ts";
import { splitMarkdown } from "../../../../channels/markdown/split.ts";
import { splitText, truncate } from "../../../../channels/markdown/text.ts";
import { threadTitle } from "../../../../channels/markdown/title.ts";
import { truncateMarkdown } from "../../../../channels/markdown/truncate.ts";
import { toMrkdwn } from "../../../../channels/slack/format.ts";
import { toTelegramHtml } from "../../../../channels/telegram/format.ts";
import { toMarkdownV2 } from "../../../../channels/telegram/markdown-v2.ts";
import { htmlProblem, mdv2 } from "../../../fixtures/cases/check.mjs";
import { randomMarkdown } from "./random-markdown.ts";

const texts = Array.from({ length: 1500 }, (_, seed) => randomMarkdown(seed));

/** All texts for which `problem` says something, with what it says; short, so that a failure can be read. */
const failures = (problem: (text: string) => string | undefined, count = texts.length): string[] =>
  texts.slice(0, count).flatMap((text) => {
    const found = problem(text);
    return found ? [`${found} <= ${JSON.stringify(text).slice(0, 300)}`] : [];
  });

function isWithin(letters: string[], text: string): boolean {
  let at = 0;
  return letters.every((letter) => {
    at = text.indexOf(letter, at) + 1;
    return at > 0;
  });
}

describe("any text", () => {
  it("is balanced HTML of Telegram's tags", () => {
    expect(failures((text) => htmlProblem(toTelegramHtml(text)), 600).slice(0, 3)).toEqual([]);
  });

  it("is MarkdownV2 that Telegram parses", () => {
    expect(failures((text) => mdv2(toMarkdownV2(text)).error, 600).slice(0, 3)).toEqual([]);
  });

  it("holds nothing live on Slack but links that people may click", () => {
    const live = (text: string) =>
      toMrkdwn(text).match(/<(?!https?:\/\/[^<>|\s]+(?:\|[^<>]*)?>|mailto:)[^\n]{0,20}/)?.[0];
    expect(failures(live, 600).slice(0, 3)).toEqual([]);
  });

  it.each([
    ["as it is", 300, (piece: string) => piece, 1500],
    ["tiny", 12, (piece: string) => piece, 1500],
    ["on Slack", 120, toMrkdwn, 150],
    ["on Discord", 120, toDiscord, 150],
    ["as Telegram HTML", 160, toTelegramHtml, 150],
    ["as MarkdownV2", 160, toMarkdownV2, 150],
  ])("fits in pieces %s", (_name, limit, render, count) => {
    const wrong = (text: string) =>
      splitMarkdown(text, limit, { render }).find((piece) => {
        return render(piece).length > limit || piece.trim() === "" || !piece.isWellFormed();
      });
    expect(failures(wrong, count).slice(0, 3)).toEqual([]);
  });

  it("keeps every letter, in order, when it is split", () => {
    const lost = (text: string) => {
      // An info string is only repeated where it has room.
      if (/(?:```|~~~)[^\n]{6}/.test(text)) return undefined;
      const pieces = splitMarkdown(text, 60);
      return isWithin(text.match(/[a-z]/g) ?? [], pieces.join("")) ? undefined : JSON.stringify(pieces);
    };
    expect(failures(lost).slice(0, 3)).toEqual([]);
  });

  it("is the same text again when plain pieces are joined", () => {
    const differs = (text: string) => {
      const source = text.toWellFormed();
      const joined = splitText(source, 50).join("");
      return joined.replace(/\s+/g, "") === source.replace(/\s+/g, "") ? undefined : joined;
    };
    expect(failures(differs).slice(0, 3)).toEqual([]);
  });

  it("is balanced in every piece of its HTML", () => {
    const wrong = (text: string) =>
      splitHtml(toTelegramHtml(text), 100).find((piece) => htmlProblem(piece) !== "" || piece.length > 100);
    expect(failures(wrong, 600).slice(0, 3)).toEqual([]);
  });

  it("fits when it is cut short, and as a title", () => {
    const wrong = (text: string) => {
      const short = [truncate(text, 20), truncateMarkdown(text, 20)].find((cut) => cut.length > 20);
      const title = threadTitle(text);
      return short ?? (title.length < 1 || title.length > 100 || title.includes("\n") ? title : undefined);
    };
    expect(failures(wrong).slice(0, 3)).toEqual([]);
  });
});

describe("an answer while it is written", () => {
  const answer =
    "# Plan **A**\n\nSee [the wiki](https://ex.test/a_(b)) and `x < y`:\n\n```py\nif a:\n    b()\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> **done** _now_\n";

  it.each(Array.from({ length: answer.length }, (_, end) => end))("is whole markup after %i characters", (end) => {
    const text = answer.slice(0, end);
    expect(htmlProblem(toTelegramHtml(text))).toBe("");
    expect(mdv2(toMarkdownV2(text)).error).toBe("");
    expect((toMrkdwn(text).split("```").length - 1) % 2).toBe(0);
    expect((toDiscord(text).split("```").length - 1) % 2).toBe(0);
  });
});
