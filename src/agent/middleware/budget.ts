import { type AgentMiddleware, createMiddleware } from "langchain";
import type { RunLimits } from "../../types.ts";
import { RunFailure } from "../failures.ts";
import type { UsageMeter } from "../usage.ts";

/** Asked before each model call, subagents' included: what is used up is not spent again. */
export function budget(limits: RunLimits, meter: UsageMeter): AgentMiddleware {
  return createMiddleware({
    name: "budget",
    wrapModelCall: (request, next) => {
      const reason = exceeded(limits, meter);
      if (reason) throw new RunFailure("budget", `I stopped here: ${reason}.`, reason);
      return next(request);
    },
  });
}

function exceeded({ runTokens, runModelCalls, chatTokensLeft }: RunLimits, meter: UsageMeter): string | undefined {
  if (runModelCalls !== undefined && meter.usage.modelCalls >= runModelCalls)
    return `one request may use ${runModelCalls} model calls, and they are used up`;
  if (runTokens !== undefined && meter.tokens >= runTokens)
    return `one request may use ${runTokens} tokens, and they are used up`;
  if (chatTokensLeft !== undefined && meter.tokens >= chatTokensLeft) return "this chat's budget for today is used up";
  return undefined;
}
