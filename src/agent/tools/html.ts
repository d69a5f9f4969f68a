/**
 * HTML to readable text in one pass over the tags. No tree is built and nothing backtracks,
 * so a hostile page costs no more than its length.
 */
const DROPPED = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "head",
  "title",
  "select",
]);
const BLOCKS = new Set(
  "address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul".split(
    " ",
  ),
);

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  euro: "€",
  pound: "£",
  times: "×",
};

interface Tag {
  name: string;
  closing: boolean;
  attributes: string;
  end: number;
}

interface Link {
  target: string;
  /** Number of pieces before its text. */
  from: number;
}

export interface Page {
  title: string;
  text: string;
}

export function readableText(html: string, base: URL): Page {
  // ASCII only: other letters may change their length, and positions must stay the same.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  // Pieces, joined at the end: cutting one growing string would copy it for every link.
  const out: string[] = [];
  let link: Link | undefined;
  let at = 0;
  for (let open = html.indexOf("<"); open !== -1; open = html.indexOf("<", at)) {
    out.push(plain(html.slice(at, open)));
    const tag = tagAt(html, open) ?? { name: "<", closing: false, attributes: "", end: open + 1 };
    at = !tag.closing && DROPPED.has(tag.name) ? endOf(lower, tag) : tag.end;
    if (tag.name !== "a") out.push(markOf(tag));
    else {
      if (link) closeLink(out, link);
      link = tag.closing ? undefined : { target: linkTarget(tag.attributes, base), from: out.length };
    }
  }
  out.push(plain(html.slice(at)));
  return { title: titleOf(html), text: tidy(out.join("")) };
}

function plain(text: string): string {
  return decode(text).replace(/\s+/g, " ");
}

/** Undefined: this `<` is text. Comments and doctypes are tags without a name. */
function tagAt(html: string, open: number): Tag | undefined {
  if (html.startsWith("<!--", open)) return nameless(html, html.indexOf("-->", open), 3);
  if (html[open + 1] === "!" || html[open + 1] === "?") return nameless(html, html.indexOf(">", open), 1);
  if (!/[a-z/]/i.test(html[open + 1] ?? "")) return undefined;
  const head = /^<(\/?)([a-zA-Z][a-zA-Z0-9-]*)/.exec(html.slice(open, open + 40));
  if (!head) return undefined;
  const close = html.indexOf(">", open);
  const end = close === -1 ? html.length : close + 1;
  const attributes = html.slice(open + head[0].length, Math.min(end - 1, open + 4000));
  return { name: (head[2] ?? "").toLowerCase(), closing: head[1] === "/", attributes, end };
}

function nameless(html: string, close: number, length: number): Tag {
  return { name: "", closing: false, attributes: "", end: close === -1 ? html.length : close + length };
}

/** Behind the closing tag of an element whose content is not for readers. */
function endOf(lower: string, tag: Tag): number {
  const closing = lower.indexOf(`</${tag.name}`, tag.end);
  const close = closing === -1 ? -1 : lower.indexOf(">", closing);
  return close === -1 ? lower.length : close + 1;
}

function markOf({ name, closing }: Tag): string {
  if (name === "<") return name;
  if (/^h[1-6]$/.test(name)) return closing ? "\n\n" : `\n\n${"#".repeat(Number(name[1]))} `;
  if (name === "li") return closing ? "" : "\n- ";
  if (name === "p" || name === "table" || name === "pre") return "\n\n";
  if (name === "td" || name === "th") return closing ? " | " : "";
  return BLOCKS.has(name) ? "\n" : "";
}

function linkTarget(attributes: string, base: URL): string {
  const match = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes);
  const href = match?.[1] ?? match?.[2] ?? match?.[3];
  const url = href === undefined ? null : URL.parse(decode(href), base.href);
  return url && /^https?:$/.test(url.protocol) && url.href.length < 500 ? url.href : "";
}

function closeLink(out: string[], { target, from }: Link): void {
  const text = out.splice(from).join("");
  const bare = target === "" || text.trim() === "" || text.includes("\n");
  out.push(bare ? text : `[${text.trim()}](${target})`);
}

function titleOf(html: string): string {
  const match = /<title[^>]{0,200}>([^<]{0,1000})/i.exec(html.slice(0, 100_000));
  return decode(match?.[1] ?? "")
    .replace(/\s+/g, " ")
    .trim();
}

function decode(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return NAMED[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "";
  });
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/[ \t\u00a0]+/g, " ").trim());
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
