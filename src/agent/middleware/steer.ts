import { HumanMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import type { AgentRequest } from "../../types.ts";
import { spoken } from "../speaker.ts";

/** Messages that arrive while the run works are read before the next model step. After a crash some come again. */
export function steer(steers: NonNullable<AgentRequest["steers"]>): AgentMiddleware {
  return createMiddleware({
    name: "steer",
    beforeModel: async ({ messages }) => {
      const known = new Set(messages.map(({ id }) => id));
      const fresh = (await steers()).filter(({ id }) => !known.has(id));
      if (fresh.length === 0) return undefined;
      return {
        messages: fresh.map(
          ({ id, speaker, text }) =>
            new HumanMessage({ id, content: spoken(speaker, text), additional_kwargs: { steer: true } }),
        ),
      };
    },
  });
}
