import { unfinished } from "../../../../channels/markdown/unfinished.ts";

describe("text still being written", () => {
  it.each([
    ["Words and", "Words and …"],
    ["Look:\n```ts\nconst a = 1;", "Look:\n```ts\nconst a = 1;\n```\n\n…"],
    ["Look:\n```ts\nconst a = 1;\n```", "Look:\n```ts\nconst a = 1;\n```\n\n…"],
    ["- item\n  ~~~~\n  code", "- item\n  ~~~~\n  code\n  ~~~~\n\n…"],
    ["> ```\n> code", "> ```\n> code\n> ```\n\n…"],
    ["| a | b |\n|---|---|\n| 1 |", "| a | b |\n|---|---|\n| 1 |\n\n…"],
    ["", " …"],
  ])("%j is shown as %j", (text, shown) => {
    expect(unfinished(text)).toBe(shown);
  });
});
