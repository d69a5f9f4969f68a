/** What each payload of Slack means for the bridge, and when it is acknowledged. */
import { setTimeout as sleep } from "node:timers/promises";
import type { webApi } from "@slack/bolt";
import type { ChannelLog, Door, Press } from "../channel.ts";
import { slackUrl } from "./files.ts";
import { rawText, type Self, toCommand, toEdit, toInbound, toPress, toStop } from "./inbound.ts";
import type { Names } from "./names.ts";
import type { RawBody, RawCommand, RawMessage, RawPress } from "./raw.ts";
import type { Intake } from "./receiver.ts";
import { mentionedUsers } from "./text.ts";

export interface EventDeps {
  door: Door;
  self: Self;
  names: Names;
  client: webApi.WebClient;
  apiUrl: string;
  log: ChannelLog;
  now(): number;
}

/** Slack shows a warning beside a button that is not acknowledged within 3 s. */
const PRESS_MS = 2000;

/** One after the other per chat: while names are looked up, a later message must not overtake. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async function inTurn<T>(key: string, job: () => Promise<T>): Promise<T> {
    const mine = (last.get(key) ?? Promise.resolve()).then(job, job);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

const peopleIn = (message: RawMessage): string[] =>
  [message.user ?? "", ...mentionedUsers(rawText(message))].filter((id) => id !== "");

async function takeEvent(body: RawBody, { door, self, names }: EventDeps): Promise<void> {
  const message = body.event?.message ?? body.event;
  // Asked without names first: nobody's name is looked up for what is dropped anyway.
  if (message === undefined || !(toInbound(body, self) ?? toEdit(body, self) ?? toStop(body, self))) return;
  await names.learn(peopleIn(message).filter((id) => id !== self.userId));
  const inbound = toInbound(body, self, names.of) ?? toStop(body, self, names.of);
  if (inbound !== undefined) return door.accept(inbound);
  const edit = toEdit(body, self, names.of);
  if (edit !== undefined) await door.edited(edit);
}

async function whisper(body: RawPress, press: Press, line: string, deps: EventDeps): Promise<void> {
  const { thread } = press.at;
  const inThread = thread === undefined || thread === press.message.id ? {} : { thread_ts: thread };
  const reply = { response_type: "ephemeral", replace_original: false, text: line, ...inThread };
  if (body.response_url !== undefined) {
    const url = slackUrl(body.response_url, deps.apiUrl);
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(10_000);
    const sent = await fetch(url, { method: "POST", headers, body: JSON.stringify(reply), signal, redirect: "error" });
    if (sent.ok) return;
  }
  await deps.client.chat.postEphemeral({ channel: press.at.chat, user: press.user.id, text: line, ...inThread });
}

/** A press that fails at once is not acknowledged, so the person sees Slack's warning; a slow one is, and goes on. */
async function takePress(body: RawPress, ack: () => Promise<void>, deps: EventDeps): Promise<void> {
  const press = toPress(body, deps.self);
  if (press === undefined) return ack();
  const answer = deps.door.press(press);
  await Promise.race([answer, sleep(PRESS_MS, undefined, { ref: false })]);
  await ack();
  const line = await answer;
  if (line === undefined) return;
  await whisper(body, press, line, deps).catch((error: unknown) => {
    deps.log.warn({ error: String(error) }, "Slack: the answer to a button press could not be shown");
  });
}

export function createIntake(deps: EventDeps): Intake {
  const inTurn = createTurns();
  // Slack's payloads are read with optional fields only (raw.ts), so these views of `body` promise nothing.
  return async (body, ack) => {
    if (body.type === "event_callback") {
      const event = body as RawBody;
      await inTurn(event.event?.channel ?? "", () => takeEvent(event, deps));
      return ack();
    }
    if (body.type === "block_actions") return takePress(body as RawPress, ack, deps);
    if (typeof body.command === "string") {
      const command = toCommand(body as RawCommand, deps.self, deps.now());
      if (command !== undefined) await deps.door.accept(command);
    }
    await ack();
  };
}
