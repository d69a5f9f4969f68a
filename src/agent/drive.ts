/** Runs the assembled graph for one message: starts it, goes on with it, or finds it done. */
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { AgentEvent, AgentRequest, Todo, Usage } from "../types.ts";
import { type Assembly, assembleAgent } from "./assemble.ts";
import type { EventQueue } from "./event-queue.ts";
import { plannedTodos, questionsIn, TextSoFar, writtenTodos } from "./events.ts";
import { finalText } from "./final-text.ts";
import { closeTurn, runMessages, spentOn } from "./history.ts";
import { isRunStart } from "./messages.ts";
import { NO_ANSWER } from "./middleware/terminal.ts";
import { humanText } from "./speaker.ts";

export class Drive {
  readonly #assembly: Assembly;
  readonly #request: AgentRequest;
  readonly #now: () => number;
  readonly #queue: EventQueue<AgentEvent>;
  readonly #agent: ReturnType<typeof assembleAgent>["agent"];
  readonly #config;

  constructor(assembly: Assembly, request: AgentRequest, queue: EventQueue<AgentEvent>) {
    this.#assembly = assembly;
    this.#request = request;
    this.#now = assembly.now;
    this.#queue = queue;
    const { agent, recursionLimit } = assembleAgent(assembly);
    this.#agent = agent;
    this.#config = { ...runConfig(assembly), recursionLimit };
  }

  async go(): Promise<AgentEvent> {
    const state = await this.#state();
    const own = runMessages(state.messages, this.#request.input.id);
    if (own.length === 0) return this.#run(this.#start(state.messages));
    // What the thread waits for belongs to its latest run.
    if (state.messages.findLast(isRunStart)?.id !== this.#request.input.id) return doneWith(own);
    this.#assembly.meter.startFrom(this.#spentBefore(own));
    const { answer } = this.#request;
    const asked = questionsIn(state.interrupts, this.#now());
    if (asked.length > 0) {
      const known = answer && asked.find(({ id }) => id === answer.questionId);
      if (!answer || !known) return this.#ask(state.interrupts);
      const { questionId, by, ...reply } = answer;
      return this.#run(new Command({ resume: { [questionId]: reply } }));
    }
    if (state.next.length > 0) return this.#run(null);
    return doneWith(own);
  }

  /** The thread knows only the lead's own calls; the bridge may have missed the last ones before a crash. */
  #spentBefore(own: BaseMessage[]): Usage {
    const [seen, { spent }] = [spentOn(own), this.#request];
    return spent && spent.modelCalls > seen.modelCalls ? spent : seen;
  }

  #start(before: BaseMessage[]) {
    const { input, context } = this.#request;
    const human = new HumanMessage({ id: input.id, content: humanText(context.channel, input) });
    return { messages: [...closeTurn(before), human] };
  }

  async #run(input: { messages: BaseMessage[] } | Command | null): Promise<AgentEvent> {
    const stream = await this.#agent.stream(
      input as never,
      {
        ...this.#config,
        streamMode: ["messages", "updates"] as const,
        durability: "sync",
      } as never,
    );
    const text = new TextSoFar();
    const asked: unknown[] = [];
    for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
      if (mode === "messages") this.#showText(text, chunk as [BaseMessage, Record<string, unknown>]);
      if (mode === "updates") asked.push(...this.#showUpdate(chunk as Record<string, unknown>));
    }
    this.#request.signal.throwIfAborted();
    const { messages, interrupts } = await this.#state();
    if (asked.length > 0) return this.#ask(inOrder(asked, interrupts));
    return doneWith(runMessages(messages, this.#request.input.id));
  }

  #showText(text: TextSoFar, [message, meta]: [BaseMessage, Record<string, unknown>]): void {
    const ns = String(meta.langgraph_checkpoint_ns ?? "")
      .split("|")
      .slice(1);
    const event = text.add({ ns, tags: (meta.tags as string[] | undefined) ?? [], message });
    if (event) this.#queue.push(event);
  }

  /** Returns what the step asks of a person. */
  #showUpdate(chunk: Record<string, unknown>): unknown[] {
    const todos = writtenTodos(chunk);
    if (todos) this.#showTodos(todos);
    return Array.isArray(chunk.__interrupt__) ? chunk.__interrupt__ : [];
  }

  #showTodos(todos: Todo[]): void {
    this.#queue.push({ type: "todos", todos });
  }

  /** One question at a time; the others are asked again when this one is answered. */
  #ask(interrupts: unknown[]): AgentEvent {
    const [question] = questionsIn(interrupts, this.#now());
    if (!question) throw new Error("the run waits for something unknown");
    const plan = plannedTodos(interrupts);
    if (plan) this.#showTodos(plan);
    return question.kind === "clarification" ? { type: "ask", question } : { type: "approve", question };
  }

  async #state(): Promise<{ messages: BaseMessage[]; next: string[]; interrupts: unknown[] }> {
    const { values, next, tasks } = await this.#agent.graph.getState({ configurable: this.#config.configurable });
    const messages = (values as { messages?: BaseMessage[] }).messages ?? [];
    // A task that has its result keeps the interrupts it was answered.
    const waiting = tasks.filter((task) => task.result === undefined);
    return { messages, next: [...next], interrupts: waiting.flatMap((task) => task.interrupts) };
  }
}

/** Parallel calls ask in the order in which they happen to start; people are asked in the order of the calls. */
function inOrder(asked: unknown[], stored: unknown[]): unknown[] {
  const ids = stored.map(idOf);
  return asked.toSorted((one, two) => ids.indexOf(idOf(one)) - ids.indexOf(idOf(two)));
}

function idOf(interrupt: unknown): unknown {
  return typeof interrupt === "object" && interrupt !== null && "id" in interrupt ? interrupt.id : undefined;
}

function doneWith(messages: BaseMessage[]): AgentEvent {
  return { type: "done", text: finalText(messages) || NO_ANSWER };
}

/** The run's context goes into both places LangGraph has for it, and what tracing shows into the metadata. */
function runConfig({ run, meter, signal, modelConfig }: Assembly) {
  return {
    configurable: { ...run, checkpoint_ns: "" },
    context: { ...run },
    callbacks: [meter],
    signal,
    runName: "planbridge",
    tags: ["planbridge", `channel:${run.channel}`],
    metadata: {
      model_name: modelConfig.name,
      is_plan_mode: run.is_plan_mode,
      thinking_enabled: run.thinking_enabled,
      agent_name: run.agent_name ?? "lead",
      channel: run.channel,
      session_id: run.thread_id,
      run_id: run.run_id,
      user_id: run.user_id,
    },
  };
}
