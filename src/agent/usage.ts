/** What a run costs, seen from every model call that happens under it, summaries and subagents included. */
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage } from "@langchain/core/messages";
import type { ChatGeneration, LLMResult } from "@langchain/core/outputs";
import type { Usage } from "../types.ts";

export class UsageMeter extends BaseCallbackHandler {
  override name = "usage-meter";
  override awaitHandlers = true;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, modelCalls: 0 };
  readonly #changed: (usage: Usage) => void;

  constructor(changed: (usage: Usage) => void) {
    super();
    this.#changed = changed;
  }

  /** A run that goes on has spent something before. */
  startFrom(before: Usage): void {
    this.#usage = before;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get tokens(): number {
    return this.#usage.inputTokens + this.#usage.outputTokens;
  }

  override handleLLMEnd(output: LLMResult): void {
    const { inputTokens, outputTokens, modelCalls } = this.#usage;
    const used = usageOf(output);
    keepFinishReason(output);
    this.#usage = {
      inputTokens: inputTokens + used.input,
      outputTokens: outputTokens + used.output,
      modelCalls: modelCalls + 1,
    };
    this.#changed(this.#usage);
  }
}

/** When a client streams, why the model stopped stays behind in the generation; the middleware see only the message. */
function keepFinishReason(output: LLMResult): void {
  const generation = firstOf(output);
  const reason: unknown = generation?.generationInfo?.finish_reason;
  if (!generation || typeof reason !== "string") return;
  const { message } = generation;
  message.response_metadata = { finish_reason: reason, ...message.response_metadata };
}

function usageOf(output: LLMResult): { input: number; output: number } {
  const message = firstOf(output)?.message;
  const usage = AIMessage.isInstance(message) ? message.usage_metadata : undefined;
  return { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 };
}

function firstOf(output: LLMResult): ChatGeneration | undefined {
  const generation = output.generations[0]?.[0];
  return generation && "message" in generation ? (generation as ChatGeneration) : undefined;
}
