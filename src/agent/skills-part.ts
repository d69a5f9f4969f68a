/** Skills for one run: the list in the prompt, the text of one that was called by name, and tools to write new ones. */
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { stringify } from "yaml";
import { z } from "zod";
import { parseFrontMatter } from "./front-matter.ts";
import type { PartContext, Parts } from "./parts.ts";
import type { Prompts } from "./prompt/files.ts";
import { SKILL_NAME, type Skill } from "./skill-files.ts";
import { calledSkill, type SkillBook, skillSection } from "./skills.ts";

export interface SkillsPart {
  book: SkillBook;
  skills: Skill[];
  prompts: Prompts;
  /** Where new skills are written; absent: the agent writes none. */
  customDir?: string | undefined;
}

const MAX_BODY = 50_000;

export async function skillsPart(
  { book, skills, prompts, customDir }: SkillsPart,
  { text }: PartContext,
): Promise<Partial<Parts>> {
  const called = calledSkill(text);
  // Only a skill this agent has; another agent's is just a word.
  const active = skills.some((skill) => skill.name === called) ? await book.activate(called ?? "") : undefined;
  const use = active ? `\nThe person called this skill by name; follow it now.\n${active}` : "";
  return {
    tools: customDir === undefined ? [] : [createSkillTool(customDir), patchSkillTool(customDir)],
    interruptOn: customDir === undefined ? {} : { create_skill: "admin", patch_skill: "admin" },
    prompt: { skill_system: skillSection(skills, prompts) + use },
    lines: {
      create_skill: (args) => `Writing the skill ${String(args.name)}`,
      patch_skill: (args) => `Changing the skill ${String(args.name)}`,
    },
  };
}

const name = z.string().max(64).regex(SKILL_NAME).describe("Lower-case letters, digits and hyphens");

function createSkillTool(customDir: string): StructuredToolInterface {
  return tool(
    async ({ name: skill, description, instructions }) => {
      const folder = join(customDir, skill);
      await mkdir(customDir, { recursive: true });
      if (await stat(folder).catch(() => undefined)) throw new Error(`There is a custom skill ${skill} already.`);
      await mkdir(folder);
      const head = stringify({ name: skill, description: description.replace(/\s+/g, " ") });
      await save(join(folder, "SKILL.md"), `---\n${head}---\n${instructions.trim()}\n`);
      return `The skill ${skill} is there from the next message on.`;
    },
    {
      name: "create_skill",
      description: "Write down a new skill for later conversations. A person must approve it.",
      schema: z.object({
        name,
        description: z.string().min(1).max(1000).describe("When to use it, one or two sentences"),
        instructions: z.string().min(1).max(MAX_BODY).describe("Markdown"),
      }),
    },
  );
}

function patchSkillTool(customDir: string): StructuredToolInterface {
  return tool(
    async ({ name: skill, old_string, new_string }) => {
      const path = join(customDir, skill, "SKILL.md");
      const before = await readFile(path, "utf8").catch(() => {
        throw new Error(`There is no custom skill ${skill}; only custom skills can be changed.`);
      });
      const pieces = before.split(old_string);
      if (pieces.length !== 2) throw new Error(`old_string must occur exactly once, not ${pieces.length - 1} times.`);
      const after = pieces.join(new_string);
      parseFrontMatter(after);
      if (after.length > MAX_BODY) throw new Error(`The skill would be longer than ${MAX_BODY} characters.`);
      await save(path, after);
      return `The skill ${skill} is changed from the next message on.`;
    },
    {
      name: "patch_skill",
      description: "Change a passage of a custom skill. A person must approve it.",
      schema: z.object({ name, old_string: z.string().min(1), new_string: z.string() }),
    },
  );
}

async function save(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { mode: 0o600 });
  await rename(`${path}.part`, path);
}
