/** An agent that does what a test says, through the same port as the real one. */
import type { Agent, AgentEvent, AgentRequest } from "../../src/types.ts";

export type Script = (request: AgentRequest) => AsyncIterable<AgentEvent>;

export interface ScriptedAgent extends Agent {
  requests: AgentRequest[];
  /** What the next runs do; the last one repeats. */
  script(...scripts: Script[]): void;
}

export function createScriptedAgent(): ScriptedAgent {
  let scripts: Script[] = [answers("ok")];
  const requests: AgentRequest[] = [];
  return {
    requests,
    script(...next) {
      scripts = next;
    },
    stream(request) {
      requests.push(request);
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      return (script as Script)(request);
    },
    forget: async () => undefined,
    close: async () => undefined,
  };
}

/** Echoes nothing: one text, done. */
export function answers(text: string): Script {
  return async function* () {
    yield { type: "text", text };
    yield { type: "done", text };
  };
}

/** Works until the returned function is called, or until it is stopped. */
export function gate(text = "ok"): { script: Script; open: () => void; begun: Promise<void> } {
  const opened = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  return {
    open: opened.resolve,
    begun: begun.promise,
    script: async function* ({ signal }) {
      begun.resolve();
      yield { type: "todos", todos: [{ content: "wait", status: "in_progress" }] };
      const cut = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([opened.promise, signal.aborted ? undefined : cut]);
      if (signal.aborted) yield { type: "stopped" };
      else yield { type: "done", text };
    },
  };
}
