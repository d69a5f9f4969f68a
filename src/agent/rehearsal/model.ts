/** A chat model without a model: deterministic, offline, speaking the real tool protocol. Never a stand-in for one. */
import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { type Move, nextMove } from "./decide.ts";

interface CallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

export interface RehearsalOptions {
  /** Waits before each step, so that a plan can be watched. */
  delayMs?: number;
}

export class RehearsalModel extends BaseChatModel<CallOptions, AIMessageChunk> {
  readonly #delayMs: number;

  constructor(options: RehearsalOptions = {}) {
    super({});
    this.#delayMs = options.delayMs ?? 0;
  }

  _llmType(): string {
    return "rehearsal";
  }

  override bindTools(tools: BindToolsInput[], options?: Partial<CallOptions>): Runnable<BaseMessage[], AIMessageChunk> {
    return this.withConfig({ ...options, tools } as Partial<CallOptions>) as unknown as Runnable<
      BaseMessage[],
      AIMessageChunk
    >;
  }

  async _generate(messages: BaseMessage[], options: CallOptions, run?: CallbackManagerForLLMRun): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options, run)) {
      whole = whole ? whole.concat(chunk) : chunk;
    }
    if (!whole) throw new Error("The rehearsal has no next move.");
    return { generations: [{ text: whole.text, message: whole.message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: CallOptions,
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    if (this.#delayMs > 0) await sleep(this.#delayMs, undefined, { signal: options.signal });
    const move = nextMove(messages, (options.tools ?? []).map(nameOf));
    for (const piece of move.text.match(/\S+\s*|\s+/gu) ?? []) {
      yield chunkOf(new AIMessageChunk(piece), piece);
      await run?.handleLLMNewToken(piece);
    }
    yield chunkOf(lastChunk(move, messages), "");
  }
}

function chunkOf(message: AIMessageChunk, text: string): ChatGenerationChunk {
  return new ChatGenerationChunk({ message, text });
}

/** Tokens are told as a rough count, so that budgets and usage lines can be tried as well. */
function lastChunk(move: Move, messages: BaseMessage[]): AIMessageChunk {
  const read = messages.reduce((sum, message) => sum + Math.ceil(message.text.length / 4), 0);
  const wrote = Math.ceil((move.text.length + JSON.stringify(move.calls).length) / 4);
  return new AIMessageChunk({
    content: "",
    tool_call_chunks: move.calls.map(({ name, args }, index) => ({
      type: "tool_call_chunk",
      index,
      id: `call_${messages.length}_${index}`,
      name,
      args: JSON.stringify(args),
    })),
    usage_metadata: { input_tokens: read, output_tokens: wrote, total_tokens: read + wrote },
    response_metadata: { model_provider: "rehearsal", finish_reason: move.calls.length > 0 ? "tool_calls" : "stop" },
  });
}

function nameOf(tool: BindToolsInput): string {
  if ("name" in tool && typeof tool.name === "string") return tool.name;
  const inner: unknown = "function" in tool ? tool.function : undefined;
  return typeof inner === "object" && inner !== null && "name" in inner ? String(inner.name) : "";
}
