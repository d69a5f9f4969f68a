/** Prompt texts of the parts, from config/prompts/. `{{name}}` is replaced by a value the caller has escaped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../config/load.ts";

export type Prompts = (name: string, values?: Record<string, string>) => string;

export function openPrompts(dir = join(packageRoot(), "config/prompts")): Prompts {
  const read = new Map<string, string>();
  return (name, values = {}) => {
    const text = read.get(name) ?? readFileSync(join(dir, `${name}.md`), "utf8").trim();
    read.set(name, text);
    return text.replace(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole);
  };
}
