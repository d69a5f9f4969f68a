/** The system prompt: ordered layers, each a function of its inputs; an empty one leaves nothing behind. */
import { block, escapeText, tagged } from "../escape.ts";
import { type Parts, PROMPT_LAYERS, type PromptLayerName } from "../parts.ts";
import type { Prompts } from "./files.ts";

export interface PromptInputs {
  agentName?: string | undefined;
  planMode: boolean;
  /** What the conversation is for. */
  goal?: string | undefined;
  /** What this chat can render. */
  dialect: string;
  /** Milliseconds. Only the day is told: a changing clock would make every prompt a new one for the provider's cache. */
  now: number;
  parts: Parts["prompt"];
}

export function promptLayers(prompts: Prompts, inputs: PromptInputs): Partial<Record<PromptLayerName, string>> {
  return {
    ...inputs.parts,
    role: prompts.fill("role", { name: inputs.agentName ?? "planbridge" }),
    thinking_style: prompts.text("thinking-style"),
    clarification_system: prompts.text("clarification"),
    citations: prompts.text("citations"),
    channel_dialect: tagged("channel_dialect", inputs.dialect),
    critical_reminders: prompts.text("critical-reminders"),
    todo_list_system: inputs.planMode ? prompts.text("todo-system") : "",
    goal: inputs.goal ? block("goal", prompts.fill("goal", { goal: escapeText(inputs.goal) })) : "",
    current_date: tagged("current_date", day(inputs.now)),
  };
}

export function systemPrompt(layers: Partial<Record<PromptLayerName, string>>): string {
  return PROMPT_LAYERS.map((name) => layers[name]?.trim() ?? "")
    .filter((text) => text !== "")
    .join("\n\n");
}

function day(now: number): string {
  const weekday = new Date(now).toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
  return `${new Date(now).toISOString().slice(0, 10)}, ${weekday} (UTC)`;
}
