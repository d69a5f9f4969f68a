/** Signs of life beside messages: "is working…" and the 👀 reaction. */
import { webApi } from "@slack/bolt";
import type { Address, ChannelLog, MessageRef } from "../channel.ts";
import type { ChannelError } from "../errors.ts";
import type { Call } from "./connection.ts";

/** Answers after which asking this workspace again is pointless. */
const NEVER = new Set(["missing_scope", "unknown_method", "not_allowed", "feature_not_enabled", "no_permission"]);

export function createPresence(client: webApi.WebClient, call: Call, log: ChannelLog) {
  let refused = false;

  /** Decoration: a failure is nobody's business but the log's. */
  async function typing(at: Address, on: boolean): Promise<void> {
    if (at.thread === undefined || refused) return;
    const where = { channel_id: at.chat, thread_ts: at.thread };
    try {
      await client.assistant.threads.setStatus({ ...where, status: on ? "is working…" : "" });
    } catch (error) {
      const code = error instanceof webApi.WebAPIPlatformError ? error.data.error : "no answer";
      refused = NEVER.has(code);
      log.debug({ code }, "Slack showed no working status");
    }
  }

  async function react({ at, id }: MessageRef, emoji: "seen" | "none"): Promise<void> {
    const target = { channel: at.chat, timestamp: id, name: "eyes" };
    const method = emoji === "seen" ? "reactions.add" : "reactions.remove";
    const request = () => (emoji === "seen" ? client.reactions.add(target) : client.reactions.remove(target));
    // `call` rejects with ChannelError only.
    await call(method, request).catch((error: ChannelError) => {
      if (error.code !== "unchanged") throw error;
    });
  }

  return { typing, react };
}
