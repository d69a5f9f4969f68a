/** Telegram's HTML mode as the server reads it: what is refused, and what text is left after parsing. */

export interface Parsed {
  text: string;
  entities: { type: string; offset: number; length: number; url?: string }[];
}

export class ParseError extends Error {}

const TAGS: Record<string, string> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  code: "code",
  pre: "pre",
  a: "text_link",
  blockquote: "blockquote",
  "tg-spoiler": "spoiler",
  span: "spoiler",
};
const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

export function parseHtml(html: string): Parsed {
  const open: { tag: string; offset: number; url?: string }[] = [];
  const entities: Parsed["entities"] = [];
  let text = "";
  for (let at = 0; at < html.length; ) {
    if (html[at] !== "<") {
      const [piece, next] = readText(html, at);
      text += piece;
      at = next;
      continue;
    }
    const end = html.indexOf(">", at);
    const inner = end === -1 ? "" : html.slice(at + 1, end);
    const name = /^\/?([a-z-]+)/i.exec(inner)?.[1]?.toLowerCase() ?? "";
    if (!(name in TAGS) || (name === "span" && !/class="tg-spoiler"|^\/span/.test(inner))) {
      throw new ParseError(`Unsupported start tag "${name}" at byte offset ${Buffer.byteLength(html.slice(0, at))}`);
    }
    at = end + 1;
    if (!inner.startsWith("/")) {
      open.push({ tag: name, offset: text.length, ...hrefOf(inner) });
      continue;
    }
    const last = open.pop();
    if (last?.tag !== name)
      throw new ParseError(`Unmatched end tag, expected "</${last?.tag ?? ""}>", found "</${name}>"`);
    const { tag: _, offset, ...rest } = last;
    if (text.length > offset)
      entities.push({ type: TAGS[name] ?? name, offset, length: text.length - offset, ...rest });
  }
  const unclosed = open.pop();
  if (unclosed) throw new ParseError(`Can't find end tag corresponding to start tag "${unclosed.tag}"`);
  return { text: text.trim(), entities };
}

function readText(html: string, at: number): [string, number] {
  if (html[at] !== "&") return [html[at] ?? "", at + 1];
  const match = /^&(?:#(\d+)|#x([\da-f]+)|([a-z]+));/i.exec(html.slice(at, at + 12));
  if (!match) return ["&", at + 1];
  const code = match[1] ? Number(match[1]) : match[2] ? Number.parseInt(match[2], 16) : undefined;
  const char = code === undefined ? NAMED[match[3] ?? ""] : String.fromCodePoint(code);
  return char === undefined ? ["&", at + 1] : [char, at + match[0].length];
}

function hrefOf(inner: string): { url?: string } {
  const href = /href="([^"]*)"/.exec(inner)?.[1];
  return href === undefined ? {} : { url: decode(href) };
}

function decode(text: string): string {
  let decoded = "";
  for (let at = 0; at < text.length; ) {
    const [piece, next] = readText(text, at);
    decoded += piece;
    at = next;
  }
  return decoded;
}
