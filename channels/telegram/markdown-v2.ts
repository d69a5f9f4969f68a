/** Markdown as Telegram's MarkdownV2, in which one unescaped sign refuses the whole message. */
import { type Dialect, type Line, markLines, type Part, roundBullet } from "../markdown/dialect.ts";
import { isSameTarget } from "../markdown/plain-dialect.ts";
import { renderMarkdown } from "../markdown/render.ts";

const escapeText = (text: string): string => text.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, "\\$&");
/** Inside code only these two end or change anything. */
const escapeCode = (text: string): string => text.replace(/[`\\]/g, "\\$&");
const escapeTarget = (url: string): string => url.replace(/[)\\]/g, "\\$&");

/** Two marks side by side would be read as one other mark: `_a__b_` holds an underline. */
function join(parts: Part[]): string {
  let out = "";
  let marked = false;
  for (const part of parts) {
    out += marked && part.marked ? `\u200b${part.text}` : part.text;
    marked = part.marked;
  }
  return out;
}

/** Only the first sign of a line is a quote here. */
const quote = (lines: Line[]): Line[] =>
  lines.map((line) => (line.fixed ? line : { ...line, text: `>${line.text.replace(/^>/, "\\> ")}` }));

const V2: Dialect = {
  text: escapeText,
  code: (value) => `\`${escapeCode(value)}\``,
  fence: (value, language) => `\`\`\`${escapeCode(language)}\n${escapeCode(value)}\n\`\`\``,
  strong: (inner) => markLines(inner, "*"),
  emphasis: (inner) => markLines(inner, "_"),
  strike: (inner) => markLines(inner, "~"),
  link: (url, _label, plain) =>
    isSameTarget(url, plain) ? escapeText(plain || url) : `[${escapeText(plain)}](${escapeTarget(url)})`,
  heading: (inner) => markLines(inner, "*"),
  quote,
  join,
  line: (text) => text,
  bullet: roundBullet,
  number: (value) => `${value}\\.`,
  rule: "———",
  boldHeading: () => true,
};

export const toMarkdownV2 = (markdown: string): string => renderMarkdown(markdown, V2);
