/** Who the agent is: its soul in the prompt, and the tools that write one. */
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import type { Config } from "../../config/schema.ts";
import { type AgentDefinition, type Agents, DEFAULT_AGENT } from "./agents.ts";
import { block, tagged } from "./escape.ts";
import type { PartContext, Parts } from "./parts.ts";
import type { Prompts } from "./prompt/files.ts";
import { BOOTSTRAP_SKILL, type SkillBook } from "./skills.ts";

/** A person's own copy speaks only where nobody else listens. */
export async function soulPart(
  agents: Agents,
  agent: AgentDefinition | undefined,
  { run, log }: PartContext,
  prompts: Prompts,
): Promise<Partial<Parts>> {
  if (run.agent_name && !agent && run.agent_name !== DEFAULT_AGENT)
    log.warn({ agent: run.agent_name }, "no such agent; the default one answers");
  const name = agent?.name ?? DEFAULT_AGENT;
  const soul = tagged("soul", await agents.soul(name, run.private === true ? run.user_id : undefined));
  if (!agent?.custom || run.private !== true) return { prompt: { soul } };
  return {
    prompt: { soul, self_update: prompts.text("self-update") },
    tools: [updateAgentTool(agents, name, run.user_id)],
    lines: { update_agent: () => "Changing itself" },
  };
}

function updateAgentTool(agents: Agents, name: string, userId: string): StructuredToolInterface {
  return tool(
    async ({ soul }) => {
      await agents.saveOwnSoul(name, userId, soul);
      return "Saved for this person. It takes effect with the next message.";
    },
    {
      name: "update_agent",
      description: "Replace your soul for the person you talk to. Give the whole new text.",
      schema: z.object({ soul: z.string().min(1) }),
    },
  );
}

export interface Bootstrap {
  agents: Agents;
  skills: SkillBook;
  prompts: Prompts;
  config: Config;
}

/** The agent that makes agents: one skill, one tool. */
export async function bootstrapPart(bootstrap: Bootstrap, { run }: PartContext): Promise<Partial<Parts>> {
  const skill = (await bootstrap.skills.activate(BOOTSTRAP_SKILL)) ?? "";
  return {
    tools: [setupAgentTool(bootstrap, run.agent_name === DEFAULT_AGENT ? undefined : run.agent_name)],
    prompt: { skill_system: block("skill_system", `${bootstrap.prompts.text("bootstrap")}\n${skill}`) },
    lines: { setup_agent: (args) => `Setting up the agent ${String(run.agent_name ?? args.name ?? "")}` },
  };
}

function setupAgentTool({ agents, skills, config }: Bootstrap, fixedName?: string): StructuredToolInterface {
  return tool(
    async ({ name, soul, ...file }) => {
      // The name a person chose by command stands, whatever the model says.
      const chosen = fixedName ?? name;
      if (!chosen) throw new Error("Give the agent a name.");
      const models = config.models.map((model) => model.name);
      if (file.model && !models.includes(file.model)) throw new Error(`Unknown model. Known: ${models.join(", ")}.`);
      const known = (await skills.list()).map((skill) => skill.name);
      const unknown = file.skills?.filter((skill) => !known.includes(skill)) ?? [];
      if (unknown.length > 0) throw new Error(`Unknown skills: ${unknown.join(", ")}. Known: ${known.join(", ")}.`);
      await agents.create(chosen, file, soul);
      return `The agent ${chosen} is set up. It is used with /agent ${chosen}.`;
    },
    {
      name: "setup_agent",
      description: "Create the new agent. Call it once, when the person has agreed.",
      schema: z.object({
        name: z.string().optional().describe("Letters, digits and hyphens"),
        description: z.string().min(1).max(500).describe("What it is for, one sentence"),
        soul: z.string().min(1).describe("Who it is, in Markdown, addressed to it"),
        model: z.string().optional(),
        skills: z.array(z.string()).optional().describe("Absent: all. Empty: none"),
        tools: z.array(z.string()).optional().describe("Names or * patterns. Absent: all"),
      }),
    },
  );
}
