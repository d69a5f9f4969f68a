/** `/admin policy …`: run-time policy of a chat, validated with the config's own schema. */
import { parse as parseYaml } from "yaml";
import type { z } from "zod";
import type { Address } from "../../channels/channel.ts";
import { chatPolicy } from "../../config/schema.ts";
import { messageOf } from "../errors.ts";
import { resolvePolicy } from "../policy.ts";
import { addressOf, chatKey } from "../sessions.ts";
import { settingKey } from "../settings.ts";
import type { AuditEntry } from "../state/store.ts";
import { words } from "../words.ts";
import { type CommandContext, change } from "./command.ts";
import { isChatId } from "./ids.ts";
import { policyTable } from "./plan.ts";

const ROOTS = Object.keys(chatPolicy.shape);
const SHORT: Record<string, string> = {
  is_plan_mode: "session.context.is_plan_mode",
  plan_mode: "session.context.is_plan_mode",
  plan_approval: "session.context.plan_approval",
  model: "session.context.model_name",
  agent: "session.context.agent_name",
  pinned: "session.pinned",
};
/** Another admin's change of the same key within this time is told to both. */
const COLLISION_MS = 60_000;

interface Target {
  at: Address;
  rest: string[];
  problem?: string;
}

function targetOf({ inbound }: CommandContext, args: string[]): Target {
  const [first = "", ...rest] = args;
  if (first === "" || isPath(first)) return { at: inbound.at, rest: args };
  if (!isChatId(inbound.at.channel, first)) {
    return {
      at: inbound.at,
      rest,
      problem: words.neitherKeyNorChat(first, inbound.at.channel),
    };
  }
  return { at: { ...inbound.at, chat: first, thread: undefined }, rest };
}

function isPath(text: string): boolean {
  return text in SHORT || ROOTS.includes(text.split(".")[0] ?? "");
}

export async function changePolicy(context: CommandContext, args: string[], set: boolean): Promise<string> {
  const { at, rest, problem } = targetOf(context, args);
  const [given = "", ...value] = rest;
  if (problem) return problem;
  if (!isPath(given)) return words.nameKey(ROOTS.join(", "));
  const path = SHORT[given] ?? given;
  const checked = set ? checkValue(path, value.join(" ")) : { value: undefined };
  if ("problem" in checked) return checked.problem;
  const before = await lastChange(context, at, path);
  const old = await change(context, settingKey.policy(chatKey(at), path), checked.value, describe(at, path));
  const told = before ? await tellOther(context, before, path) : "";
  const note = contradiction(context, at);
  return `${path}: ${show(old)} → ${show(checked.value)}.${told}${note}`;
}

const describe = (at: Address, path: string) => `policy ${chatKey(at)} ${path}`;
const show = (value: unknown) => (value === undefined ? "unset" : JSON.stringify(value));

function checkValue(path: string, text: string): { value: unknown } | { problem: string } {
  let last: string = words.valueMissing;
  for (const value of candidates(text)) {
    const result = chatPolicy.safeParse(nest(path.split("."), value));
    if (result.success) return { value };
    last = sentence(result.error);
  }
  return { problem: `${path}: ${last}` };
}

/** Written as YAML; a bare number may be an id, and one id may stand for a list of one. */
function candidates(text: string): unknown[] {
  if (text === "") return [];
  try {
    const parsed: unknown = parseYaml(text);
    return [parsed, text, [text], Array.isArray(parsed) ? parsed.map(String) : [String(parsed)]];
  } catch (error) {
    return messageOf(error) ? [text] : [];
  }
}

function sentence(error: z.ZodError): string {
  return error.issues.map((issue) => issue.message).join("; ");
}

function nest([head, ...rest]: string[], value: unknown): unknown {
  return head === undefined ? value : { [head]: nest(rest, value) };
}

async function lastChange(
  { deps, inbound }: CommandContext,
  at: Address,
  path: string,
): Promise<AuditEntry | undefined> {
  const recent = await deps.store.audits(50);
  return recent.find(
    (e) => e.what === describe(at, path) && e.who !== inbound.user.id && deps.now() - e.at < COLLISION_MS,
  );
}

async function tellOther({ deps, inbound }: CommandContext, before: AuditEntry, path: string): Promise<string> {
  const text = words.changedAfterYou(inbound.user.id, path);
  if (before.where !== chatKey(inbound.at)) {
    await deps.outbox
      .post(addressOf(before.where), () => ({ kind: "notice", text }))
      .catch((error) => {
        deps.log.warn({ error: messageOf(error) }, "the other admin could not be told");
      });
  }
  return ` ${words.replaces(before.who)}`;
}

/** Said, not refused: each alone can be meant. */
function contradiction({ deps }: CommandContext, at: Address): string {
  const policy = resolvePolicy(deps.config(), deps.settings, { at });
  const both = policy.tools.allow?.filter((tool) => policy.tools.deny?.includes(tool)) ?? [];
  const notes = [
    both.length > 0 ? words.bothAllowedAndDenied(both.join(", ")) : "",
    policy.respond === "never" && policy.followThreads ? words.neverFollows : "",
    policy.context.plan_approval !== "never" && policy.context.is_plan_mode === false ? words.approvalWithoutPlan : "",
  ].filter(Boolean);
  return notes.length > 0 ? ` Note: ${notes.join(" ")}` : "";
}

export async function showPolicy(context: CommandContext, args: string[]): Promise<string> {
  const { at, problem } = targetOf(context, args);
  if (problem) return problem;
  return policyTable(resolvePolicy(context.deps.config(), context.deps.settings, { at }));
}

export async function exportPolicies({ deps }: CommandContext): Promise<string> {
  const lines = Object.entries(deps.settings.all())
    .filter(([key]) => key.startsWith("policy:"))
    .map(([key, value]) => JSON.stringify({ key, value }));
  return lines.length > 0 ? ["```", ...lines, "```"].join("\n") : words.noPolicies;
}
