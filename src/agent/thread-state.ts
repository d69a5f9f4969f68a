/**
 * The one state schema of every thread, whatever the run's variant: a key that a variant leaves out would be erased at
 * its next checkpoint, so turning plan mode off and on again would lose the plan.
 */
import { MessagesDeltaValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { todoSchema } from "./todos.ts";

export const planApproved = z.object({ run: z.string(), contents: z.array(z.string()) });

export const threadState = new StateSchema({
  /** Only what a step adds is written; the whole is snapshotted now and then. */
  messages: MessagesDeltaValue,
  todos: z.array(todoSchema).default([]),
  /** The run that wrote `todos` last: an older plan is history, it binds nobody. */
  plan_run: z.string().default(""),
  plan_approved: planApproved.default({ run: "", contents: [] }),
});
