/** Markdown as the part of it that Discord shows. */
import { concat, type Dialect, markLines, softenFences } from "../markdown/dialect.ts";
import { isSameTarget } from "../markdown/plain-dialect.ts";
import { renderMarkdown } from "../markdown/render.ts";

const WORD = /[\p{L}\p{N}]/u;
const isSpace = (text: string): boolean => /^\s?$/.test(text);

/** Signs that stay as they are where Discord does not read them as markup: `5 * 400`, `snake_case`, one pipe. */
function isPlain(sign: string, before: string, after: string): boolean {
  if (isSpace(before) && isSpace(after)) return true;
  if (sign === "_") return WORD.test(before) && WORD.test(after);
  if (sign === "\\") return !/^[!-/:-@[-`{-~]/.test(after);
  return sign === "|" || sign === "~" ? before !== sign && after !== sign : false;
}

function text(value: string): string {
  const escaped = value.replace(/[\\*_`|~]/g, (sign: string, at: number) =>
    isPlain(sign, value[at - 1] ?? "", value[at + 1] ?? "") ? sign : `\\${sign}`,
  );
  return escaped.replaceAll("](", "\\](");
}

/** Text that would be a heading, small print, a quote or a list at the beginning of a line. */
const line = (shown: string): string =>
  shown.replace(/^(#{1,3} |-# |>|[-*] )/, "\\$1").replace(/^(\d{1,9})([.)] )/, "$1\\$2");

function code(value: string): string {
  const longest = Math.max(0, ...[...value.matchAll(/`+/g)].map(([run]) => run.length));
  // Discord knows one and two backticks.
  if (longest === 0) return `\`${value}\``;
  const space = value.startsWith("`") || value.endsWith("`") ? " " : "";
  return longest === 1 ? `\`\`${space}${value}${space}\`\`` : text(value);
}

function link(url: string, label: string, plain: string): string {
  if (isSameTarget(url, plain)) return url.replace(/^mailto:/, "");
  // Discord shows the source of a link whose words look like another address.
  if (/https?:\/\//i.test(plain)) return `${label} (${url})`;
  return `[${label.replaceAll("\n", " ")}](${hasBalancedBrackets(url) ? url : encodeBrackets(url)})`;
}

const encodeBrackets = (url: string): string => url.replaceAll("(", "%28").replaceAll(")", "%29");

function hasBalancedBrackets(url: string): boolean {
  let open = 0;
  for (const sign of url) {
    if (sign === "(") open += 1;
    else if (sign === ")") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

const DISCORD: Dialect = {
  text,
  code,
  fence: (value, language) => `\`\`\`${language}\n${softenFences(value)}\n\`\`\``,
  strong: (inner) => markLines(inner, "**"),
  emphasis: (inner) => markLines(inner, "*"),
  strike: (inner) => markLines(inner, "~~"),
  link,
  heading: (inner, depth) => {
    const words = inner.replaceAll("\n", " ");
    return depth <= 3 ? `${"#".repeat(depth)} ${words}` : markLines(words, "**");
  },
  quote: (lines) => lines.map((shown) => ({ ...shown, text: `> ${shown.text}` })),
  join: concat,
  line,
  bullet: () => "-",
  number: (value) => `${value}.`,
  rule: "──────────",
  boldHeading: (depth) => depth > 3,
};

export const toDiscord = (markdown: string): string => renderMarkdown(markdown, DISCORD);
