import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { z } from "zod";
import type { RunContext, Todo } from "../../types.ts";
import { toolError, unansweredCalls } from "../messages.ts";
import { ask } from "../questions.ts";
import { planApproved } from "../thread-state.ts";
import { checkTodos, sameContents, todoInput } from "../todos.ts";

const PLAN_REJECTED = "The plan was rejected, so I did none of it.";

const state = z.object({ plan_approved: planApproved.default({ run: "", contents: [] }) });
const args = z.object({ todos: z.array(todoInput) });

/**
 * A person sees the plan before anything of it happens: the first plan of a run, or every plan with other tasks than
 * the approved one. Stands before the todo middleware, so that only a list that will be taken is asked about.
 */
export function planApproval(run: RunContext): AgentMiddleware {
  return createMiddleware({
    name: "plan_approval",
    stateSchema: state,
    afterModel: {
      canJumpTo: ["model", "end"],
      hook: ({ messages, plan_approved }) => {
        const calls = unansweredCalls(messages);
        const todos = proposed(calls);
        if (!todos) return undefined;
        const contents = todos.map(({ content }) => content);
        if (isApproved(run, plan_approved, contents)) return undefined;
        const reply = ask({ kind: "plan", text: planText(todos), options: [], todos });
        if (reply.decision === "approve") return { messages: [], plan_approved: { run: run.run_id, contents } };
        if (reply.decision === "reject") {
          const refused = calls.map((call) => toolError(call, "The person rejected the plan."));
          return { messages: [...refused, new AIMessage(PLAN_REJECTED)], jumpTo: "end" as const };
        }
        return { messages: rewrite(calls, reply.text), jumpTo: "model" as const };
      },
    },
  });
}

function proposed(calls: { name: string; args: unknown }[]): Todo[] | undefined {
  const call = calls.find(({ name }) => name === "write_todos");
  const parsed = args.safeParse(call?.args);
  const checked = parsed.success ? checkTodos(parsed.data.todos) : undefined;
  return checked?.ok && checked.todos.length > 0 ? checked.todos : undefined;
}

function isApproved(run: RunContext, approved: z.infer<typeof planApproved>, contents: string[]): boolean {
  if (approved.run !== run.run_id) return false;
  return run.plan_approval === "first" || sameContents(approved.contents, contents);
}

function planText(todos: Todo[]): string {
  return todos.map(({ content }, index) => `${index + 1}. ${content}`).join("\n");
}

function rewrite(calls: ReturnType<typeof unansweredCalls>, wish: string): BaseMessage[] {
  return calls.map((call) => {
    if (call.name !== "write_todos") return toolError(call, "Not run: the plan is being changed.");
    const message = toolError(
      call,
      `The person wants a changed plan: ${wish}\nWrite a new plan with write_todos before you do anything else.`,
    );
    message.additional_kwargs.wish = wish;
    return message;
  });
}
