/** Which conversation a message belongs to: keys from platform facts alone, without I/O. */
import { createHash } from "node:crypto";
import type { Address } from "../channels/channel.ts";

export type Scope = "thread" | "chat" | "user";

/** Parts are encoded, so no id can imitate `/` or `+`. The state partitions by this key. */
export function chatKey(at: Address): string {
  const channel = at.bot ? `${at.channel}+${encodeURIComponent(at.bot)}` : at.channel;
  return [channel, encodeURIComponent(at.account), encodeURIComponent(at.chat)].join("/");
}

export function sessionKey(at: Address, scope: Scope, userId: string): string {
  const thread = scope === "chat" || at.thread === undefined ? "" : `/${encodeURIComponent(at.thread)}`;
  const user = scope === "user" ? `/+${encodeURIComponent(userId)}` : "";
  return chatKey(at) + thread + user;
}

/** Deterministic: a redelivered message is the same run. 16 characters, 75 bits. */
export function runId(inboundId: string): string {
  const digest = createHash("sha256").update(inboundId).digest("hex");
  return `r${BigInt(`0x${digest}`).toString(36).slice(0, 15)}`;
}

/** Never shared between people: memory and files are kept under it. */
export function userKey(at: Address, userId: string): string {
  return `${at.channel}:${userId}`;
}

/** The chat a key was made from (without its thread). */
export function addressOf(key: string): Address {
  const [head = "", account = "", chat = ""] = key.split("/");
  const [channel = "", bot] = head.split("+");
  return {
    channel: channel as Address["channel"], // Keys are only made by chatKey and sessionKey.
    account: decodeURIComponent(account),
    chat: decodeURIComponent(chat),
    ...(bot === undefined ? {} : { bot: decodeURIComponent(bot) }),
  };
}
