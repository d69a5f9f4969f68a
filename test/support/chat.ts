/** A Slack workspace with the whole bridge in it, and what people do and see there. */
import { type SlackEmulator, startSlackEmulator } from "./emulators/slack.ts";
import type { SlackMessage } from "./emulators/slack-store.ts";
import { type House, openaiModel, openHouse, slackChannel } from "./house.ts";
import { type ModelServer, type Reply, startModelServer } from "./model-server.ts";
import { type Folder, tempFolder } from "./process.ts";

export interface ChatOptions {
  /** Policy of the Slack channel. */
  slack?: object;
  models?: (server: ModelServer) => object[];
  /** Other keys of the config. */
  rest?: object;
}

interface Place {
  channel?: string;
  user?: string;
  thread?: string | undefined;
}

export class Chat {
  readonly slack: SlackEmulator;
  readonly model: ModelServer;
  readonly folder: Folder = tempFolder();
  #house: House | undefined;

  constructor(slack: SlackEmulator, model: ModelServer) {
    this.slack = slack;
    this.model = model;
  }

  static async start(model: { slowMs?: number } = {}): Promise<Chat> {
    return new Chat(await startSlackEmulator({ redeliverAfterMs: 2_000 }), await startModelServer(model));
  }

  /** Opens the bridge; when it is open already, that is a restart with the same state. */
  async open({ slack = {}, models, rest = {} }: ChatOptions = {}): Promise<void> {
    await this.#house?.close();
    this.#house = await openHouse({
      channels: slackChannel(this.slack, slack),
      models: models?.(this.model) ?? [openaiModel(this.model, { max_retries: 0 })],
      rest,
      folder: this.folder,
    });
  }

  async close(): Promise<void> {
    await this.#house?.close();
    await this.slack.stop();
    await this.model.stop();
    this.folder.remove();
  }

  get logs(): string[] {
    return this.#house?.logs ?? [];
  }

  /** Nothing runs or waits for a place. */
  async idle(): Promise<void> {
    await this.#house?.app.lanes.idle();
  }

  /** Mentions the bot in a channel; returns the thread. */
  ask(text: string, { channel = "C1", user = "U1", thread }: Place = {}): string {
    const ts = this.slack.say({
      channel,
      user,
      text: `<@U0BOT> ${text}`,
      ...(thread === undefined ? {} : { threadTs: thread }),
    });
    return thread ?? ts;
  }

  /** Each person has a direct message channel of their own. */
  dm(text: string, user = "U1"): void {
    this.slack.say({ channel: `D${user}`, user, text });
  }

  /** The bot's messages that are no plan, oldest first. */
  answers(channel = "C1", thread?: string): SlackMessage[] {
    return this.slack.posts(channel, thread).filter((message) => !isBoard(message));
  }

  boards(channel = "C1", thread?: string): SlackMessage[] {
    return this.slack.posts(channel, thread).filter(isBoard);
  }

  /** Waits for the answer with this number, counted from one, and returns its text. */
  async answer(count = 1, channel = "C1"): Promise<string> {
    const found = await this.slack.until(() => this.answers(channel)[count - 1], 10_000);
    return textOf(found);
  }

  /** Waits for a message of the bot that says this. */
  async says(part: string | RegExp, channel = "C1"): Promise<SlackMessage> {
    const fits = (text: string) => (typeof part === "string" ? text.includes(part) : part.test(text));
    return this.slack.until(() => this.answers(channel).find((message) => fits(textOf(message))), 10_000);
  }

  /** Waits for a button with this label and returns its token. */
  button(label: string, timeoutMs = 10_000): Promise<string> {
    return this.slack.until(() => this.buttons().find((button) => button.label === label)?.token, timeoutMs);
  }

  /** Everything that can be pressed now. */
  buttons(channel?: string): { label: string; token: string }[] {
    return this.slack.posts(channel).flatMap(({ blocks }) => blocks.flatMap(buttonsOf));
  }

  /** What people were told in private after a press. */
  whispers(user?: string): string[] {
    return this.slack.store.ephemerals.filter((one) => user === undefined || one.user === user).map(({ text }) => text);
  }

  /** Everything that any Slack message ever showed, former contents included. */
  everShown(): string {
    return JSON.stringify(this.slack.store.messages.filter(({ botId }) => botId !== undefined));
  }
}

export const isBoard = (message: SlackMessage): boolean => message.blocks.some((block) => block.type === "plan");

/** Blocks are what people read where there are any. */
export function textOf({ text, blocks }: SlackMessage): string {
  return blocks.length === 0 ? text : `${text}\n${JSON.stringify(blocks)}`;
}

function buttonsOf(block: Record<string, unknown>): { label: string; token: string }[] {
  const elements = (Array.isArray(block.elements) ? block.elements : []) as Record<string, unknown>[];
  return elements.flatMap(({ type, text, value }) =>
    type === "button" ? [{ label: String((text as { text?: string }).text), token: String(value) }] : [],
  );
}

/** A reply that calls tools. */
export function calls(...named: [name: string, args: Record<string, unknown>][]): Reply {
  return { calls: named.map(([name, args]) => ({ name, args })) };
}

export type Status = "pending" | "in_progress" | "completed";

export function plan(...statuses: Status[]): Reply {
  return calls(["write_todos", { todos: statuses.map((status, at) => ({ content: `step ${at + 1}`, status })) }]);
}
