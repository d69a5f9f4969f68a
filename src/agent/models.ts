/** Which model answers, and the client for it. Clients never retry by themselves: one place does (middleware/retry). */
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatOpenAI } from "@langchain/openai";
import type { Finding } from "../../channels/channel.ts";
import type { Config, ModelConfig } from "../../config/schema.ts";
import type { RunContext } from "../types.ts";
import { RehearsalModel } from "./rehearsal/model.ts";

export interface ChosenModel {
  config: ModelConfig;
  /** Told when the model asked for is not configured. */
  warning?: string | undefined;
}

export const REHEARSAL: ModelConfig = {
  name: "rehearsal",
  provider: "rehearsal",
  model: "",
  vision: false,
  context_window: 128_000,
  timeout_seconds: 120,
  max_retries: 0,
  use_responses_api: false,
  options: {},
  when_thinking: {},
  when_not_thinking: {},
};

/** The first name that was said wins: the run's, then the agent's; without any the first model of the config. */
export function chooseModel(models: ModelConfig[], ...names: (string | undefined)[]): ChosenModel {
  const fallback = models[0] ?? REHEARSAL;
  const asked = names.find((name) => name !== undefined);
  if (asked === undefined) return { config: fallback };
  const found = models.find(({ name }) => name === asked);
  if (found) return { config: found };
  return { config: fallback, warning: `The model ${asked} is not configured; ${fallback.name} answers instead.` };
}

type Thinking = Pick<RunContext, "thinking_enabled" | "reasoning_effort">;

export function createModel(config: ModelConfig, thinking: Thinking): BaseChatModel {
  switch (config.provider) {
    case "openai":
      return openai(config, thinking);
    case "anthropic":
      return anthropic(config, thinking);
    case "rehearsal":
      return new RehearsalModel({ delayMs: Number(config.options.delay_ms ?? 0) });
  }
}

function openai(config: ModelConfig, thinking: Thinking): BaseChatModel {
  const { reasoning_effort: effort, thinking_enabled } = thinking;
  return new ChatOpenAI({
    model: config.model,
    // A local server needs no key, the client insists on one.
    ...(config.api_key || config.base_url ? { apiKey: config.api_key ?? "none" } : {}),
    configuration: config.base_url === undefined ? {} : { baseURL: config.base_url },
    maxRetries: 0,
    timeout: config.timeout_seconds * 1_000,
    useResponsesApi: config.use_responses_api,
    ...(config.max_output_tokens === undefined ? {} : { maxTokens: config.max_output_tokens }),
    ...(effort !== undefined && thinking_enabled ? { reasoning: { effort } } : {}),
    ...extras(config, thinking_enabled),
  });
}

function anthropic(config: ModelConfig, { thinking_enabled }: Thinking): BaseChatModel {
  return new ChatAnthropic({
    model: config.model,
    ...(config.api_key === undefined ? {} : { apiKey: config.api_key }),
    ...(config.base_url === undefined ? {} : { anthropicApiUrl: config.base_url }),
    maxRetries: 0,
    clientOptions: { timeout: config.timeout_seconds * 1_000 },
    ...(config.max_output_tokens === undefined ? {} : { maxTokens: config.max_output_tokens }),
    ...extras(config, thinking_enabled),
  });
}

function extras(config: ModelConfig, thinking: boolean): Record<string, unknown> {
  return { ...config.options, ...(thinking ? config.when_thinking : config.when_not_thinking) };
}

/** Models tried in order when the chosen one fails. The rehearsal never stands in for a real one. */
export function fallbackModels(config: Config, chosen: ModelConfig, thinking: Thinking): BaseChatModel[] {
  return config.model_fallback
    .filter((name) => name !== chosen.name)
    .flatMap((name) => config.models.filter((model) => model.name === name && model.provider !== "rehearsal"))
    .map((model) => createModel(model, thinking));
}

/** For `doctor`: asks each provider for its list of models, which costs nothing and needs a valid key. */
export async function checkModels(config: Config): Promise<Finding[]> {
  if (config.models.length === 0) return [{ level: "ok", text: "models: none, the built-in rehearsal answers" }];
  return Promise.all(config.models.map(checkModel));
}

async function checkModel(model: ModelConfig): Promise<Finding> {
  const name = `model ${model.name}`;
  if (model.provider === "rehearsal") return { level: "ok", text: `${name}: built in` };
  try {
    const response = await fetch(...listRequest(model));
    if (response.status === 401 || response.status === 403)
      return { level: "error", text: `${name}: the provider refuses the key; check api_key` };
    if (!response.ok)
      return { level: "warn", text: `${name}: the provider answers ${response.status} to a list of models` };
    return { level: "ok", text: `${name}: reachable, the key is accepted` };
  } catch {
    return { level: "error", text: `${name}: cannot be reached; check base_url and the network` };
  }
}

function listRequest({ provider, base_url, api_key = "" }: ModelConfig): [string, RequestInit] {
  const signal = AbortSignal.timeout(10_000);
  if (provider === "anthropic") {
    const headers = { "x-api-key": api_key, "anthropic-version": "2023-06-01" };
    return [`${base_url ?? "https://api.anthropic.com"}/v1/models`, { headers, signal }];
  }
  const headers = { authorization: `Bearer ${api_key}` };
  return [`${(base_url ?? "https://api.openai.com/v1").replace(/\/$/, "")}/models`, { headers, signal }];
}
