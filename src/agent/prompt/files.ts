/** The prompt texts in config/prompts, read once. `{name}` in a text is filled in by code. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

export interface Prompts {
  text(name: string): string;
  fill(name: string, values: Record<string, string>): string;
}

export function loadPrompts(root: string): Prompts {
  const dir = join(root, "config", "prompts");
  const files = readdirSync(dir).filter((file) => file.endsWith(".md"));
  const texts = new Map(files.map((file) => [basename(file, ".md"), readFileSync(join(dir, file), "utf8").trim()]));
  const text = (name: string) => {
    const found = texts.get(name);
    if (found === undefined) throw new Error(`config/prompts/${name}.md is missing`);
    return found;
  };
  return { text, fill: (name, values) => fill(text(name), values) };
}

function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
