import { describe, expect, it } from "vitest";
import { plainText } from "../../../../channels/markdown/plain.ts";
import { toTelegramHtml } from "../../../../channels/telegram/format.ts";
import { toMarkdownV2 } from "../../../../channels/telegram/markdown-v2.ts";

describe("Markdown as Telegram's HTML", () => {
  it.each([
    ["# A **b**", "<b>A b</b>"],
    ["**a _b_** ~~c~~ `<d>`", "<b>a <i>b</i></b> <s>c</s> <code>&lt;d&gt;</code>"],
    ["**Label:**text", "<b>Label:</b>text"],
    ["```py\na < b\n```", '<pre><code class="language-py">a &lt; b</code></pre>'],
    ["```\na\n```", "<pre>a</pre>"],
    ["> a\n>\n> > b", "<blockquote>a\n\nb</blockquote>"],
    ['[a](https://e.test/?x="1"&y)', '<a href="https://e.test/?x=%221%22&amp;y">a</a>'],
    ["[a](tg://user?id=1)", "a (tg://user?id=1)"],
    ["https://e.test", "https://e.test"],
    ["<u>x</u>", "&lt;u&gt;x&lt;/u&gt;"],
    ["| a |\n|---|\n| <b> |", "<pre>a\n---\n&lt;b&gt;</pre>"],
    ["- a\n\n  b\n- c", "• a\n\n  b\n• c"],
  ])("%j is %j", (markdown, html) => {
    expect(toTelegramHtml(markdown)).toBe(html);
  });
});

describe("Markdown as MarkdownV2", () => {
  it.each([
    ["a.b-c!", "a\\.b\\-c\\!"],
    ["*a***b**", "_a_\u200b*b*"],
    ["1. x", "1\\. x"],
    ["`a\\b`", "`a\\\\b`"],
    ["[a.b](https://e.test/a\\)b)", "[a\\.b](https://e.test/a\\)b)"],
    ["> > q", ">\\> q"],
  ])("%j is %j", (markdown, v2) => {
    expect(toMarkdownV2(markdown)).toBe(v2);
  });
});

describe("Markdown as plain text", () => {
  it.each([
    ["# A **b** `c`", "A b c"],
    ["[a](https://e.test)", "a (https://e.test)"],
    ["```js\nx()\n```", "x()"],
    ["- [ ] a\n- b", "☐ a\n• b"],
    ["Done! 7 - ok.", "Done! 7 - ok."],
  ])("%j is %j", (markdown, text) => {
    expect(plainText(markdown)).toBe(text);
  });
});
