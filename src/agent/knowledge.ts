/** What chat commands may ask of the agent's floor: skills, agents, remembered facts. */
import type { Agents } from "./agents.ts";
import { type Fact, type MemoryStore, scopeOf } from "./memory.ts";
import type { SkillBook } from "./skills.ts";

export interface Knowledge {
  skills(): Promise<{ name: string; description: string }[]>;
  agents(): Promise<{ name: string; description: string }[]>;
  facts(scope: "user" | "chat", id: string): Promise<Fact[]>;
  forgetFact(scope: "user" | "chat", id: string, fact: string): Promise<boolean>;
  clearFacts(scope: "user" | "chat", id: string): Promise<void>;
}

export function createKnowledge(skills: SkillBook, agents: Agents, memory: MemoryStore | undefined): Knowledge {
  return {
    skills: async () => (await skills.list()).map(({ name, description }) => ({ name, description })),
    agents: () => agents.list(),
    facts: async (scope, id) => (await memory?.list(scopeOf(scope, id))) ?? [],
    forgetFact: async (scope, id, fact) => (await memory?.remove(scopeOf(scope, id), fact)) ?? false,
    clearFacts: async (scope, id) => memory?.clear(scopeOf(scope, id)),
  };
}
