/** What one more turn costs as a conversation grows: processor time and bytes of state. The model is built in. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../config/load.ts";
import { config as schema } from "../config/schema.ts";
import { createAgentRuntime } from "../src/agent/agent.ts";
import { openSqliteState } from "../src/state/sqlite.ts";
import type { Agent } from "../src/types.ts";
import { silent } from "../test/support/bridge.ts";
import { print } from "./print.ts";

const TURNS = 60;
const GROUP = 10;

export async function benchTurns(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "planbridge-bench-"));
  const path = join(folder, "bench.db");
  const state = openSqliteState({ path, keepDays: 30, log: silent });
  const config = schema.parse({ workspace: { dir: folder } });
  const agent = createAgentRuntime({
    config,
    root: packageRoot(),
    checkpointer: state.checkpointer,
    log: silent,
    now: Date.now,
  });
  print("turns of one conversation   ms of processor each   kB of state in all");
  for (let first = 1; first <= TURNS; first += GROUP) {
    const before = process.cpuUsage();
    for (let turn = first; turn < first + GROUP; turn++) await converse(agent, turn);
    const { user, system } = process.cpuUsage(before);
    const ms = ((user + system) / 1000 / GROUP).toFixed(1);
    print(`  ${`${first} to ${first + GROUP - 1}`.padEnd(25)} ${ms.padStart(20)} ${kilobytes(path).padStart(20)}`);
  }
  await agent.close();
  await state.store.close();
  rmSync(folder, { recursive: true });
}

async function converse(agent: Agent, turn: number): Promise<void> {
  const id = `bench/${turn}`;
  const request = {
    context: {
      is_plan_mode: false,
      plan_approval: "never" as const,
      thinking_enabled: true,
      subagent_enabled: false,
      max_concurrent_subagents: 3,
      thread_id: "bench#0",
      run_id: `r${turn}`,
      user_id: "slack:U1",
      channel: "slack",
      chat_id: "slack/T1/C1",
    },
    input: { id, text: `hello, this is turn ${turn}`, speaker: { id: "U1", name: "Ann" }, files: [] },
    dialect: "Plain text.",
    limits: {},
    signal: new AbortController().signal,
  };
  for await (const event of agent.stream(request)) {
    if (event.type === "failed") throw new Error(event.text);
  }
}

/** The journal counts: it is state not yet copied into the file. */
function kilobytes(path: string): string {
  const bytes = [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  return Math.round(bytes / 1024).toString();
}
