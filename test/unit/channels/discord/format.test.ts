import { describe, expect, it } from "vitest";
import { toDiscord } from "../../../../channels/discord/format.ts";

describe("Markdown on Discord", () => {
  it.each([
    ["### a\n#### b **c**", "### a\n**b c**"],
    ["a || b", "a \\|\\| b"],
    ["`a || b` | c", "`a || b` | c"],
    ["5 * 400, snake_case_name, C:\\dir", "5 * 400, snake_case_name, C:\\dir"],
    ["\\*a\\* \\_b\\_ \\`c\\`", "\\*a\\* \\_b\\_ \\`c\\`"],
    ["__bold__", "**bold**"],
    ["~~~py\nx || y\n~~~", "```py\nx || y\n```"],
    ["[w](https://e.test/T_(w))", "[w](https://e.test/T_(w))"],
    ["[w](<https://e.test/a)b>)", "[w](https://e.test/a%29b)"],
    ["https://e.test/a_b_c", "https://e.test/a_b_c"],
    ["[https://good.test](https://bad.test)", "https://good.test (https://bad.test)"],
    ["[x](javascript:y)", "x (javascript:y)"],
    ["![pic](https://e.test/p.png)", "[pic](https://e.test/p.png)"],
    ["- [x] a\n- [ ] b", "- ☑ a\n- ☐ b"],
    ["\\# a\n\\- b\n1\\. c", "\\# a\n\\- b\n1\\. c"],
    ["> **a\n> b**", "> **a**\n> **b**"],
    ["a &amp; <b>", "a & <b>"],
    ["**用时：**12", "**用时：**12"],
  ])("%j is %j", (markdown, shown) => {
    expect(toDiscord(markdown)).toBe(shown);
  });
});
