/**
 * Plan mode: the list itself, and three things models get wrong with it. Two lists written at once are refused; a plan
 * that a summary swallowed is shown again; an answer that comes while work is open is sent back, at most twice.
 */
import { type AIMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolRuntime } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware, tool } from "langchain";
import { z } from "zod";
import type { RunContext, Todo } from "../../types.ts";
import type { BoundedLedger } from "../bounded-ledger.ts";
import { finishReason, hidden, lastAi, toolError, unansweredCalls } from "../messages.ts";
import type { Prompts } from "../prompt/files.ts";
import { checkTodos, listTodos, openTodos, todoInput, todoSchema } from "../todos.ts";

export interface GuardNote {
  /** Early answers sent back in this run. */
  sentBack: number;
  /** What the model is told at its next call. */
  queued?: string | undefined;
}

export interface TodoOptions {
  run: RunContext;
  prompts: Prompts;
  /** Shared by all runs of the process, keyed by thread and run. */
  ledger: BoundedLedger<GuardNote>;
}

const MAX_SENT_BACK = 2;

const state = z.object({ todos: z.array(todoSchema).default([]), plan_run: z.string().default("") });

export function todoMiddleware({ run, prompts, ledger }: TodoOptions): AgentMiddleware {
  const key = JSON.stringify([run.thread_id, run.run_id]);
  const isOurs = (planRun: string | undefined) => planRun === run.run_id;

  return createMiddleware({
    name: "todo",
    stateSchema: state,
    tools: [writeTodos(run, prompts), readTodos(run)],
    beforeAgent: () => ledger.delete(key),
    afterAgent: () => ledger.delete(key),
    wrapModelCall: (request, next) => {
      const { todos = [], plan_run } = request.state;
      const reminders = isOurs(plan_run) && isLost(todos, request.messages) ? [todoReminder(todos, prompts)] : [];
      const queued = ledger.get(key)?.queued;
      if (queued) reminders.push(hidden(queued, "todo_completion_reminder"));
      return next({ ...request, messages: [...request.messages, ...reminders] });
    },
    afterModel: {
      canJumpTo: ["model"],
      hook: ({ messages, todos, plan_run }) => {
        const answer = lastAi(messages);
        if (!answer) return undefined;
        const note = ledger.get(key);
        if (note?.queued) ledger.set(key, { ...note, queued: undefined });
        const parallel = refuseParallel(messages, answer);
        if (parallel) return parallel;
        const open = isOurs(plan_run) ? openTodos(todos) : [];
        const sentBack = note?.sentBack ?? 0;
        if (open.length === 0 || sentBack >= MAX_SENT_BACK || !isCleanAnswer(answer)) return undefined;
        ledger.set(key, {
          sentBack: sentBack + 1,
          queued: prompts.fill("todo-completion", { todos: listTodos(open) }),
        });
        return { jumpTo: "model" as const, messages: [] };
      },
    },
  });
}

function writeTodos(run: RunContext, prompts: Prompts) {
  return tool(
    ({ todos: written }, { toolCallId }: ToolRuntime) => {
      const checked = checkTodos(written);
      if (!checked.ok) return toolError({ id: toolCallId, name: "write_todos" }, checked.error);
      const content = `The list is now:\n${listTodos(checked.todos)}`;
      const message = new ToolMessage({ content, tool_call_id: toolCallId, name: "write_todos" });
      return new Command({ update: { todos: checked.todos, plan_run: run.run_id, messages: [message] } });
    },
    {
      name: "write_todos",
      description: prompts.text("todo-tool"),
      schema: z.object({ todos: z.array(todoInput).describe("The whole list, in order") }),
    },
  );
}

function readTodos(run: RunContext) {
  return tool(
    (_, runtime: ToolRuntime) => {
      const { todos, plan_run } = state.parse(runtime.state ?? {});
      if (todos.length === 0) return "There is no list.";
      const age = plan_run === run.run_id ? "" : "This list is from an earlier request; it is closed.\n";
      return age + listTodos(todos);
    },
    { name: "read_todos", description: "Read the current todo list.", schema: z.object({}) },
  );
}

/** The list is in the state, but no call that wrote it is left for the model to see. */
function isLost(todos: Todo[], messages: { name?: string | undefined }[]): boolean {
  if (openTodos(todos).length === 0) return false;
  return !messages.some((message) => message.name === "todo_reminder" || message.name === "write_todos");
}

function todoReminder(todos: Todo[], prompts: Prompts) {
  return hidden(prompts.fill("todo-reminder", { todos: listTodos(todos) }), "todo_reminder");
}

/** Which of two lists should hold is anybody's guess, so neither does; other tools of that message still run. */
function refuseParallel(messages: Parameters<typeof unansweredCalls>[0], answer: AIMessage) {
  const calls = answer.tool_calls ?? [];
  const lists = calls.filter(({ name }) => name === "write_todos");
  if (lists.length < 2) return undefined;
  const refused = lists.map((call) =>
    toolError(
      call,
      "Only one write_todos call per message: the list was not changed. Call it once with the whole list.",
    ),
  );
  const others = unansweredCalls(messages).filter(({ name }) => name !== "write_todos");
  // With every call answered the library would end the run here, the model never asked again.
  return others.length > 0 ? { messages: refused } : { messages: refused, jumpTo: "model" as const };
}

function isCleanAnswer(message: AIMessage): boolean {
  const { tool_calls = [], invalid_tool_calls = [], additional_kwargs } = message;
  if (tool_calls.length > 0 || invalid_tool_calls.length > 0) return false;
  if (Array.isArray(additional_kwargs.tool_calls) && additional_kwargs.tool_calls.length > 0) return false;
  return !["tool_calls", "tool_use"].includes(finishReason(message));
}
