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

/** A slash command that can still be answered for its sender's eyes. */
interface Waiting {
  application: string;
  token: string;
  openUntil: number;
  answered: boolean;
}

/** Discord closes an interaction after 15 minutes. */
const OPEN_MS = 14 * 60_000;
const FAILED = "That did not work. Please try again in a minute.";

export class Interactions {
  readonly #deps: InteractionsDeps;
  readonly #waiting = new Recent<Waiting>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: InteractionsDeps) {
    this.#deps = deps;
  }

  handle(interaction: RawInteraction, door: Door, self: Self): void {
    const work = this.#work(interaction, door, self)
      .catch((error: unknown) => this.#deps.log.error({ error: String(error) }, "interaction not handled"))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Resolves when all that came has been handled. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Answers a slash command so that only its sender sees it; undefined: there is none to answer. */
  async answer(to: Address, content: Content, onlyFor: string | undefined): Promise<MessageRef | undefined> {
    if (onlyFor === undefined || (content.kind !== "notice" && content.kind !== "markdown")) return undefined;
    const mine = this.#waiting.get(keyOf(to, onlyFor));
    if (!mine || mine.openUntil < this.#deps.now()) return undefined;
    const body = bodyOf(content);
    const isFirst = !mine.answered;
    mine.answered = true;
    try {
      const { id } = await (isFirst ? this.#fill(mine, body) : this.#followUp(mine, body));
      return { at: to, id };
    } catch (error) {
      this.#warn(error, "private answer not possible; answering in the chat");
      return undefined;
    }
  }

  async #work(interaction: RawInteraction, door: Door, self: Self): Promise<void> {
    if (interaction.type === InteractionType.ApplicationCommand) await this.#command(interaction, door, self);
    if (interaction.type === InteractionType.MessageComponent) await this.#press(interaction, door, self);
  }

  async #command(interaction: RawInteraction, door: Door, self: Self): Promise<void> {
    const inbound = toCommand(interaction, self);
    if (!inbound) return;
    const { application_id: application, token } = interaction;
    const mine = { application, token, openUntil: this.#deps.now() + OPEN_MS, answered: false };
    await this.#acknowledge(interaction, {
      type: InteractionResponseType.DeferredChannelMessageWithSource,
      data: { flags: MessageFlags.Ephemeral },
    });
    this.#waiting.set(keyOf(inbound.at, inbound.user.id), mine);
    const isTaken = await this.#accepted(inbound, door);
    if (!mine.answered) await this.#finish(mine, isTaken);
  }

  async #accepted(inbound: Inbound, door: Door): Promise<boolean> {
    try {
      await door.accept(inbound);
      return true;
    } catch (error) {
      this.#deps.log.error({ command: inbound.command?.name, error: String(error) }, "command not taken");
      return false;
    }
  }

  /** What is left is "thinking…": the answer stands in the chat, or there will be none. */
  async #finish(mine: Waiting, isTaken: boolean): Promise<void> {
    mine.openUntil = 0;
    const { application, token } = mine;
    const request = isTaken
      ? this.#deps.api.call("DELETE", Routes.webhookMessage(application, token, "@original"), { auth: false })
      : this.#fill(mine, bodyOf({ kind: "notice", text: FAILED }));
    await request.catch((error: unknown) => this.#warn(error, "interaction not closed"));
  }

  async #press(interaction: RawInteraction, door: Door, self: Self): Promise<void> {
    const press = toPress(interaction, self);
    if (!press) return;
    await this.#acknowledge(interaction, { type: InteractionResponseType.DeferredMessageUpdate });
    const line = await door.press(press).catch((error: unknown) => {
      this.#deps.log.error({ error: String(error) }, "button press not taken");
      return FAILED;
    });
    if (!line) return;
    const target = { application: interaction.application_id, token: interaction.token };
    await this.#followUp(target, bodyOf({ kind: "notice", text: line })).catch((error: unknown) =>
      this.#warn(error, "answer to a press not sent"),
    );
  }

  /** Too late is no reason not to do what the person asked for. */
  async #acknowledge({ id, token }: RawInteraction, body: { type: InteractionResponseType; data?: object }) {
    await this.#deps.api
      .call("POST", Routes.interactionCallback(id, token), { auth: false, body })
      .catch((error: unknown) => this.#warn(error, "interaction not acknowledged"));
  }

  #fill({ application, token }: Pick<Waiting, "application" | "token">, body: Body): Promise<{ id: string }> {
    return this.#deps.api.call("PATCH", Routes.webhookMessage(application, token, "@original"), { auth: false, body });
  }

  #followUp({ application, token }: Pick<Waiting, "application" | "token">, body: Body): Promise<{ id: string }> {
    const hidden = { ...body, flags: MessageFlags.Ephemeral };
    return this.#deps.api.call("POST", Routes.webhook(application, token), { auth: false, body: hidden });
  }

  #warn(error: unknown, what: string): void {
    this.#deps.log.warn({ error: String(error) }, what);
  }
}

const keyOf = (at: Address, user: string) => `${at.chat}/${at.thread ?? ""}/${user}`;
