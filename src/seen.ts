/** The sign on a message that it was taken and is worked on, where `ack_reaction` asks for it. Decoration: never waited for. */
import type { Address, Channel, Inbound } from "../channels/channel.ts";
import type { Config } from "../config/schema.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import { chatKey } from "./sessions.ts";
import type { Settings } from "./settings.ts";

export interface SeenDeps {
  config(): Config;
  settings: Pick<Settings, "current">;
  channel(at: Address): Channel;
  log: Log;
}

export interface Seen {
  show(inbound: Inbound): void;
  clear(inbound: Inbound): void;
}

export function createSeen({ config, settings, channel, log }: SeenDeps): Seen {
  /** A quick run can end before its sign is there. */
  const showing = new Map<string, Promise<void>>();

  async function react({ at, messageId, command }: Inbound, emoji: "seen" | "none"): Promise<void> {
    // A native command leaves no message that could carry the sign.
    if (!config().channels[at.channel].ack_reaction || command) return;
    try {
      const now = settings.current(at, chatKey);
      await channel(now).react?.({ at: now, id: messageId }, emoji);
    } catch (error) {
      log.debug({ channel: at.channel, error: messageOf(error) }, "reaction not shown");
    }
  }

  async function clear(inbound: Inbound): Promise<void> {
    await showing.get(inbound.id);
    await react(inbound, "none");
  }

  return {
    show(inbound) {
      const shown = react(inbound, "seen").finally(() => showing.delete(inbound.id));
      showing.set(inbound.id, shown);
    },
    clear: (inbound) => void clear(inbound),
  };
}
