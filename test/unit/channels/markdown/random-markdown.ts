/** Random Markdown from a seed: well-formed, half-written and hostile fragments next to each other. */

const FRAGMENTS = [
  "word", "two words", " ", "  ", "\n", "\n\n", "\n\n\n", "**", "*", "_", "__", "~~", "~", "`", "``", "```", "~~~", "\\", "\\*",
  "**bold**", "*it*", "***both***", "~~gone~~", "`code`", "``a`b``", "**a *b ~~c~~***", "snake_case_name", "__init__.py",
  "# ", "\n## Title **x**\n", "\n- item", "\n  - sub", "\n    1. deep", "\n- [x] task", "\n- [ ] open", "\n> quote", "\n>> twice",
  "\n```py\nprint(1)\n```\n", "\n~~~\nx < y & z\n~~~\n", "\n````md\n```\ninner\n```\n````\n", "\n```js\nopen", "\n   ```\n   in item\n   ```\n",
  "\n| a | b |\n|---|--:|\n| 1 | `x` |\n| 开罗 | **2** |\n", "| not a table", "\n---\n", "\n===\n", "\n    indented code\n",
  "[l](https://ex.test/a_(b))", "[x](javascript:alert)", "[click](!channel)", "[a](<b c>)", "[half](http://", "![pic](http://p.test/i.png)",
  "[ref]", "[ref][r]", "\n[r]: https://ref.test/x|y\n", "[^1]", "\n[^1]: note\n", "https://bare.test/?a=1&b=<2>", "www.bare.test", "me@mail.test",
  "<!channel>", "<!here|x>", "<@U123>", "<#C1>", "<b>raw</b>", "<br>", "<!-- c -->", "<https://auto.test>", "&lt;!channel&gt;", "&amp;", "&#x3c;@U1&#62;",
  "@everyone", "||", "a || b", "(", ")", "[", "]", "!", "5 * 400", "1.", "1\\.", "+", "=", "{}", "|", "-", "#", ".", "\t",
  "**用时：**12", "请**立即**处理", "**Queue:**empty", "漢字テキスト。", "😀", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "e\u0301\u0302", "\u200b", "\u202e", "\u0000", "\ud83d",
]; // biome-ignore format: a list to be read at a glance

export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomMarkdown(seed: number, most = 40): string {
  const next = random(seed);
  const count = 1 + Math.floor(next() * most);
  const parts = Array.from({ length: count }, () => FRAGMENTS[Math.floor(next() * FRAGMENTS.length)]!);
  return parts
    .map((part) => (next() < 0.1 ? part.repeat(1 + Math.floor(next() * 12)) : part))
    .join(next() < 0.5 ? "" : " ");
}
