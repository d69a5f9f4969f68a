/** `/admin …`: for admins by platform id. Every change is written to the audit log in the same step. */
import type { Address } from "../../channels/channel.ts";
import { closePairing, pairingOf } from "../pairing.ts";
import { isOwner } from "../policy.ts";
import { stopRun } from "../presses.ts";
import { chatKey } from "../sessions.ts";
import { settingKey } from "../settings.ts";
import { words } from "../words.ts";
import { changePolicy, exportPolicies, showPolicy } from "./admin-policy.ts";
import { type Command, type CommandContext, type CommandResult, change } from "./command.ts";
import { isUserId } from "./ids.ts";
import { words as split } from "./parse.ts";

type Sub = (context: CommandContext, args: string[]) => Promise<string>;

async function ruling(context: CommandContext, args: string[], value: "allow" | "deny"): Promise<string> {
  const [user, where] = args;
  const { at } = context.inbound;
  if (!user || !isUserId(at.channel, user)) return words.nameUser(at.channel, `${value} <user id> [everywhere]`);
  const place = where === "everywhere" ? at.channel : chatKey(at);
  await change(context, settingKey.ruling(place, user), value, `${value} ${user}`);
  return words.ruled(user, value === "allow", where === "everywhere" ? at.channel : undefined);
}

const list: Sub = async ({ deps, inbound, policy }) => {
  const { channel } = inbound.at;
  const rulings = Object.entries(deps.settings.all())
    .filter(([key]) => key.startsWith(`ruling:${channel}:`) || key.startsWith(`ruling:${chatKey(inbound.at)}:`))
    .map(([key, value]) => `- ${decodeURIComponent(key.split(":")[2] ?? "")}: ${value}`);
  const owners = deps.config().admins[channel];
  return [
    words.owners(owners.join(", ")),
    words.granted(deps.settings.admins(channel).join(", ")),
    words.allowedHere(policy.allowedUsers.join(", ")),
    ...rulings,
  ].join("\n");
};

const grant: Sub = async (context, [user]) => {
  const { at } = context.inbound;
  if (!user || !isUserId(at.channel, user)) return words.nameUser(at.channel, "grant <user id>");
  await change(context, settingKey.admin(at.channel, user), true, `grant admin ${user}`);
  return words.adminNow(user, at.channel);
};

const revoke: Sub = async (context, [user]) => {
  const { inbound, deps } = context;
  const { at } = inbound;
  if (!user) return words.nameUser(at.channel, "revoke <user id>");
  if (isOwner(deps.config(), at, { id: user, name: "" })) return words.isOwner(user);
  if (!deps.settings.isAdmin(at.channel, user)) return words.notAdmin(user);
  await change(context, settingKey.admin(at.channel, user), undefined, `revoke admin ${user}`);
  return user === inbound.user.id ? words.youNoAdmin : words.noAdminNow(user);
};

const sessions: Sub = async ({ deps }) => {
  const found = await deps.store.sessions(30);
  const lines = found.map(
    (s) => `- ${s.key} · conversation ${s.epoch + 1} · last used ${new Date(s.usedAt).toISOString()}`,
  );
  return lines.join("\n") || words.noSessions;
};

const runs: Sub = async ({ deps }) => {
  const found = await deps.store.activeRuns(30);
  const lines = found.map(
    (run) => `- \`${run.id}\` ${run.status} in ${run.session}, try ${run.attempt}, by ${run.inbound.user.id}`,
  );
  return lines.join("\n") || words.noRuns;
};

const stop: Sub = async ({ deps, inbound }, [id]) => {
  const run = (await deps.store.activeRuns(1_000)).find((entry) => entry.id === id);
  if (!run) return words.noSuchRun;
  await stopRun(deps, run, inbound.user, chatKey(inbound.at));
  return words.stoppingRun(run.id);
};

async function pause(context: CommandContext, [where]: string[], on: boolean): Promise<string> {
  const place = where === "all" ? "*" : chatKey(context.inbound.at);
  await change(context, settingKey.pause(place), on ? true : undefined, on ? `pause ${place}` : `resume ${place}`);
  return words.pauseSet(on, where === "all");
}

const speak: Sub = async ({ inbound, deps }, [chat, ...text]) => {
  if (!chat || text.length === 0) return words.sayUsage;
  const to: Address = { ...inbound.at, chat, thread: undefined };
  await deps.outbox.post(to, () => ({ kind: "markdown", text: text.join(" ") }));
  await deps.store.audit({ at: deps.now(), who: inbound.user.id, where: chatKey(to), what: "say" });
  return words.said;
};

const audit: Sub = async ({ deps }, [number]) => {
  const entries = await deps.store.audits(Math.min(Number(number) || 20, 200));
  const lines = entries.map(
    (e) => `- ${new Date(e.at).toISOString()} ${e.who} in ${e.where}: ${e.what}${changeText(e.old, e.new)}`,
  );
  return lines.join("\n") || words.emptyAudit;
};

function changeText(old: unknown, next: unknown): string {
  if (old === undefined && next === undefined) return "";
  return ` (${JSON.stringify(old) ?? "unset"} → ${JSON.stringify(next) ?? "unset"})`;
}

const reload: Sub = async ({ deps }) => {
  const problems = await deps.reload();
  if (problems.length === 0) return words.reloaded;
  return [words.reloadRefused, ...problems.map((line) => `- ${line}`)].join("\n");
};

const pair: Sub = async (context, [code]) => {
  const found = code && (await pairingOf(context.deps.store, code));
  if (!found) return words.codeUnknown;
  await change(context, settingKey.ruling(found.channel, found.user), "allow", `pair ${found.user}`);
  await closePairing(context.deps.store, code);
  return words.paired(found.user, found.channel);
};

const policy: Sub = async (context, [action, ...args]) => {
  switch (action) {
    case "set":
      return changePolicy(context, args, true);
    case "unset":
      return changePolicy(context, args, false);
    case "export":
      return exportPolicies(context);
    default:
      return showPolicy(context, args);
  }
};

const SUBS: Record<string, Sub> = {
  policy,
  allow: (context, args) => ruling(context, args, "allow"),
  deny: (context, args) => ruling(context, args, "deny"),
  list,
  grant,
  revoke,
  sessions,
  runs,
  stop,
  pause: (context, args) => pause(context, args, true),
  resume: (context, args) => pause(context, args, false),
  say: speak,
  audit,
  reload,
  pair,
};

const USAGE = [
  "`/admin policy set [chat] <path> <value>`, `policy unset [chat] <path>`, `policy show [chat]`, `policy export`",
  "`/admin allow|deny <user id> [everywhere]`, `/admin list`, `/admin grant|revoke <user id>`, `/admin pair <code>`",
  "`/admin sessions`, `/admin runs`, `/admin stop <run>`, `/admin pause|resume [all]`",
  "`/admin say <chat id> <text>`, `/admin audit [number]`, `/admin reload`",
].join("\n");

async function admin(context: CommandContext): Promise<CommandResult> {
  const { deps, inbound } = context;
  const [name = "", ...args] = split(context.args);
  if (!context.isAdmin) {
    const entry = { at: deps.now(), who: inbound.user.id, where: chatKey(inbound.at), what: `refused: /admin ${name}` };
    await deps.store.audit(entry);
    return { say: words.adminsOnly };
  }
  if (!placeAllows(context)) return { say: words.notHere };
  const sub = SUBS[name];
  return { say: sub ? await sub(context, args) : USAGE };
}

function placeAllows({ deps, inbound }: CommandContext): boolean {
  const { at, kind } = inbound;
  const where = deps.config().channels[at.channel].admin_commands;
  return where === "anywhere" || (where === "dm" ? kind === "dm" : where.includes(at.chat));
}

export const adminCommands: Command[] = [
  {
    name: "admin",
    usage: "policy | allow | deny | list | grant | revoke | …",
    help: "administration",
    admin: true,
    run: admin,
  },
];
