/** What ids look like on each platform, so that an id of another one is refused instead of stored to no effect. */
import type { ChannelName } from "../../channels/channel.ts";

const USER: Record<ChannelName, RegExp> = {
  slack: /^[UW][A-Z0-9]+$/,
  discord: /^\d{15,21}$/,
  telegram: /^\d{1,16}$/,
  terminal: /^\S+$/,
};

const CHAT: Record<ChannelName, RegExp> = {
  slack: /^[CDG][A-Z0-9]+$/,
  discord: /^\d{15,21}$/,
  telegram: /^-?\d{1,17}$/,
  terminal: /^\S+$/,
};

export function isUserId(channel: ChannelName, id: string): boolean {
  return USER[channel].test(id);
}

export function isChatId(channel: ChannelName, id: string): boolean {
  return CHAT[channel].test(id);
}
