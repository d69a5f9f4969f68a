/** Posts and edits. A refused format goes out once more in a plainer form, in place of the first, never beside it. */
import type { webApi } from "@slack/bolt";
import type { Address, ChannelDeps, MessageRef, PostOptions } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { type Body, bodies, type Shown } from "./blocks.ts";
import type { Call } from "./connection.ts";

export interface Sender {
  post(to: Address, content: Shown, options: PostOptions): Promise<string>;
  edit(ref: MessageRef, content: Shown): Promise<void>;
}

/** Slack cuts the text of a post at 40,000 without a word. */
const POST_CHARS = 39_000;
const DOUBTS = 1000;
const QUIET = { unfurl_links: false, unfurl_media: false, link_names: false, parse: "none" } as const;

function wantsPlainer(error: unknown, body: Body): boolean {
  const code = error instanceof ChannelError ? error.code : undefined;
  return code === "bad_format" || (code === "too_long" && body.blocks.length > 0);
}

async function firstTaken<T>(all: Body[], send: (body: Body) => Promise<T>): Promise<{ sent: T; index: number }> {
  for (let index = 0; ; index += 1) {
    const body = all[index]!; // the last body either returns or throws
    try {
      return { sent: await send(body), index };
    } catch (error) {
      if (index === all.length - 1 || !wantsPlainer(error, body)) throw error;
    }
  }
}

const placeOf = (to: Address) => ({
  channel: to.chat,
  ...(to.thread === undefined ? {} : { thread_ts: to.thread }),
});

/** The id of our message with this nonce. */
export type Find = (at: Address, nonce: string) => Promise<string | undefined>;

/** Remembers posts whose answer was lost: they may be there, so the next try looks before it posts. */
function createDoubt(find: Find) {
  const doubtful = new Set<string>();
  return async function once(to: Address, nonce: string, post: () => Promise<string>, found: (id: string) => unknown) {
    const earlier = doubtful.has(nonce) ? await find(to, nonce) : undefined;
    if (earlier !== undefined) await found(earlier);
    doubtful.add(nonce);
    // Whoever gave up on a post never comes back for it.
    for (const oldest of doubtful) if (doubtful.size > DOUBTS) doubtful.delete(oldest);
    try {
      const id = earlier ?? (await post());
      doubtful.delete(nonce);
      return id;
    } catch (error) {
      const code = error instanceof ChannelError ? error.code : undefined;
      if (code !== "unavailable") doubtful.delete(nonce);
      throw error;
    }
  };
}

export function createSender(client: webApi.WebClient, call: Call, find: Find, { log, now }: ChannelDeps): Sender {
  const once = createDoubt(find);
  let count = 0;
  let refusesPlans = false;

  async function plainer<T>(content: Shown, send: (body: Body) => Promise<T>): Promise<T> {
    count += 1;
    const all = bodies(content, `${now().toString(36)}-${count}`);
    if (content.kind !== "board") return (await firstTaken(all, send)).sent;
    const { sent, index } = await firstTaken(refusesPlans ? all.slice(1) : all, send);
    if (!refusesPlans && index === 1) {
      refusesPlans = true;
      log.warn({}, "Slack refuses plan blocks here; boards are shown as text from now on");
    }
    return sent;
  }

  async function whisper(to: Address, body: Body, user: string): Promise<string> {
    const { text } = body;
    const blocks = body.blocks.length > 0 ? { blocks: body.blocks } : {};
    const request = () => client.chat.postEphemeral({ ...placeOf(to), text, ...blocks, user });
    return (await call("chat.postEphemeral", request)).message_ts ?? "";
  }

  async function say(to: Address, body: Body, nonce: string | undefined): Promise<string> {
    const { text } = body;
    if (text.length > POST_CHARS) throw new ChannelError({ code: "too_long", message: "Too long for one Slack post." });
    const blocks = body.blocks.length > 0 ? { blocks: body.blocks } : {};
    const metadata = nonce === undefined ? {} : { metadata: { event_type: "planbridge", event_payload: { nonce } } };
    const request = () => client.chat.postMessage({ ...placeOf(to), text, ...blocks, ...QUIET, ...metadata });
    return (await call("chat.postMessage", request)).ts ?? "";
  }

  async function edit({ at, id }: MessageRef, content: Shown): Promise<void> {
    // Blocks that an update does not name would stay, hence also the empty list.
    await plainer(content, ({ text, blocks }) =>
      call("chat.update", () => client.chat.update({ channel: at.chat, ts: id, text, blocks, parse: "none" })),
    );
  }

  return {
    edit,
    async post(to, content, { nonce, onlyFor }) {
      if (onlyFor !== undefined) return plainer(content, (body) => whisper(to, body, onlyFor));
      const post = () => plainer(content, (body) => say(to, body, nonce));
      if (nonce === undefined) return post();
      // A board may have moved on since the post whose answer was lost.
      return once(to, nonce, post, async (id) => content.kind === "board" && edit({ at: to, id }, content));
    },
  };
}
