/** Buttons: who pressed what, is it still open, may they. A second press and a late one are answered, not obeyed. */
import type { Press } from "../channels/channel.ts";
import { answerFromPress } from "./answers.ts";
import type { CommandDeps } from "./commands/command.ts";
import { accessOf, isAdmin, mayAnswer, resolvePolicy } from "./policy.ts";
import { type PressToken, parseToken } from "./render.ts";
import { chatKey } from "./sessions.ts";
import type { Answer, Question, Run } from "./types.ts";
import { words } from "./words.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Resolves to one line for the person who pressed. */
export async function pressed(deps: CommandDeps, raw: Press): Promise<string | undefined> {
  const press = { ...raw, at: deps.settings.canonical(raw.at, chatKey) };
  const token = parseToken(press.token);
  const run = token && (await deps.store.run(chatKey(press.at), token.run));
  if (!token || !run || chatKey(run.inbound.at) !== chatKey(press.at)) return words.pressTooLate;
  if (!(await deps.store.once(`press/${press.id}`, DAY_MS))) return undefined;
  return token.action === "stop" ? stop(deps, run, press) : decide(deps, run, press, token);
}

/** Nobody decides who may not talk here; beyond that it depends on what is decided. */
function mayDecide(
  deps: CommandDeps,
  run: Run,
  { at, user }: Press,
  what: Pick<Question, "kind" | "byAdmin">,
): boolean {
  const config = deps.config();
  const policy = resolvePolicy(config, deps.settings, { at, user });
  const { kind } = run.inbound;
  if (accessOf({ config, settings: deps.settings, policy, at, kind, user }) !== "allowed") return false;
  const admin = isAdmin(config, deps.settings, at, user);
  return mayAnswer(what, policy, { isAdmin: admin, asker: run.inbound.user.id, user });
}

/** Stopping is for those who may approve. */
const STOPPING = { kind: "plan" } as const;

async function decide(deps: CommandDeps, run: Run, press: Press, token: PressToken): Promise<string | undefined> {
  const { question } = run;
  if (run.status !== "waiting" || !question?.id.startsWith(token.question ?? "")) return words.pressTooLate;
  if (!mayDecide(deps, run, press, question)) return words.pressNotYours;
  if (token.action === "chg") return words.pressChange;
  const answer = answerFromPress(question, token.action, token.option, press.user);
  const taken = answer && (await takeAnswer(deps, run.session, run.id, `${press.id}/answer`, answer));
  if (!taken) return words.pressTooLate;
  return question.kind === "clarification" ? undefined : words.pressTaken(answer.decision);
}

async function stop(deps: CommandDeps, run: Run, press: Press): Promise<string> {
  if (run.status !== "running" && run.status !== "waiting") return words.pressTooLate;
  if (!mayDecide(deps, run, press, STOPPING)) return words.pressStopNotYours;
  await stopRun(deps, run, press.user, chatKey(press.at));
  return words.pressStopping;
}

/** Ends a running or waiting run wherever it lives; `where` is the chat key for the audit log. */
export async function stopRun(deps: CommandDeps, run: Run, by: Press["user"], where: string): Promise<void> {
  await deps.store.requestStop(run.session, run.id, { by, at: deps.now() });
  if (run.status === "waiting") await deps.runs.close(run, "stopped");
  deps.runs.stop(run.id);
  deps.lanes.kick(run.session);
  await deps.store.audit({ at: deps.now(), who: by.id, where, what: `stop run ${run.id}` });
}

/** Records the answer and wakes the run. False: the question is no longer open. */
export async function takeAnswer(
  deps: CommandDeps,
  key: string,
  run: string,
  id: string,
  answer: Answer,
): Promise<boolean> {
  const taken = await deps.store.answer(key, run, id, answer);
  if (taken === "closed") return false;
  deps.lanes.kick(key);
  if (answer.decision !== "answer" && taken === "taken") {
    const where = key.split("/").slice(0, 3).join("/");
    await deps.store.audit({ at: deps.now(), who: answer.by.id, where, what: `${answer.decision} run ${run}` });
  }
  return true;
}
