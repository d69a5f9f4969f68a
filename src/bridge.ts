/** The inbound pipeline: what arrives at the door becomes a command, an answer, a queued run, or nothing. */
import type { Door, Edit, Inbound, Migration } from "../channels/channel.ts";
import { answerFromText } from "./answers.ts";
import type { CommandDeps } from "./commands/command.ts";
import { commandNames, runCommand } from "./commands/index.ts";
import { parseCommand, parseNative } from "./commands/parse.ts";
import { messageOf } from "./errors.ts";
import { newRun } from "./new-run.ts";
import {
  type Access,
  accessOf,
  isAdmin,
  mayAnswer,
  type Policy,
  quietUntil,
  resolvePolicy,
  respondsTo,
} from "./policy.ts";
import { pressed, takeAnswer } from "./presses.ts";
import { chatKey, runId, sessionKey } from "./sessions.ts";
import { settingKey } from "./settings.ts";
import type { Lookup } from "./state/store.ts";
import { greetStranger } from "./strangers.ts";
import type { Run, SessionContext } from "./types.ts";
import { words } from "./words.ts";

/** One message with all that is known about it. */
interface Arrival {
  inbound: Inbound;
  key: string;
  policy: Policy;
  lookup: Lookup;
  isAdmin: boolean;
  /** The chat is silenced: an admin's commands are heard, nothing else. */
  onlyCommands: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

export function createBridge(deps: CommandDeps): Door {
  const log = deps.log;

  async function accept(raw: Inbound): Promise<void> {
    const inbound = { ...raw, at: deps.settings.canonical(raw.at, chatKey) };
    const arrival = await look(inbound);
    if (!arrival) return;
    const access = accessOf({ config: deps.config(), settings: deps.settings, ...inbound, policy: arrival.policy });
    if (access !== "allowed") return refuse(arrival, access);
    if ((await asCommand(arrival)) || arrival.onlyCommands) return;
    if (await asAnswer(arrival)) return;
    // A native command that got this far is a skill; skills are called by name in the text.
    const { command: skill } = inbound;
    await asMessage(arrival, skill ? `/${skill.name} ${skill.args}`.trim() : inbound.text, undefined);
  }

  /** Undefined: not for us. Costs one read where the thread decides, none where the text does. */
  async function look(inbound: Inbound): Promise<Arrival | undefined> {
    const { at, user, kind } = inbound;
    const config = deps.config();
    const general = resolvePolicy(config, deps.settings, { at, user });
    const addressed = inbound.addressed && (!inbound.byReply || general.replyIsMention);
    const admin = isAdmin(config, deps.settings, at, user);
    // An admin who silenced a chat can still lift that there.
    const mute = addressed && admin && general.respond === "never" && kind === "group";
    const facts = { kind, addressed, known: true, inThread: at.thread !== undefined };
    if (!mute && !respondsTo(general, facts)) return undefined;
    const key = sessionKey(at, general.scope, user.id);
    const replyTo = inbound.replyTo === undefined ? undefined : { at, id: inbound.replyTo };
    const lookup = await deps.store.lookup(key, replyTo);
    if (!mute && !respondsTo(general, { ...facts, known: lookup.session !== undefined })) return undefined;
    const policy = resolvePolicy(config, deps.settings, { at, user, session: lookup.session?.overrides });
    return { inbound, key: lookup.session?.key ?? key, policy, lookup, isAdmin: admin, onlyCommands: mute };
  }

  async function refuse({ inbound }: Arrival, access: Exclude<Access, "allowed">): Promise<void> {
    log.info({ channel: inbound.at.channel, chat: inbound.at.chat, user: inbound.user.id, access }, "sender refused");
    if (inbound.kind === "dm" && access === "not_listed") await greetStranger(deps, inbound);
  }

  async function asCommand(arrival: Arrival): Promise<boolean> {
    const { inbound } = arrival;
    const native = inbound.command;
    const parsed = native ? parseNative(native, commandNames) : parseCommand(inbound.text, commandNames);
    if (parsed.kind === "chat") return false;
    if (parsed.kind === "unknown" && (await isSkill(parsed.name))) return false;
    if (await alreadyDone(inbound)) return true;
    if (parsed.kind === "unknown") {
      await reply(inbound, words.unknownCommand(parsed.name, parsed.suggestion));
      return true;
    }
    await command(arrival, parsed.name, parsed.args);
    return true;
  }

  /** Skills are called like commands, but the agent carries them out. */
  async function isSkill(name: string): Promise<boolean> {
    return (await deps.knowledge().skills()).some((skill) => skill.name === name);
  }

  /** Twins come within a second; a redelivery after a crash comes later and finds whether it was carried out. */
  async function alreadyDone(inbound: Inbound): Promise<boolean> {
    if (!(await deps.store.once(`command/${inbound.id}`, 20_000))) return true;
    return (await deps.store.get(`commanded/${inbound.id}`)) !== undefined;
  }

  async function command(arrival: Arrival, name: string, args: string): Promise<void> {
    const { inbound } = arrival;
    log.info({ channel: inbound.at.channel, chat: inbound.at.chat, user: inbound.user.id, name }, "command");
    try {
      const result = await runCommand(name, { ...arrival, args, deps });
      await deps.store.put(`commanded/${inbound.id}`, true, 2 * DAY_MS);
      if ("say" in result) await reply(inbound, result.say);
      else await asMessage(arrival, result.task, result.once);
    } catch (error) {
      log.error({ name, error: messageOf(error) }, "command failed");
      await reply(inbound, words.commandFailed);
    }
  }

  /** A run of this session waits for a person: this message is the answer. */
  async function asAnswer({ inbound, key, policy, lookup, isAdmin }: Arrival): Promise<boolean> {
    const { active } = lookup;
    if (active?.status !== "waiting" || !active.question) return false;
    const { question } = active;
    if (!mayAnswer(question, policy, { isAdmin, asker: active.askedBy, user: inbound.user })) return false;
    const answer = answerFromText(question, inbound.text, inbound.user);
    const taken = await takeAnswer(deps, key, active.id, inbound.id, answer);
    if (taken && inbound.attachments.length > 0) await replyOnce(inbound, words.filesWithAnswer);
    return taken;
  }

  async function asMessage(arrival: Arrival, text: string, once: Partial<SessionContext> | undefined): Promise<void> {
    const { inbound, policy, isAdmin } = arrival;
    if (text.trim() === "" && inbound.attachments.length === 0 && !inbound.quoted) {
      return replyOnce(inbound, words.onlyMention);
    }
    const quiet = isAdmin ? undefined : quietUntil(policy, deps.now());
    if (quiet) return replyOnce(inbound, words.quiet(quiet));
    if (deps.settings.isPaused(chatKey(inbound.at))) return replyOnce(inbound, words.pausedChat);
    if (await asSteer(arrival, text, once)) return;
    await enqueue(arrival, text, once);
  }

  /** What a message does while a run is active, where it does not simply queue. */
  async function asSteer({ inbound, key, policy, lookup }: Arrival, text: string, once: object | undefined) {
    const { active } = lookup;
    if (!active || once) return false;
    if (policy.queue === "reject") {
      await replyOnce(inbound, words.busyRejected);
      return true;
    }
    if (policy.queue === "interrupt") {
      await deps.store.requestStop(key, active.id, { by: inbound.user, at: deps.now() });
      deps.runs.stop(active.id);
      return false;
    }
    const target =
      policy.queue === "steer" ? active.id : policy.queue === "collect" ? await lastQueued(key) : undefined;
    if (target === undefined || inbound.attachments.length > 0) return false;
    const { id, name } = inbound.user;
    const taken = await deps.store.steer(key, target, { id: inbound.id, text, speaker: { id, name } });
    if (taken === "taken" && policy.queue === "steer") await reply(inbound, words.steered);
    return taken !== "closed";
  }

  async function lastQueued(key: string): Promise<string | undefined> {
    return (await deps.store.queue(key)).at(-1);
  }

  async function enqueue(arrival: Arrival, text: string, once: Partial<SessionContext> | undefined): Promise<void> {
    const { key, lookup } = arrival;
    if (lookup.queued >= deps.config().runs.max_queue) return replyOnce(arrival.inbound, words.queueFull);
    const accepted = await deps.store.accept(runOf(arrival, text, once));
    log.info({ session: key, message: arrival.inbound.id, accepted: accepted.kind }, "message accepted");
    if (accepted.kind === "queued") deps.seen.show(arrival.inbound);
    deps.lanes.kick(key);
  }

  function runOf(
    { inbound, key, policy, lookup }: Arrival,
    text: string,
    once: Partial<SessionContext> | undefined,
  ): Run {
    return newRun({
      inbound: { ...inbound, text },
      session: key,
      threadId: lookup.session?.threadId ?? `${key}#0`,
      context: { ...policy.context, ...once },
      now: deps.now(),
    });
  }

  async function edited(raw: Edit): Promise<void> {
    const at = deps.settings.canonical(raw.at, chatKey);
    const { scope } = resolvePolicy(deps.config(), deps.settings, { at, user: raw.user });
    const key = sessionKey(at, scope, raw.user.id);
    const done = await deps.store.edit(key, runId(raw.inboundId), { ...raw, at });
    log.debug({ message: raw.inboundId, done }, "message edited");
  }

  /** Sessions stay filed under the chat's first id; only the way out changes. */
  async function migrated({ from, to }: Migration): Promise<void> {
    const first = deps.settings.canonical(from, chatKey);
    if (chatKey(first) === chatKey(to)) return;
    const alias = { from: first.chat, to: to.chat, fromKey: chatKey(first) };
    const entry = {
      at: deps.now(),
      who: "platform",
      where: chatKey(to),
      what: "chat migrated",
      old: from.chat,
      new: to.chat,
    };
    await deps.settings.set(settingKey.alias(chatKey(to)), alias, entry);
    log.info({ channel: to.channel, from: from.chat, to: to.chat }, "chat migrated");
  }

  /** What a native command answers is its sender's business alone, where the platform can keep it so. */
  async function reply(inbound: Inbound, text: string): Promise<void> {
    const onlyFor = inbound.command ? inbound.user.id : undefined;
    try {
      for (const piece of deps.channel(inbound.at).split(text)) {
        await deps.outbox.post(inbound.at, () => ({ kind: "notice", text: piece }), { onlyFor });
      }
    } catch (error) {
      log.warn({ chat: inbound.at.chat, error: messageOf(error) }, "reply not sent");
    }
  }

  async function replyOnce(inbound: Inbound, text: string): Promise<void> {
    if (await deps.store.once(`reply/${inbound.id}`, 2 * DAY_MS)) await reply(inbound, text);
  }

  return { accept, edited, press: (press) => pressed(deps, press), migrated };
}
