/** What the operators should know, told to the admins of every running channel by direct message. */
import { createHash } from "node:crypto";
import type { Address, Channel } from "../channels/channel.ts";
import type { Config } from "../config/schema.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import type { Settings } from "./settings.ts";
import type { Store } from "./state/store.ts";

export interface NoticesDeps {
  config(): Config;
  settings: Pick<Settings, "admins">;
  outbox: Pick<Outbox, "post">;
  store: Pick<Store, "once">;
  open: { bot: string | undefined; channel: Channel }[];
  log: Log;
}

export interface Notices {
  /** Returns at once. The same text is told once an hour; `except` names the channel that cannot tell it. */
  tellAdmins(text: string, except?: Pick<Address, "channel" | "bot">): void;
  /** What was not told by now is not told. */
  close(): void;
}

const HOUR_MS = 60 * 60_000;

export function createNotices({ config, settings, outbox, store, open, log }: NoticesDeps): Notices {
  const closing = new AbortController();
  const { signal } = closing;

  async function tell(text: string, except: Pick<Address, "channel" | "bot"> | undefined): Promise<void> {
    const digest = createHash("sha256").update(text).digest("base64url").slice(0, 22);
    if (!(await store.once(`notice/${digest}`, HOUR_MS))) return;
    const able = open.filter(({ bot, channel }) => {
      const isExcept = channel.name === except?.channel && bot === except.bot;
      return !isExcept && channel.direct && channel.status().state === "up";
    });
    await Promise.all(able.flatMap(({ channel }) => adminsOf(channel).map((admin) => tellOne(channel, admin, text))));
  }

  function adminsOf({ name }: Channel): string[] {
    return [...new Set([...config().admins[name], ...settings.admins(name)])];
  }

  async function tellOne(channel: Channel, admin: string, text: string): Promise<void> {
    try {
      const at = await channel.direct?.(admin);
      if (at) await outbox.post(at, () => ({ kind: "notice", text }), { signal });
    } catch (error) {
      log.warn({ channel: channel.name, admin, error: messageOf(error) }, "admin could not be told");
    }
  }

  return {
    tellAdmins(text, except) {
      tell(text, except).catch((error) => log.warn({ error: messageOf(error) }, "admins could not be told"));
    },
    close: () => closing.abort(),
  };
}
