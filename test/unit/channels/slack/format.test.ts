import { describe, expect, it } from "vitest";
import { toMrkdwn } from "../../../../channels/slack/format.ts";

const B = "\u200b";

describe("Markdown on Slack", () => {
  it.each([
    ["# A **b** c", "*A b c*"],
    ["**a *b* c**", "*a _b_ c*"],
    ["***both***", "_*both*_"],
    ["**one\ntwo**", "*one*\n*two*"],
    ["~~gone~~ ~5", "~gone~ ~5"],
    ["**Label:**text", `*Label:*${B}text`],
    ["这是**重点**。", `这是${B}*重点*${B}。`],
    ["**a** (*b*), **c**.", "*a* (_b_), *c*."],
    ["\\*not bold\\*", `*${B}not bold*`],
    ["`a < b`", "`a &lt; b`"],
    ["``a`b``", "a`b"],
    ["&lt;!channel&gt; <@U1>", "&lt;!channel&gt; &lt;@U1&gt;"],
    ["[x](slack://a) [y](#z) [z](<!here>)", "x (slack://a) y (#z) z (!here)"],
    ["[x](https://e.test/a|b>c)", "<https://e.test/a%7Cb%3Ec|x>"],
    ["![pic](https://e.test/p.png)", "<https://e.test/p.png|pic>"],
    ["[a][r]\n\n[r]: https://e.test", "<https://e.test|a>"],
    ["<https://e.test/a|words>", "<https://e.test/a|words>"],
    ["[note]: https://e.test", "[note]: https://e.test"],
    ["- a\n  1. b\n- [x] c", "• a\n  1. b\n☑ c"],
    ["> a\n> b", "> a\n> b"],
    ["\\> a", `${B}&gt; a`],
    ["```js title\n<a>\n```", "```\n&lt;a&gt;\n```"],
    ["```npm install\n```", "```\nnpm install\n```"],
    ["````\n```\n````", `\`\`\`\n\`${B}\`${B}\`\n\`\`\``],
    ["<b>*x*</b>", "&lt;b&gt;_x_&lt;/b&gt;"],
    ["see __init__.py", "see __init__.py"],
    ["~5 to ~10", "~5 to ~10"],
  ])("%j is %j", (markdown, mrkdwn) => {
    expect(toMrkdwn(markdown)).toBe(mrkdwn);
  });

  it("pads a table by what people see", () => {
    expect(toMrkdwn("| a | 温度 |\n|---|---|\n| 开罗 | 1 |")).toBe("```\na    | 温度\n-----+-----\n开罗 | 1\n```");
  });

  it("survives nesting that exhausts the parser", () => {
    expect(toMrkdwn(`${">".repeat(5000)} deep`)).toContain("deep");
    expect(toMrkdwn("*a **b ".repeat(2000))).toContain("a");
  });
});
