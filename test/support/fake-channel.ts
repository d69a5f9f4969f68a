/** A chat platform in memory that behaves: keeps messages and their edit history, refuses what it is told to refuse. */
import type {
  Address,
  Channel,
  Content,
  Door,
  Inbound,
  MessageRef,
  Pace,
  PostOptions,
} from "../../channels/channel.ts";
import { ChannelError, type ChannelErrorInit } from "../../channels/errors.ts";

export interface FakeMessage {
  ref: MessageRef;
  /** Every state it was shown in, the last one now. */
  history: Content[];
  nonce: string | undefined;
  deleted: boolean;
}

export interface FakeChannel extends Channel {
  messages: FakeMessage[];
  /** The next `times` calls of `what` are refused. */
  refuse(what: "post" | "edit", error: ChannelErrorInit, times?: number): void;
  /** Waits here before each call reaches the platform. */
  slow(ms: number): void;
  pacing: Pace[];
  texts(): string[];
  boards(): FakeMessage[];
  say(text: string, more?: Partial<Inbound>): Promise<Inbound>;
  door: Door | undefined;
}

let counter = 0;

export function createFakeChannel(): FakeChannel {
  const refusals: { what: "post" | "edit"; error: ChannelErrorInit }[] = [];
  let delay = 0;
  const gate = async (what: "post" | "edit") => {
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    const index = refusals.findIndex((refusal) => refusal.what === what);
    const [refusal] = index < 0 ? [] : refusals.splice(index, 1);
    if (refusal) throw new ChannelError(refusal.error);
  };
  const fake: FakeChannel = {
    name: "slack",
    capabilities: { edits: true, threads: true, buttons: true, files: true, streaming: false, dialect: "Markdown." },
    messages: [],
    pacing: [],
    door: undefined,
    refuse(what, error, times = 1) {
      for (let i = 0; i < times; i++) refusals.push({ what, error });
    },
    slow(ms) {
      delay = ms;
    },
    start: async (door) => {
      fake.door = door;
    },
    stop: async () => undefined,
    async post(at: Address, content: Content, options: PostOptions = {}) {
      await gate("post");
      const ref = { at, id: `m${fake.messages.length + 1}` };
      fake.messages.push({ ref, history: [content], nonce: options.nonce, deleted: false });
      return ref;
    },
    async edit(ref, content) {
      await gate("edit");
      const message = fake.messages.find((it) => it.ref.id === ref.id);
      if (!message || message.deleted) throw new ChannelError({ code: "message_gone", message: "gone" });
      message.history.push(content);
    },
    find: async (_at, nonce) => fake.messages.find((it) => it.nonce === nonce)?.ref,
    split: (text) => text.match(/[\s\S]{1,2000}/g) ?? [],
    fitsEdit: () => true,
    pace: () => fake.pacing,
    status: () => ({ state: "up" }),
    texts: () =>
      fake.messages.flatMap((it) => {
        const now = it.history.at(-1);
        return now && "text" in now ? [now.text] : [];
      }),
    boards: () => fake.messages.filter((it) => it.history[0]?.kind === "board"),
    async say(text, more = {}) {
      const inbound = inboundOf(text, more);
      await fake.door?.accept(inbound);
      return inbound;
    },
  };
  return fake;
}

export function inboundOf(text: string, more: Partial<Inbound> = {}): Inbound {
  counter += 1;
  const messageId = `${1_700_000_000 + counter}.000100`;
  return {
    id: `slack/T1/C1/${messageId}`,
    at: { channel: "slack", account: "T1", chat: "C1", thread: "1.1" },
    messageId,
    user: { id: "U1", name: "Ann" },
    kind: "group",
    addressed: true,
    text,
    attachments: [],
    sentAt: 1_700_000_000_000 + counter,
    ...more,
  };
}
