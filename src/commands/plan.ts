/** Commands about planning: the mode, and answers to a plan that waits for approval. */
import { mayAnswer, type Policy } from "../policy.ts";
import type { Answer, PlanMode } from "../types.ts";
import { words } from "../words.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";
import { modeWord } from "./session.ts";

const MODES: Record<string, PlanMode> = { on: true, off: false, auto: "auto" };

async function plan(context: CommandContext): Promise<CommandResult> {
  const { policy, args, deps, key } = context;
  const word = args.trim().toLowerCase();
  if (word === "") return { say: words.planModeIs(describe(policy)) };
  const mode = MODES[word];
  if (mode === undefined) return { task: args, once: { is_plan_mode: true } };
  if (policy.pinned) return { say: words.planModeFixed };
  await deps.store.overrideSession(key, { is_plan_mode: mode }, deps.now());
  return { say: words.planModeSet(modeWord(mode)) };
}

function describe(policy: Policy): string {
  const from = policy.explain.find((entry) => entry.path === "session.context.is_plan_mode")?.from ?? "built-in";
  return `${modeWord(policy.context.is_plan_mode)} (from ${from})`;
}

async function policyCommand({ policy }: CommandContext): Promise<CommandResult> {
  return { say: policyTable(policy) };
}

export function policyTable(policy: Policy): string {
  return policy.explain.map(({ path, value, from }) => `${path} = ${JSON.stringify(value)} (${from})`).join("\n");
}

function decision(decision: "approve" | "reject") {
  return async (context: CommandContext): Promise<CommandResult> => {
    const { lookup, policy, isAdmin, inbound, key, deps } = context;
    const { active } = lookup;
    if (!active?.question || active.status !== "waiting") return { say: words.nothingToDecide };
    const answerer = { isAdmin, asker: active.askedBy, user: inbound.user };
    if (!mayAnswer(active.question, policy, answerer)) return { say: words.pressNotYours };
    const answer: Answer = { questionId: active.question.id, by: inbound.user, decision };
    const taken = await deps.store.answer(key, active.id, `${inbound.id}/answer`, answer);
    if (taken === "taken") deps.lanes.kick(key);
    return { say: taken === "closed" ? words.pressTooLate : words.pressTaken(decision) };
  };
}

export const planCommands: Command[] = [
  {
    name: "plan",
    usage: "on | off | auto | <task>",
    help: "plan mode here, or plan one task",
    admin: false,
    run: plan,
  },
  { name: "approve", usage: "", help: "approve what waits", admin: false, run: decision("approve") },
  { name: "reject", usage: "", help: "reject what waits", admin: false, run: decision("reject") },
  { name: "policy", usage: "", help: "what applies here and where it comes from", admin: false, run: policyCommand },
];
