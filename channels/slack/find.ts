import type { webApi } from "@slack/bolt";
import type { Address, ChannelLog } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import type { Self } from "./inbound.ts";
import type { Find } from "./sender.ts";

interface Listed {
  ts?: string;
  user?: string;
  bot_id?: string;
  metadata?: { event_type?: string; event_payload?: object };
}

/** Slack gives apps outside its marketplace at most 15 messages a call. */
const PAGE = 15;
const MAX_PAGES = 8;

function carries(message: Listed, nonce: string, self: Self): boolean {
  const ours = message.user === self.userId || (self.botId !== "" && message.bot_id === self.botId);
  const payload = message.metadata?.event_payload as { nonce?: unknown } | undefined; // any app may write anything here
  return ours && message.metadata?.event_type === "planbridge" && payload?.nonce === nonce;
}

/** The ts of our message that was posted with this nonce. Threads are listed oldest first, so they are paged through. */
async function findPosted(
  client: webApi.WebClient,
  at: Address,
  nonce: string,
  self: Self,
): Promise<string | undefined> {
  const query = { channel: at.chat, limit: PAGE, include_all_metadata: true };
  let cursor: string | undefined;
  for (let page = 0; page < (at.thread === undefined ? 1 : MAX_PAGES); page += 1) {
    const asked = cursor === undefined ? query : { ...query, cursor };
    const answer = await (at.thread === undefined
      ? client.conversations.history(asked)
      : client.conversations.replies({ ...asked, ts: at.thread }));
    const messages = (answer.messages ?? []) as Listed[]; // the two answers differ only in fields not read here
    const found = messages.find((message) => carries(message, nonce, self));
    if (found?.ts) return found.ts;
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return undefined;
  }
  return undefined;
}

export function createFind(client: webApi.WebClient, { call, self }: Connection, log: ChannelLog): Find {
  return async (at, nonce) => {
    const us = await self();
    try {
      return await call("the search for a post", () => findPosted(client, at, nonce, us));
    } catch (error) {
      const code = error instanceof ChannelError ? error.code : undefined;
      if (code !== "refused" && code !== "thread_gone") throw error;
      // Without the right to read, a second post is better than none.
      log.warn({ code }, "Slack: an earlier post could not be looked for");
      return undefined;
    }
  };
}
