/** SKILL.md files to a list of skills. Broken ones are left out and named in the log, once per change. */
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { isInside } from "./tools/mounts.ts";

export interface Skill {
  name: string;
  description: string;
  /** Advice of its author: the tools it was written for. */
  allowedTools: string[];
  license?: string | undefined;
  /** Its folder on this machine; files beside SKILL.md belong to it. */
  dir: string;
}

export const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_FILE = 200_000;

const frontMatter = z.object({
  name: z.string().max(64).regex(SKILL_NAME, "name must be lower-case letters, digits and single hyphens"),
  description: z.string().trim().min(1).max(1024),
  "allowed-tools": z
    .union([z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean)), z.array(z.string())])
    .nullish(),
  license: z.string().nullish(),
});

interface SkillFile {
  path: string;
  dir: string;
  /** Changes with the file. */
  signature: string;
}

/** Later folders win, so a custom skill replaces a public one of its name. */
export function createSkillScanner(dirs: string[], log: Log): () => Promise<Skill[]> {
  let known: { signature: string; skills: Skill[] } | undefined;
  return async () => {
    const files = (await Promise.all(dirs.map(skillFiles))).flat();
    const signature = files.map((file) => file.signature).join("\n");
    if (known?.signature === signature) return known.skills;
    const parsed = await Promise.all(files.map((file) => parseSkill(file, log)));
    const byName = new Map(parsed.filter((skill) => skill !== undefined).map((skill) => [skill.name, skill]));
    const skills = [...byName.values()].sort((one, two) => (one.name < two.name ? -1 : 1));
    known = { signature, skills };
    return skills;
  };
}

async function skillFiles(dir: string): Promise<SkillFile[]> {
  // A folder that is not there holds no skills: custom/ appears with the first one.
  const root = await realpath(dir).catch(() => undefined);
  if (root === undefined) return [];
  const names = (await readdir(root)).sort();
  const found = await Promise.all(names.map((name) => skillFile(root, join(root, name))));
  return found.filter((file) => file !== undefined);
}

async function skillFile(root: string, dir: string): Promise<SkillFile | undefined> {
  try {
    const path = await realpath(join(dir, "SKILL.md"));
    if (!isInside(root, path)) return undefined;
    const { mtimeMs, ctimeMs, size } = await stat(path);
    return { path, dir, signature: [path, mtimeMs, ctimeMs, size].join("|") };
  } catch {
    return undefined; // A folder without SKILL.md, or a plain file such as a README.
  }
}

async function parseSkill({ path, dir }: SkillFile, log: Log): Promise<Skill | undefined> {
  try {
    const { name, description, license, ...rest } = frontMatter.parse((await readSkill(path)).data);
    return { name, description, license: license ?? undefined, allowedTools: rest["allowed-tools"] ?? [], dir };
  } catch (error) {
    log.warn({ file: path, error: problemOf(error) }, "skill left out: its SKILL.md cannot be used");
    return undefined;
  }
}

export async function readSkill(path: string): Promise<{ data: unknown; body: string }> {
  const { size } = await stat(path);
  if (size > MAX_FILE) throw new Error(`it has ${size} bytes, more than ${MAX_FILE}`);
  return parseFrontMatter(await readFile(path, "utf8"));
}

export function problemOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return messageOf(error).split("\n")[0] ?? "";
  return error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
}
