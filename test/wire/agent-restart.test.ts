import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { MemorySaver } from "@langchain/langgraph";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { createTestAgent, eventsOf, ROOT } from "../support/agent-run.ts";
import { type ModelServer, openaiModel, type Reply, startModelServer, told } from "../support/model-server.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.stop());

const list = (a: string, b: string) => ({
  todos: [
    { content: "A", status: a },
    { content: "B", status: b },
  ],
});
const REPLIES: Reply[] = [
  { calls: [{ name: "write_todos", args: list("in_progress", "pending") }] },
  { calls: [{ name: "note", args: { what: "A" } }] },
  { calls: [{ name: "write_todos", args: list("completed", "completed") }] },
  { text: "Both done." },
];

function startAgent(file: string): ChildProcess {
  const script = join(ROOT, "test/support/agent-process.ts");
  return spawn(process.execPath, [script, server.openai, file], { stdio: ["ignore", "pipe", "inherit"] });
}

describe("a process killed in the middle of a run", () => {
  it.each([1, 3])(
    "goes on without repeating what was done: killed in model call %i",
    async (fatal) => {
      const file = join(mkdtempSync(join(tmpdir(), "pb-kill-")), "state.db");
      const victim = startAgent(file);
      const kill = () => victim.kill("SIGKILL");
      server.script(REPLIES.map((reply, index) => (index === fatal - 1 ? { ...reply, onRequest: kill } : reply)));
      await once(victim, "exit");
      expect(server.requests()).toHaveLength(fatal);

      server.script(REPLIES.slice(fatal - 1));
      const heir = startAgent(file);
      const said = await text(heir.stdout!);
      expect(JSON.parse(said)).toEqual({ type: "done", text: "Both done." });
      expect(server.requests()).toHaveLength(REPLIES.length - fatal + 1);
      const last = server.requests().at(-1);
      expect(told(last, "user")).toEqual(["do A and B"]);
      expect(told(last, "tool")).toHaveLength(3);
    },
    30_000,
  );
});

describe("what a step stores", () => {
  class Weighing extends MemorySaver {
    readonly sizes: number[] = [];

    override async put(...args: Parameters<MemorySaver["put"]>) {
      const checkpoint: Checkpoint = args[1];
      this.sizes.push(JSON.stringify(checkpoint.channel_values).length);
      return super.put(...args);
    }
  }

  it("does not grow with the length of the conversation", async () => {
    const checkpointer = new Weighing();
    const agent = createTestAgent({ config: { models: [openaiModel(server)] }, checkpointer });
    const turn = async (index: number) => {
      server.script([{ text: `answer ${index} ${"word ".repeat(400)}` }]);
      await eventsOf(agent, { text: `question ${index}` });
      return checkpointer.sizes.splice(0);
    };
    const median = (sizes: number[]) => sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0;
    const early = median(await turn(0));
    for (let index = 1; index < 12; index += 1) await turn(index);
    const late = median(await turn(12));
    expect(late).toBeLessThan(early + 500);
    expect(told(server.requests()[0], "user")).toHaveLength(13);
  });
});
