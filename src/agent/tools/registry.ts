/** Which tools a run has in the end: one per name, and only what its rules leave. */
import type { StructuredToolInterface } from "@langchain/core/tools";

export interface ToolRules {
  /** Names or `*` patterns. Absent: everything. */
  allow?: string[] | undefined;
  deny?: string[] | undefined;
}

/** Deny wins. */
export function isAllowed(name: string, rules: ToolRules | undefined): boolean {
  if (rules?.deny?.some((pattern) => matchesName(name, pattern))) return false;
  return rules?.allow?.some((pattern) => matchesName(name, pattern)) ?? true;
}

/** `*` is any text; everything else is literal. */
export function matchesName(name: string, pattern: string): boolean {
  const [head = "", ...tails] = pattern.split("*");
  const last = tails.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(head)) return false;
  let at = head.length;
  for (const part of tails) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** The first tool of a name stays: a server from outside cannot take the place of a built-in. */
export function distinct<T extends Pick<StructuredToolInterface, "name">>(
  tools: T[],
  onDuplicate: (name: string) => void,
): T[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => {
    if (!seen.has(name)) return seen.add(name);
    onDuplicate(name);
    return false;
  });
}
