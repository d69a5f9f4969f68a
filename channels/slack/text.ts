/** Slack's text as people see it. `<…>` are Slack's tokens, `& < >` are entities everywhere else. */
import type { RawBlock } from "./raw.ts";

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">" };
/** Stands where our own mention was, until the spaces around it are settled. */
const US = "\u0000";

const decode = (text: string): string => text.replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name]!);
export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export interface Reading {
  selfId: string;
  /** Display name of a person, when known. */
  nameOf(userId: string): string | undefined;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

function link(target: string, label: string | undefined): string {
  const url = decode(target);
  const shown = label === undefined ? "" : decode(label);
  const bare = url.replace(/^(https?:\/\/|mailto:|tel:)/, "");
  if (url.startsWith("mailto:") || url.startsWith("tel:")) return shown || bare;
  return shown === "" || shown === url || shown === bare ? url : `${shown} (${url})`;
}

function token(body: string, reading: Reading): string {
  const bar = body.indexOf("|");
  const target = bar < 0 ? body : body.slice(0, bar);
  const label = bar < 0 ? undefined : body.slice(bar + 1);
  const rest = target.slice(1);
  switch (target[0]) {
    case "@":
      if (rest === reading.selfId) return US;
      return `@${oneLine(reading.nameOf(rest) ?? (decode(label ?? "").replace(/^@/, "") || rest))}`;
    case "#":
      return `#${decode(label ?? "") || rest}`;
    case "!":
      if (rest.startsWith("date^")) return decode(label ?? "");
      return `@${decode(label ?? "").replace(/^@/, "") || rest.replace(/^subteam\^/, "")}`;
    default:
      return link(target, label);
  }
}

function trimSpaces(text: string, side: "start" | "end"): string {
  let [from, to] = [0, text.length];
  const blank = (at: number) => text[at] === " " || text[at] === "\t";
  while (side === "start" && from < to && blank(from)) from += 1;
  while (side === "end" && to > from && blank(to - 1)) to -= 1;
  return text.slice(from, to);
}

function join(before: string, after: string): string {
  const left = trimSpaces(before, "end");
  const right = trimSpaces(after, "start");
  if (left === "") return right.replace(/^[,:;]\s?/, "");
  if (left.endsWith(",") && right.startsWith(",")) return left + right.slice(1);
  const apart = right === "" || left.endsWith("\n") || /^[\n.,:;!?)]/.test(right);
  return apart ? left + right : `${left} ${right}`;
}

/** Our own mention is gone wherever it stood; everything else is readable. Linear in the length of the text. */
export function readable(raw: string, reading: Reading): string {
  const parts = raw
    .replaceAll(US, "")
    .toWellFormed()
    .split(/<([^<>]*)>/);
  const text = parts.map((part, index) => (index % 2 === 0 ? decode(part) : token(part, reading))).join("");
  const [first = "", ...others] = text.split(US);
  return others.reduce(join, first).trim();
}

export const mentions = (raw: string, userId: string): boolean =>
  raw.includes(`<@${userId}>`) || raw.includes(`<@${userId}|`);

export const mentionedUsers = (raw: string): string[] => [
  ...new Set([...raw.matchAll(/<@([A-Z0-9]+)[|>]/g)].map((match) => match[1]!)),
];

const LEAVES: Record<string, (leaf: RawBlock) => string> = {
  text: (leaf) => escapeText(leaf.text ?? ""),
  link: (leaf) => (leaf.text ? `<${leaf.url}|${escapeText(leaf.text)}>` : `<${leaf.url}>`),
  user: (leaf) => `<@${leaf.user_id}>`,
  channel: (leaf) => `<#${leaf.channel_id}>`,
  usergroup: (leaf) => `<!subteam^${leaf.usergroup_id}>`,
  broadcast: (leaf) => `<!${leaf.range}>`,
  emoji: (leaf) => `:${leaf.name}:`,
  date: (leaf) => escapeText(leaf.fallback ?? ""),
};

function richText(block: RawBlock): string {
  const leaf = LEAVES[block.type ?? ""];
  if (leaf !== undefined) return leaf(block);
  const inner = (block.elements ?? []).map(richText);
  if (block.type === "rich_text_list") return inner.map((item) => `• ${item}`).join("\n");
  if (block.type === "rich_text_preformatted") return `\`\`\`\n${inner.join("")}\n\`\`\``;
  if (block.type === "rich_text_quote") return `&gt; ${inner.join("")}`;
  return inner.join(block.type === "rich_text" ? "\n" : "");
}

/** What people typed, from the rich text block that Slack adds; in the form of `text`. */
export const blocksText = (blocks: RawBlock[] = []): string =>
  blocks
    .filter((block) => block.type === "rich_text")
    .map(richText)
    .join("\n");
