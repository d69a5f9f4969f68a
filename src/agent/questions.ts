/** What a run asks of a person while it waits, and what comes back. Both are stored in checkpoints, so both are plain. */
import { interrupt } from "@langchain/langgraph";
import { z } from "zod";
import { todoSchema } from "./todos.ts";

export const askedSchema = z.object({
  kind: z.enum(["clarification", "plan", "tool"]),
  text: z.string(),
  options: z.array(z.string()),
  /** Only an admin may decide. */
  byAdmin: z.boolean().optional(),
  /** The proposed plan, to be shown before it is written. */
  todos: z.array(todoSchema).optional(),
});
export type Asked = z.infer<typeof askedSchema>;

const repliedSchema = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("approve") }),
  z.object({ decision: z.literal("reject") }),
  z.object({ decision: z.literal("change"), text: z.string() }),
  z.object({ decision: z.literal("answer"), text: z.string() }),
]);
export type Replied = z.infer<typeof repliedSchema>;

/** Pauses the run here; runs again from the node's beginning when the answer is there. */
export function ask(asked: Asked): Replied {
  return repliedSchema.parse(interrupt(asked));
}
