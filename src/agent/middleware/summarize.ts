/**
 * Long histories are replaced by a summary before the model's window is full, and once more when the model says it is
 * full all the same. The library does the work; here is what it leaves out: the person's current request stays word for
 * word, the summary is hidden, and a summary that failed replaces nothing.
 */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { Command, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware, summarizationMiddleware } from "langchain";
import type { Log } from "../../log.ts";
import { isOverflow } from "../failures.ts";
import { repairHistory } from "../history.ts";
import { isRunStart, textOf } from "../messages.ts";

export interface SummarizeOptions {
  model: BaseChatModel;
  /** Summarizes unasked when the history is this long; undefined: only when the model's window is full. */
  atTokens?: number | undefined;
  keepMessages: number;
  /** How much of the old part is read for the summary. */
  readTokens: number;
  prompt: string;
  log: Log;
}

const PREFIX = "Summary of the conversation so far:";
/** After the model refused the length, less is kept. */
const KEEP_IN_NEED = 6;

type Compact = (messages: BaseMessage[]) => Promise<BaseMessage[] | undefined>;

export function summarize(options: SummarizeOptions): AgentMiddleware {
  const { atTokens, keepMessages } = options;
  const usual = atTokens === undefined ? undefined : compactor(options, { tokens: atTokens }, keepMessages);
  const inNeed = compactor(options, { messages: 2 }, Math.min(keepMessages, KEEP_IN_NEED));
  return createMiddleware({
    name: "summarize",
    beforeModel: async ({ messages }) => {
      const kept = await usual?.(messages);
      return kept && { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...kept] };
    },
    wrapModelCall: async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        if (!isOverflow(error)) throw error;
        const kept = await inNeed(request.messages.filter((message) => message.id !== undefined));
        if (!kept) throw error;
        options.log.info({ from: request.messages.length, to: kept.length }, "history was too long, summarized");
        const message: AIMessage = await next({ ...request, messages: repairHistory(kept) });
        const all = [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...kept, message];
        return new Command({ update: { messages: all } }) as unknown as AIMessage;
      }
    },
  });
}

type BeforeModel = Extract<ReturnType<typeof summarizationMiddleware>["beforeModel"], (...args: never[]) => unknown>;
type HookState = Parameters<BeforeModel>[0];
type HookRuntime = Parameters<BeforeModel>[1];

function compactor(options: SummarizeOptions, trigger: { tokens?: number; messages?: number }, keep: number): Compact {
  const library = summarizationMiddleware({
    model: options.model,
    trigger,
    keep: { messages: keep },
    trimTokensToSummarize: options.readTokens,
    summaryPrompt: options.prompt,
    summaryPrefix: PREFIX,
  });
  const hook = library.beforeModel;
  const run = typeof hook === "function" ? hook : hook?.hook;
  return async (messages) => {
    // The hook's types are those of an agent that has only this middleware; it reads no more than these.
    const result = await run?.({ messages } as HookState, { context: {} } as HookRuntime);
    const written: BaseMessage[] = result && "messages" in result ? (result.messages as BaseMessage[]).slice(1) : [];
    const [summary, ...rest] = written;
    if (!summary) return undefined;
    const text = textOf(summary);
    if (/^[^\n]*\n\n(Error generating summary|Previous conversation was too long)/.test(text)) {
      options.log.warn({}, "the summary failed, history stays whole");
      return undefined;
    }
    return [hiddenSummary(text), ...currentRequest(messages, rest), ...rest];
  };
}

function hiddenSummary(content: string): HumanMessage {
  return new HumanMessage({
    id: `summary-${crypto.randomUUID()}`,
    content,
    name: "summary",
    additional_kwargs: { lc_source: "summarization", hide_from_ui: true },
  });
}

/** The message the run began with, unless it is among those kept anyway. */
function currentRequest(messages: BaseMessage[], rest: BaseMessage[]): BaseMessage[] {
  const request = messages.findLast(isRunStart);
  return request && !rest.some(({ id }) => id === request.id) ? [request] : [];
}
