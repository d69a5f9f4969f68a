/** Markdown as Telegram's HTML. */
import { concat, type Dialect, roundBullet } from "../markdown/dialect.ts";
import { isSameTarget } from "../markdown/plain-dialect.ts";
import { renderMarkdown } from "../markdown/render.ts";

export { plainText } from "../markdown/plain.ts";

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const attribute = (text: string): string => escapeHtml(text).replaceAll('"', "&quot;");

const wrap = (tag: string, inner: string): string => `<${tag}>${inner}</${tag}>`;

function fence(value: string, language: string): string {
  if (language === "") return wrap("pre", escapeHtml(value));
  return wrap("pre", `<code class="language-${attribute(language)}">${escapeHtml(value)}</code>`);
}

function link(url: string, label: string, plain: string): string {
  const words = label.trim() === "" ? escapeHtml(url) : label;
  return isSameTarget(url, plain) ? words : `<a href="${attribute(url)}">${words}</a>`;
}

/** Quotes cannot stand in quotes; the inner one keeps its signs. */
function quote(lines: { text: string; fixed: boolean }[]): { text: string; fixed: boolean }[] {
  const flat = lines.map((line) => ({ ...line, text: line.text.replace(/<\/?blockquote>/g, "") }));
  const [first, last] = [flat[0], flat.at(-1)];
  if (first === undefined || last === undefined) return [];
  first.text = `<blockquote>${first.text}`;
  last.text = `${last.text}</blockquote>`;
  return flat;
}

const HTML: Dialect = {
  text: escapeHtml,
  code: (value) => wrap("code", escapeHtml(value)),
  fence,
  strong: (inner) => wrap("b", inner),
  emphasis: (inner) => wrap("i", inner),
  strike: (inner) => wrap("s", inner),
  link,
  heading: (inner) => wrap("b", inner),
  quote,
  join: concat,
  line: (text) => text,
  bullet: roundBullet,
  number: (value) => `${value}.`,
  rule: "———",
  boldHeading: () => true,
};

/** Only tags that Telegram knows, each closed in its order, whatever the Markdown is. */
export const toTelegramHtml = (markdown: string): string => renderMarkdown(markdown, HTML);
