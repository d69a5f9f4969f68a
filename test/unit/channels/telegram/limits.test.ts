import type { Address } from "../../../../channels/channel.ts";
import { createTelegram } from "../../../../channels/telegram/adapter.ts";
import { telegramChannel } from "../../../../config/schema.ts";
import { FloodLimits } from "../../../support/emulators/telegram-limits.ts";

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const config = telegramChannel.parse({ bot_token: "555:x", api_root: "http://127.0.0.1:9" });
const channel = createTelegram(config, { log: quiet, now: () => 0 });
const at = (chat: string): Address => ({ channel: "telegram", account: "555", chat });

/** The most requests that a bucket lets through in `windowMs`. */
const most = ({ burst, perMs }: { burst: number; perMs: number }, windowMs: number) =>
  burst + Math.ceil((windowMs * burst) / perMs) - 1;

describe("pace", () => {
  it("stays below 20 a minute in a group, posts and edits together", () => {
    const [group] = channel.pace(at("-1001"), "post");
    expect(channel.pace(at("-1001"), "edit")[0]).toEqual(group);
    expect(most(group ?? { burst: 99, perMs: 1 }, 60_000)).toBeLessThanOrEqual(20);
  });

  it("allows a private chat about one a second and the bot 30", () => {
    const [chat, bot] = channel.pace(at("9"), "post");
    expect(chat).toEqual({ key: "telegram/555/chat/9", burst: 3, perMs: 3300 });
    expect(most(bot ?? { burst: 99, perMs: 1 }, 1000)).toBeLessThanOrEqual(30);
    expect(channel.pace(at("10"), "post").at(-1)).toEqual(bot);
  });
});

describe("a busy chat", () => {
  /** Sends whenever every pace of `chat` has room, and counts what Telegram would refuse. */
  function refusedIn(chat: string, seconds: number): { sent: number; refused: number } {
    const limits = new FloodLimits();
    const free = new Map<string, number>();
    const totals = { sent: 0, refused: 0 };
    for (let now = 0; now < seconds * 1000; now += 50) {
      const paces = channel.pace(at(chat), "edit");
      const next = paces.map(({ key, burst, perMs }) => Math.max(free.get(key) ?? 0, now) + perMs / burst);
      if (paces.some(({ perMs }, index) => (next[index] ?? 0) - now > perMs)) continue;
      paces.forEach(({ key }, index) => void free.set(key, next[index] ?? 0));
      totals.sent += 1;
      if (limits.take("555", chat, now) > 0) totals.refused += 1;
    }
    return totals;
  }

  it("is never refused when it keeps the pace, and uses most of what is allowed", () => {
    const group = refusedIn("-1001", 300);
    expect(group.refused).toBe(0);
    expect(group.sent).toBeGreaterThan(75);
    const dm = refusedIn("9", 60);
    expect(dm.refused).toBe(0);
    expect(dm.sent).toBeGreaterThan(50);
  });
});

describe("fitsEdit", () => {
  it("counts UTF-16 units of the source", () => {
    expect(channel.fitsEdit({ kind: "markdown", text: "é".repeat(4096) })).toBe(true);
    expect(channel.fitsEdit({ kind: "markdown", text: "😀".repeat(2049) })).toBe(false);
  });

  it("takes every board and no file", () => {
    const board = {
      title: "x".repeat(9000),
      state: "done" as const,
      todos: [],
      subagents: [],
      activity: [],
      buttons: [],
    };
    expect(channel.fitsEdit({ kind: "board", board })).toBe(true);
    expect(channel.fitsEdit({ kind: "file", file: { name: "a", path: "/a", type: "b" } })).toBe(false);
  });
});

describe("split", () => {
  it("keeps pieces within the limit", () => {
    const pieces = channel.split("word ".repeat(3000));
    expect(pieces.length).toBeGreaterThan(3);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(4096);
  });
});
