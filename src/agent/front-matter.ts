/** `---` YAML `---` text: the shape of SKILL.md. */
import { parse } from "yaml";

export interface Document {
  data: unknown;
  body: string;
}

/** Throws with one sentence when the front matter is missing or no YAML. */
export function parseFrontMatter(text: string): Document {
  const match = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match) throw new Error("it does not begin with front matter between two lines of ---");
  return { data: parse(match[1] ?? "", { maxAliasCount: 10 }), body: text.slice(match[0].length).trim() };
}
