/** Markdown as Slack's mrkdwn. */
import { type Dialect, markLines, type Part, prefixLines, roundBullet, softenFences } from "../markdown/dialect.ts";
import { renderMarkdown } from "../markdown/render.ts";
import { escapeText } from "./text.ts";

/** Slack sees a word border in it, people see nothing. */
const BORDER = "\u200b";

/** Before `*` and after it Slack wants a space or punctuation, and takes no other script's punctuation for that. */
const BEFORE = /[\s!-)+-/:-@[-^{|}]$/;
const AFTER = /^[\s!-)+-/:-@[-^{|}]/;

/** mrkdwn has no escape for its marks, so a pair that would become markup gets an invisible border inside. */
function keepMarks(line: string): string {
  const last = new Map<string, number>();
  for (const match of line.matchAll(/(?<=\S)[*_~`](?=$|[\s.,;:!?)\]}"'])/g)) last.set(match[0], match.index);
  if (last.size === 0) return line;
  return line.replace(/(?<=^|[\s([{"'])[*_~`](?=[^\s*_~`])/g, (mark: string, at: number) =>
    at < (last.get(mark) ?? -1) ? `${mark}${BORDER}` : mark,
  );
}

const text = (value: string): string => escapeText(value.split("\n").map(keepMarks).join("\n"));

/** A code span ends at the first backtick whatever its opener, so such code is plain text. */
const code = (value: string): string => (value.includes("`") ? text(value) : `\`${escapeText(value)}\``);

function join(parts: Part[]): string {
  let out = "";
  let marked = false;
  for (const part of parts) {
    const touches = out !== "" && (marked || part.marked);
    const open = touches && ((part.marked && !BEFORE.test(out.at(-1)!)) || (marked && !AFTER.test(part.text)));
    out += open ? `${BORDER}${part.text}` : part.text;
    marked = part.marked;
  }
  return out;
}

function link(url: string, plain: string): string {
  const target = escapeText(url);
  const label = plain.trim();
  return label === "" || label === url ? `<${target}>` : `<${target}|${escapeText(label)}>`;
}

const MRKDWN: Dialect = {
  text,
  code,
  fence: (value) => `\`\`\`\n${softenFences(escapeText(value))}\n\`\`\``,
  strong: (inner) => markLines(inner, "*"),
  emphasis: (inner) => markLines(inner, "_"),
  strike: (inner) => markLines(inner, "~"),
  link: (url, _label, plain) => link(url, plain),
  heading: (inner) => markLines(inner, "*"),
  quote: (lines) => prefixLines(lines, "> "),
  join,
  // Slack quotes a line that begins with the escaped sign, too.
  line: (line) => (line.startsWith("&gt;") ? `${BORDER}${line}` : line),
  bullet: roundBullet,
  number: (value) => `${value}.`,
  rule: "──────────",
  boldHeading: () => true,
};

/** Never contains a live mention: every `<` that is not one of our links is escaped. */
export const toMrkdwn = (markdown: string): string => renderMarkdown(markdown, MRKDWN);
