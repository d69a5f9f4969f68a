/** A plan that changes far faster than any platform lets it be shown, and what people saw of it. */
import type { MessageRef, Todo } from "../../channels/channel.ts";
import type { ChannelDriver, DriverOptions } from "./drivers/driver.ts";
import { type LiveBridge, openLive } from "./live-bridge.ts";
import type { Script } from "./scripted-agent.ts";

export interface Measured {
  updates: number;
  /** Most edits that one plan message got. */
  edits: number;
  /** Requests the platform refused with 429. */
  limited: number;
  /** Milliseconds from the end of each run until its plan message showed it, sorted. */
  shownAfterMs: number[];
}

export interface Load {
  updates: number;
  perSecond: number;
  /** Conversations at once, each in a chat of its own. */
  sessions?: number;
  where?: "dm" | "group";
}

const STEPS = 20;
const LAST = "the very last step";

/** Runs it through the real core and adapter, and waits until every plan message shows its end. */
export async function measurePlans(
  open: (options: DriverOptions) => Promise<ChannelDriver>,
  load: Load,
): Promise<Measured> {
  const bridge = await openLive(await open({ limits: true }));
  const { sessions = 1, where = "group" } = load;
  const endedAt = new Map<string, number>();
  bridge.agent.script(busyPlan(load, endedAt));
  try {
    for (let n = 0; n < sessions; n++) ask(bridge.driver, where, n);
    const shownAfterMs = await watchEnds(bridge, sessions, endedAt);
    const { driver } = bridge;
    const edits = Math.max(...boards(driver).map((ref) => driver.edits(ref)));
    return { updates: load.updates, edits, limited: driver.limited(), shownAfterMs };
  } finally {
    await bridge.close();
  }
}

function ask(driver: ChannelDriver, where: "dm" | "group", n: number): void {
  if (where === "dm") driver.dm(`plan ${n}`);
  else driver.say(`${driver.mention} plan ${n}`, n);
}

/** Todos move on with each update; a subagent's detail makes every view new. */
function busyPlan({ updates, perSecond }: Load, endedAt: Map<string, number>): Script {
  return async function* ({ input, context }) {
    const begun = Date.now();
    const name = input.text;
    for (let update = 1; update <= updates; update++) {
      yield { type: "todos", todos: todosAt(update / updates, name) };
      const detail = `update ${update} of ${updates}`;
      yield { type: "subagent", subagent: { id: context.run_id, title: "helper", status: "running", detail } };
      await sleepUntil(begun + (update * 1000) / perSecond);
    }
    endedAt.set(name, Date.now());
    yield { type: "done", text: `Answer to ${name}.` };
  };
}

function todosAt(share: number, name: string): Todo[] {
  const completed = Math.floor(share * STEPS);
  return Array.from({ length: STEPS }, (_, step) => ({
    content: step === STEPS - 1 ? `${LAST} of ${name}.` : `step ${step}`,
    status: step < completed ? "completed" : step === completed ? "in_progress" : "pending",
  }));
}

const boards = (driver: ChannelDriver): MessageRef[] =>
  driver.posts().filter((ref) => driver.shown(ref).includes(LAST));

async function watchEnds({ driver }: LiveBridge, sessions: number, endedAt: Map<string, number>): Promise<number[]> {
  const shown = new Map<string, number>();
  const deadline = Date.now() + 90_000;
  while (shown.size < sessions) {
    if (Date.now() > deadline) throw new Error(`${shown.size} of ${sessions} ends were shown`);
    for (const ref of boards(driver)) {
      const text = driver.shown(ref);
      const name = /the very last step of (plan \d+)\./.exec(text)?.[1] ?? "";
      const ended = endedAt.get(name);
      const isEnd = /Done|✅/.test(text) && driver.buttons(ref).length === 0;
      if (isEnd && ended !== undefined && !shown.has(name)) shown.set(name, Date.now() - ended);
    }
    await sleepUntil(Date.now() + 10);
  }
  return [...shown.values()].sort((a, b) => a - b);
}

function sleepUntil(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
}
