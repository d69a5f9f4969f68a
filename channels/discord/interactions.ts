/** Slash commands and buttons. Discord wants a first answer within three seconds, so it comes before any work. */
import { InteractionResponseType, InteractionType, MessageFlags, Routes } from "discord.js";
import type { Address, ChannelLog, Content, Door, Inbound, MessageRef } from "../channel.ts";
import type { Api } from "./api.ts";
import { type Self, toCommand, toPress } from "./inbound.ts";
import { type Body, bodyOf } from "./outbound.ts";
import type { RawInteraction } from "./raw.ts";
import { Recent } from "./recent.ts";

export interface InteractionsDeps {
  api: Api;
  log: ChannelLog;
  now(): number;
}

export interface Interactions {
  handle(interaction: RawInteraction, door: Door, self: Self): Promise<void>;
  /** Answers a slash command so that only its sender sees it; undefined: there is none to answer. */
  answer(to: Address, content: Content, onlyFor: string | undefined): Promise<MessageRef | undefined>;
}

interface Waiting {
  application: string;
  token: string;
  openUntil: number;
  answered: boolean;
}

/** Discord closes an interaction after 15 minutes. */
const OPEN_MS = 14 * 60_000;
const FAILED = "That did not work. Please try again in a minute.";

export function createInteractions({ api, log, now }: InteractionsDeps): Interactions {
  const waiting = new Recent<Waiting>();

  async function handle(interaction: RawInteraction, door: Door, self: Self): Promise<void> {
    if (interaction.type === InteractionType.ApplicationCommand) await command(interaction, door, self);
    if (interaction.type === InteractionType.MessageComponent) await press(interaction, door, self);
  }

  async function command(interaction: RawInteraction, door: Door, self: Self): Promise<void> {
    const inbound = toCommand(interaction, self);
    if (!inbound) return;
    const { application_id: application, token } = interaction;
    const mine = { application, token, openUntil: now() + OPEN_MS, answered: false };
    await acknowledge(interaction, InteractionResponseType.DeferredChannelMessageWithSource);
    waiting.set(keyOf(inbound.at, inbound.user.id), mine);
    await finish(mine, await accepted(inbound, door));
  }

  async function accepted(inbound: Inbound, door: Door): Promise<boolean> {
    try {
      await door.accept(inbound);
      return true;
    } catch (error) {
      log.error({ command: inbound.command?.name, error: String(error) }, "command not taken");
      return false;
    }
  }

  /** Whatever is left of "thinking…": the answer stands in the chat, or there is none. */
  async function finish(mine: Waiting, taken: boolean): Promise<void> {
    if (mine.answered) return;
    const route = Routes.webhookMessage(mine.application, mine.token, "@original");
    const request = taken
      ? api.call("DELETE", route, { auth: false })
      : api.call("PATCH", route, { auth: false, body: bodyOf({ kind: "notice", text: FAILED }) });
    if (!taken) mine.answered = true;
    await request.catch((error: unknown) => log.warn({ error: String(error) }, "interaction not closed"));
    mine.openUntil = taken ? 0 : mine.openUntil;
  }

  async function press(interaction: RawInteraction, door: Door, self: Self): Promise<void> {
    const pressed = toPress(interaction, self);
    if (!pressed) return;
    await acknowledge(interaction, InteractionResponseType.DeferredMessageUpdate);
    const line = await door.press(pressed).catch((error: unknown) => {
      log.error({ error: String(error) }, "button press not taken");
      return FAILED;
    });
    if (!line) return;
    await followUp(interaction.application_id, interaction.token, bodyOf({ kind: "notice", text: line })).catch(
      (error: unknown) => log.warn({ error: String(error) }, "answer to a press not sent"),
    );
  }

  /** Too late is no reason not to do what the person asked for. */
  async function acknowledge({ id, token }: RawInteraction, type: InteractionResponseType): Promise<void> {
    const body = { type, data: { flags: MessageFlags.Ephemeral } };
    await api
      .call("POST", Routes.interactionCallback(id, token), { auth: false, body })
      .catch((error: unknown) => log.warn({ error: String(error) }, "interaction not acknowledged"));
  }

  async function answer(to: Address, content: Content, onlyFor: string | undefined): Promise<MessageRef | undefined> {
    if (onlyFor === undefined || (content.kind !== "notice" && content.kind !== "markdown")) return undefined;
    const mine = waiting.get(keyOf(to, onlyFor));
    if (!mine || mine.openUntil < now()) return undefined;
    const body = bodyOf(content);
    const first = !mine.answered;
    mine.answered = true;
    try {
      const { id } = first ? await fill(mine, body) : await followUp(mine.application, mine.token, body);
      return { at: to, id };
    } catch (error) {
      log.warn({ error: String(error) }, "private answer not possible; answering in the chat");
      return undefined;
    }
  }

  function fill({ application, token }: Waiting, body: Body): Promise<{ id: string }> {
    return api.call("PATCH", Routes.webhookMessage(application, token, "@original"), { auth: false, body });
  }

  function followUp(application: string, token: string, body: Body): Promise<{ id: string }> {
    const hidden = { ...body, flags: MessageFlags.Ephemeral };
    return api.call("POST", Routes.webhook(application, token), { auth: false, body: hidden });
  }

  return { handle, answer };
}

const keyOf = (at: Address, user: string) => `${at.chat}/${at.thread ?? ""}/${user}`;
