/** Skills in the prompt: names and descriptions only; the text of one is read when it is used. */
import { join } from "node:path";
import type { Log } from "../log.ts";
import { block, escapeText, tagged } from "./escape.ts";
import type { Prompts } from "./prompt/files.ts";
import { createSkillScanner, readSkill, type Skill } from "./skill-files.ts";
import type { Mount } from "./tools/mounts.ts";

/** Only for the agent that makes agents; not offered elsewhere. */
export const BOOTSTRAP_SKILL = "bootstrap";

export interface SkillBook {
  list(): Promise<Skill[]>;
  /** An agent's list: absent = all, [] = none, else those. */
  enabled(names: string[] | undefined): Promise<Skill[]>;
  /** The text of a skill for `/name …`, escaped and tagged; undefined: there is no such skill. */
  activate(name: string): Promise<string | undefined>;
}

export function createSkillBook(dirs: string[], log: Log): SkillBook {
  const scan = createSkillScanner(dirs, log);
  return {
    list: async () => (await scan()).filter((skill) => skill.name !== BOOTSTRAP_SKILL),
    async enabled(names) {
      const skills = await scan();
      if (!names) return skills.filter((skill) => skill.name !== BOOTSTRAP_SKILL);
      const missing = names.filter((name) => !skills.some((skill) => skill.name === name));
      if (missing.length > 0) log.warn({ skills: missing }, "an agent lists skills that are not installed");
      return skills.filter((skill) => names.includes(skill.name));
    },
    async activate(name) {
      const skill = (await scan()).find((entry) => entry.name === name);
      if (!skill) return undefined;
      const { body } = await readSkill(join(skill.dir, "SKILL.md"));
      return tagged("skill", body, { name, folder: folderOf(skill) });
    },
  };
}

/** `/name rest` at the beginning of a message. */
export function calledSkill(text: string): string | undefined {
  return /^\/([a-z0-9-]{1,64})(?=\s|$)/.exec(text.trimStart())?.[1];
}

function folderOf(skill: Pick<Skill, "name">): string {
  return `/skills/${skill.name}/`;
}

export function skillMounts(skills: Skill[]): Mount[] {
  return skills.map(({ name, dir }) => ({ name: `skills/${name}`, dir, writable: false }));
}

/** Depends on names and descriptions alone: bodies never make it longer. */
export function skillSection(skills: Skill[], prompts: Prompts): string {
  if (skills.length === 0) return "";
  const entries = skills.map((skill) =>
    block("skill", [field("name", skill.name), field("description", skill.description), location(skill)].join("\n")),
  );
  return block("skill_system", `${prompts.text("skills")}\n${block("available_skills", entries.join("\n"))}`);
}

const field = (name: string, value: string): string => `<${name}>${escapeText(value.replace(/\s+/g, " "))}</${name}>`;
const location = (skill: Skill): string => field("location", `${folderOf(skill)}SKILL.md`);
