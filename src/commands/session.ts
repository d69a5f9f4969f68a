/** Commands about the conversation at hand. */

import { DAY_MS, spendKey } from "../ending.ts";
import { lastDecision } from "../plan-decision.ts";
import { mayApprove } from "../policy.ts";
import { stopRun } from "../presses.ts";
import { statusLine, todoList, usageLine } from "../render.ts";
import { chatKey, userKey } from "../sessions.ts";
import type { Run } from "../types.ts";
import { words } from "../words.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";
import { words as split } from "./parse.ts";

const MAX_GOAL = 2_000;

const say = (text: string): CommandResult => ({ say: text });

async function activeRun({ lookup, key, deps }: CommandContext): Promise<Run | undefined> {
  return lookup.active && deps.store.run(key, lookup.active.id);
}

/** Stops or closes what is active. False: this person may not. */
async function endActive(context: CommandContext): Promise<"none" | "ended" | "refused"> {
  const { deps, inbound, policy, isAdmin } = context;
  const run = await activeRun(context);
  if (!run) return "none";
  if (!mayApprove(policy, isAdmin, run.inbound.user.id, inbound.user)) return "refused";
  await stopRun(deps, run, inbound.user, chatKey(inbound.at));
  return "ended";
}

async function stop(context: CommandContext): Promise<CommandResult> {
  const ended = await endActive(context);
  if (ended === "refused") return say(words.pressStopNotYours);
  const dropped = split(context.args)[0] === "all" ? await dropQueue(context) : 0;
  const queue = dropped > 0 ? ` ${words.dropped(dropped)}` : "";
  return say((ended === "none" ? words.nothingRuns : words.pressStopping) + queue);
}

async function dropQueue(context: CommandContext): Promise<number> {
  const ids = await context.deps.store.queue(context.key);
  const results = await Promise.all(ids.map((id) => dropWaiting(context, id)));
  return results.filter(Boolean).length;
}

async function dropWaiting({ deps, key }: CommandContext, id: string): Promise<boolean> {
  const dropped = await deps.store.drop(key, id, "stopped", deps.now());
  const run = dropped ? await deps.store.run(key, id) : undefined;
  if (run) deps.seen.clear(run.inbound);
  return dropped;
}

async function startOver(context: CommandContext): Promise<CommandResult> {
  if ((await endActive(context)) === "refused") return say(words.pressStopNotYours);
  await context.deps.store.renewSession(context.key, context.deps.now());
  await override(context, { goal: undefined, is_bootstrap: undefined });
  return say(words.newConversation);
}

async function status(context: CommandContext): Promise<CommandResult> {
  const run = await activeRun(context);
  const { policy } = context;
  const from = policy.explain.find((entry) => entry.path === "session.context.is_plan_mode")?.from;
  const decided = run?.planReason ?? (await lastDecision(context.key, context.deps.store));
  const plan = `${modeWord(policy.context.is_plan_mode)} (from ${from})${decided ? `; last message ${decided}` : ""}`;
  const lines = [statusLine(run, context.lookup.queued, plan), `Model: ${policy.context.model_name ?? "default"}`];
  if (run && run.todos.length > 0) lines.push("", todoList(run.todos));
  return say(lines.join("\n"));
}

export function modeWord(mode: boolean | "auto"): string {
  return mode === "auto" ? "auto" : mode ? "on" : "off";
}

async function todos(context: CommandContext): Promise<CommandResult> {
  const run = await activeRun(context);
  return say(run && run.todos.length > 0 ? todoList(run.todos) : words.noPlan);
}

async function usage(context: CommandContext): Promise<CommandResult> {
  const run = await activeRun(context);
  const { deps, inbound } = context;
  const total = await deps.store.count(spendKey(inbound.at, deps.now()), 0, DAY_MS);
  return say([run ? words.runUsage(usageLine(run.usage)) : "", words.chatTokens(total)].filter(Boolean).join("\n"));
}

async function queue(context: CommandContext): Promise<CommandResult> {
  const { deps, key } = context;
  const [action, number] = split(context.args);
  const ids = await deps.store.queue(key);
  if (action === "clear") return say(words.dropped(await dropQueue(context)));
  if (action === "drop") {
    const id = ids[Number(number) - 1];
    const dropped = id !== undefined && (await dropWaiting(context, id));
    return say(dropped ? words.oneDropped : words.noSuchMessage);
  }
  const runs = await Promise.all(ids.map((id) => deps.store.run(key, id)));
  const lines = runs.map((run, index) => `${index + 1}. ${(run?.inbound.text ?? "").slice(0, 80)}`);
  return say(lines.length > 0 ? lines.join("\n") : words.nothingWaits);
}

async function model(context: CommandContext): Promise<CommandResult> {
  const names = context.deps.config().models.map((entry) => entry.name);
  const [name] = split(context.args);
  if (!name) return say(words.models(names.join(", ") || "rehearsal", context.policy.context.model_name ?? "default"));
  if (name !== "default" && !names.includes(name)) return say(words.noSuchModel(name, names.join(", ")));
  await override(context, { model_name: name === "default" ? undefined : name });
  return say(words.modelChosen(name));
}

async function agent(context: CommandContext): Promise<CommandResult> {
  const known = await context.deps.knowledge().agents();
  const [name, ...rest] = split(context.args);
  if (!name) {
    const lines = known.map((entry) => `- ${entry.name}: ${entry.description}`);
    return say([words.agentNow(context.policy.context.agent_name ?? "default"), ...lines].join("\n"));
  }
  if (name === "new") return await newAgent(context, rest.join(" "));
  if (name !== "default" && !known.some((entry) => entry.name === name)) return say(words.noSuchAgent(name));
  await override(context, { agent_name: name === "default" ? undefined : name, is_bootstrap: undefined });
  return say(words.agentChosen(name));
}

/** Making an agent takes a few messages, so the conversation stays with it until it is made. */
async function newAgent(context: CommandContext, wish: string): Promise<CommandResult> {
  const rule = context.deps.config().agents.create;
  if (rule === "nobody" || (rule === "admins" && !context.isAdmin)) return say(words.agentsByAdmins);
  await override(context, { is_bootstrap: true });
  const task = words.newAgentTask(wish);
  return { task, once: { is_bootstrap: true } };
}

async function goal(context: CommandContext): Promise<CommandResult> {
  const wish = context.args.trim();
  const { goal: now } = context.policy.context;
  if (wish === "") return say(now ? words.goalNow(now) : words.noGoal);
  if (wish.length > MAX_GOAL) return say(words.goalTooLong(MAX_GOAL, wish.length));
  const cleared = wish.toLowerCase() === "clear";
  await override(context, { goal: cleared ? undefined : wish });
  return say(cleared ? words.goalGone : words.goalSet);
}

async function override(
  context: CommandContext,
  patch: Parameters<CommandContext["deps"]["store"]["overrideSession"]>[1],
) {
  await context.deps.store.overrideSession(context.key, patch, context.deps.now());
}

async function skills(context: CommandContext): Promise<CommandResult> {
  const known = await context.deps.knowledge().skills();
  if (known.length === 0) return say(words.noSkills);
  return say([...known.map((skill) => `- \`/${skill.name}\`: ${skill.description}`), words.useSkill].join("\n"));
}

/** People see and delete their own facts; a chat's facts are everyone's there to see and an admin's to delete. */
async function memory(context: CommandContext): Promise<CommandResult> {
  const { inbound, deps } = context;
  const [action, which] = split(context.args);
  const group = inbound.kind === "group";
  const scope = group ? "chat" : "user";
  const id = group ? chatKey(inbound.at) : userKey(inbound.at, inbound.user.id);
  if (action && group && !context.isAdmin) return say(words.memoryByAdmins);
  if (action === "clear") {
    await deps.knowledge().clearFacts(scope, id);
    return say(words.forgotten);
  }
  const facts = await deps.knowledge().facts(scope, id);
  if (action === "forget") {
    const fact = facts[Number(which) - 1];
    if (fact) await deps.knowledge().forgetFact(scope, id, fact.id);
    return say(fact ? words.forgotten : words.noSuchFact);
  }
  if (facts.length === 0) return say(words.noFacts);
  const list = facts.map((fact, index) => `${index + 1}. ${fact.text}`);
  return say([...list, words.memoryHint].join("\n"));
}

const plain = (name: string, usage: string, help: string, run: Command["run"]): Command => ({
  name,
  usage,
  help,
  run,
  admin: false,
});

export const sessionCommands: Command[] = [
  plain("new", "", "start a new conversation here", startOver),
  plain("stop", "[all]", "stop the running task; all: drop waiting messages too", stop),
  plain("status", "", "what runs here, and why it plans or not", status),
  plain("todos", "", "the plan at work", todos),
  plain("queue", "[clear | drop <n>]", "messages that wait", queue),
  plain("model", "[name | default]", "which model answers here", model),
  plain("agent", "[name | default | new <wish>]", "which agent answers here", agent),
  plain("goal", "[text | clear]", "what this conversation is for", goal),
  plain("skills", "", "skills that can be used", skills),
  plain("memory", "[forget <n> | clear]", "what I remember about you (or this chat)", memory),
  plain("usage", "", "tokens used", usage),
];
