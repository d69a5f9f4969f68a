/** Verbs of the inbound pipeline: what a message, an edit or a press does. */
import type { Question, RunStatus } from "../types.ts";
import { decodeSession, encodeRun, fieldsOf } from "./redis-codec.ts";
import type { RedisParts } from "./redis-parts.ts";
import { accept, answer, edit, lookup, requestStop, steer } from "./redis-scripts-inbound.ts";
import { REF_MS, SEEN_MS } from "./retention.ts";
import type { Lookup, RunHead, Signal, Steer, Store } from "./store.ts";

type Inbound = Pick<
  Store,
  "lookup" | "accept" | "answer" | "edit" | "steer" | "steers" | "ackSteers" | "requestStop" | "remember"
>;

export function redisInbound({ link, keys, sessionMs, now }: RedisParts): Inbound {
  return {
    async lookup(session, replyTo) {
      const { partition, queue } = keys.ofSession(session);
      const names = [queue, ...(replyTo ? [keys.ref(session, replyTo.id)] : [])];
      const args = [session, partition.sessionPrefix, partition.queuePrefix, keys.runPrefix(session)];
      return lookupFrom(await link.script("request", lookup, names, args));
    },

    async accept(run) {
      const { session, id, queuedAt } = run;
      const { partition, ...own } = keys.ofSession(session);
      const seen = keys.seen(session, run.inbound.id);
      const names = [own.session, own.queue, partition.waiting, partition.sessions, seen, keys.run(session, id)];
      const news = signalArgs({ kind: "wake", session });
      const args = [session, id, queuedAt, SEEN_MS, sessionMs, ...news, ...encodeRun(run)];
      const position = Number(await link.script("request", accept, names, args));
      return position === 0 ? { kind: "duplicate" } : { kind: "queued", position };
    },

    async answer(session, run, inboundId, given) {
      const { partition, ...own } = keys.ofSession(session);
      const seen = keys.seen(session, inboundId);
      const names = [own.session, partition.waiting, partition.sessions, seen, keys.run(session, run)];
      const news = signalArgs({ kind: "wake", session });
      const args = [session, now(), SEEN_MS, given.questionId, JSON.stringify(given), ...news];
      // The script's own three words.
      return (await link.script("request", answer, names, args)) as "taken" | "closed" | "duplicate";
    },

    async edit(session, run, { editedAt, text }) {
      const args = [editedAt, JSON.stringify(text)];
      const done = await link.script("request", edit, [keys.run(session, run)], args);
      return done as "edited" | "too_late" | "unknown"; // The script's own three words.
    },

    async steer(session, run, message) {
      const names = [keys.run(session, run), keys.steers(session, run), keys.seen(session, message.id)];
      const args = [message.id, JSON.stringify(message), SEEN_MS, ...signalArgs({ kind: "steer", run })];
      return (await link.script("request", steer, names, args)) as "taken" | "closed" | "duplicate";
    },

    async steers(session, run) {
      return steersFrom(await link.call("work", (client) => client.hvals(keys.steers(session, run))));
    },

    async ackSteers(session, run, ids) {
      if (ids.length > 0) await link.call("work", (client) => client.hdel(keys.steers(session, run), ...ids));
    },

    async requestStop(session, run, by) {
      const names = [keys.run(session, run), keys.ofSession(session).partition.waiting];
      const args = [session, JSON.stringify(by), now(), ...signalArgs({ kind: "stop", run })];
      await link.script("request", requestStop, names, args);
    },

    async remember(ref, session) {
      await link.call("work", (client) => client.set(keys.ref(session, ref.id), session, "PX", REF_MS));
    },
  };

  function signalArgs(signal: Signal): [string, string] {
    return [keys.signals, JSON.stringify(signal)];
  }
}

function lookupFrom(reply: unknown): Lookup {
  // Result of the script `lookup`.
  const [key, fields, queued, active, head] = reply as [string, string[]?, number?, string?, (string | null)[]?];
  const session = fields && decodeSession(key, fieldsOf(fields));
  return { session, active: active ? headFrom(active, head ?? []) : undefined, queued: queued ?? 0 };
}

function headFrom(id: string, [status, askedBy, question]: (string | null | undefined)[]): RunHead | undefined {
  if (!status) return undefined;
  return {
    id,
    status: JSON.parse(status) as RunStatus, // Written by our scripts only.
    askedBy: askedBy ?? "",
    question: question ? (JSON.parse(question) as Question) : undefined,
  };
}

/** Values are `<order>:<JSON>`. */
function steersFrom(values: string[]): Steer[] {
  const parts = values.map((value) => ({
    order: Number.parseInt(value, 10),
    json: value.slice(value.indexOf(":") + 1),
  }));
  return parts.toSorted((a, b) => a.order - b.order).map(({ json }) => JSON.parse(json) as Steer); // Written by `steer`.
}
