/** `$NAME` in string values, read from the environment. `$$` is a plain dollar sign. Pure. */
import { isRecord, type Path } from "./parse.ts";

export type Environment = Record<string, string | undefined>;

export interface Unset {
  path: Path;
  /** The variable that is not set. */
  name: string;
}

export interface Expansion {
  data: Record<string, unknown>;
  /** Values that came from the environment: never to be logged. */
  secrets: string[];
  unset: Unset[];
}

const VARIABLE = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/** A string with an unset variable is left as it is written. An empty variable counts as unset. */
export function expand(data: Record<string, unknown>, env: Environment): Expansion {
  const secrets = new Set<string>();
  const unset: Unset[] = [];
  const text = (written: string, path: Path) =>
    written.replace(VARIABLE, (match, bare?: string, braced?: string) => {
      const name = bare ?? braced;
      if (name === undefined) return "$";
      const value = env[name];
      if (value) secrets.add(value);
      else unset.push({ path, name });
      return value || match;
    });
  const walk = (value: unknown, path: Path): unknown => {
    if (typeof value === "string") return text(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  };
  return { data: walk(data, []) as Record<string, unknown>, secrets: [...secrets], unset };
}
