/** The last words of a run: plan, answer, files; then the books are closed. */
import { join } from "node:path";
import type { Address, Channel, Content } from "../channels/channel.ts";
import { ChannelError } from "../channels/errors.ts";
import type { Config } from "../config/schema.ts";
import { deliver } from "./answer.ts";
import type { Board } from "./board.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import { answerPieces } from "./long-answer.ts";
import { newRun } from "./new-run.ts";
import type { Outbox } from "./outbox.ts";
import { questionBody } from "./render.ts";
import type { Seen } from "./seen.ts";
import { chatKey } from "./sessions.ts";
import type { Steer, Store } from "./state/store.ts";
import type { Outcome, Run } from "./types.ts";
import { words } from "./words.ts";
import { workspaceDir } from "./workspace.ts";

export interface EndDeps {
  root: string;
  config(): Config;
  store: Store;
  outbox: Outbox;
  channel(at: Address): Channel;
  board: Board;
  seen: Seen;
  owner: string;
  log: Log;
  now(): number;
  /** Steers that the agent has been given. */
  offered: string[];
}

export const DAY_MS = 24 * 60 * 60_000;

export function spendKey(at: Address, now: number): string {
  return `spent/${new Date(now).toISOString().slice(0, 10)}/${chatKey(at)}`;
}

export async function endRun(run: Run, outcome: Outcome, deps: EndDeps): Promise<void> {
  await lastWords(run, outcome, deps);
  deps.seen.clear(run.inbound);
  const { usage } = run;
  await deps.store.count(spendKey(run.inbound.at, deps.now()), usage.inputTokens + usage.outputTokens, DAY_MS);
  for (;;) {
    const finished = await deps.store.finish(run.session, run.id, deps.owner, outcome.kind, deps.now());
    if (finished !== "steered") {
      deps.log.info({ outcome: outcome.kind, finished, ...usage }, "run ends");
      return;
    }
    await requeueSteers(run, deps);
  }
}

/** A platform that refuses for good is logged; one that cannot be reached throws, and the last words are tried later. */
async function lastWords(run: Run, outcome: Outcome, deps: EndDeps): Promise<void> {
  const { store, outbox, board } = deps;
  try {
    // What was written so far stays to be read above the bad news.
    if (outcome.kind !== "done") run.draft = undefined;
    await board.end(outcome.kind);
    const channel = deps.channel(run.inbound.at);
    await deliver(run, await pieces(run, outcome, deps), {
      outbox,
      channel,
      save: (patch) => store.saveRun(run.session, run.id, patch),
      posted: (ref) => store.remember(ref, run.session),
    });
  } catch (error) {
    if (!(error instanceof ChannelError) || error.code === "unavailable" || error.code === "rate_limited") throw error;
    deps.log.error({ code: error.code, error: error.message }, "last word cannot be delivered");
  }
}

async function pieces(run: Run, outcome: Outcome, deps: EndDeps): Promise<Content[]> {
  // What the agent has handed over is sent, however the run went on.
  const files = (run.files ?? []).map(({ comment, ...file }): Content => ({ kind: "file", file, comment }));
  if (outcome.kind === "stopped") return [{ kind: "notice", text: outcome.text }, ...files];
  if (outcome.kind !== "done") return [{ kind: "notice", text: words.failed(outcome.text) }, ...files];
  const text = outcome.text.trim() === "" ? words.emptyAnswer : outcome.text;
  const channel = deps.channel(run.inbound.at);
  const folder = join(workspaceDir(deps.root, deps.config().workspace.dir, run.threadId), "outputs");
  return [...(await answerPieces({ text, channel, folder, name: `answer-${run.id}.md` })), ...files];
}

/** Messages that came after the last model step become runs of their own. */
async function requeueSteers(run: Run, deps: EndDeps): Promise<void> {
  const steers = await deps.store.steers(run.session, run.id);
  for (const steer of steers.filter(({ id }) => !deps.offered.includes(id))) {
    await deps.store.accept(runFromSteer(run, steer, deps.now()));
  }
  await deps.store.ackSteers(
    run.session,
    run.id,
    steers.map(({ id }) => id),
  );
}

/** The steer's own id is remembered as seen already, hence the mark behind it. */
function runFromSteer(run: Run, steer: Steer, now: number): Run {
  const inbound = { ...run.inbound, id: `${steer.id}+`, text: steer.text, user: steer.speaker, attachments: [] };
  return newRun({ inbound, session: run.session, threadId: run.threadId, context: run.context, now });
}

/** A question that is over keeps its text and loses its buttons. */
export async function showAnswered(deps: Pick<EndDeps, "outbox" | "log">, run: Run, answer: string): Promise<void> {
  const { question } = run;
  if (!question?.ref) return;
  const text = `${questionBody(question)}\n\n→ ${answer}`;
  try {
    await deps.outbox.edit(question.ref, () => ({ kind: "question", text, buttons: [] }));
  } catch (error) {
    deps.log.warn({ run: run.id, error: messageOf(error) }, "question could not be closed");
  }
}
