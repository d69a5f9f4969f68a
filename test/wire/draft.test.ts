/** The answer while it is written, on each platform within its real limits. */
import { discordDriver } from "../support/drivers/discord.ts";
import type { ChannelDriver, DriverOptions } from "../support/drivers/driver.ts";
import { slackDriver } from "../support/drivers/slack.ts";
import { telegramDriver } from "../support/drivers/telegram.ts";
import { type LiveBridge, openLive } from "../support/live-bridge.ts";
import type { Script } from "../support/scripted-agent.ts";

const PLATFORMS: [string, (options: DriverOptions) => Promise<ChannelDriver>][] = [
  ["Slack", slackDriver],
  ["Discord", discordDriver],
  ["Telegram", telegramDriver],
];

const OPENING = "This is the beginning of an answer that is long enough to be shown while it is written. ".repeat(2);
const CODE = Array.from({ length: 30 }, (_, n) => `const line${n} = ${n};`).join("\n");
const ANSWER = `${OPENING}\n\n\`\`\`ts\n${CODE}\n\`\`\`\n\nThat was the code, and **these** are the last words.`;

/** Writes in small steps, about `ms` long; ends early when it is stopped. */
function writes(text: string, ms: number): Script {
  return async function* ({ signal }) {
    const steps = 120;
    for (let step = 1; step <= steps && !signal.aborted; step++) {
      yield { type: "text", text: text.slice(0, Math.ceil((text.length * step) / steps)) };
      await new Promise((resolve) => setTimeout(resolve, ms / steps));
    }
    if (signal.aborted) yield { type: "stopped" };
    else yield { type: "done", text };
  };
}

async function begin(open: (options: DriverOptions) => Promise<ChannelDriver>, script: Script): Promise<LiveBridge> {
  const bridge = await openLive(await open({ limits: true }));
  bridge.agent.script(script);
  bridge.driver.dm("write it");
  return bridge;
}

describe.concurrent("an answer while it is written", { timeout: 60_000 }, () => {
  it.each(PLATFORMS)("grows by edits in %s, and no state of it breaks the code", async (_name, open) => {
    const bridge = await begin(open, writes(ANSWER, 6000));
    const { driver } = bridge;
    await vi.waitFor(() => expect(driver.posts()).toHaveLength(1), 30_000);
    const [ref] = driver.posts();
    await vi.waitFor(() => expect(driver.shown(ref!)).toContain("last words."), 45_000);
    await bridge.core.lanes.idle();
    const states = driver.history(ref!);
    expect(driver.posts()).toHaveLength(1);
    expect(states.length).toBeGreaterThanOrEqual(3);
    expect(driver.edits(ref!)).toBeLessThanOrEqual(6);
    expect(driver.limited()).toBe(0);
    for (const state of states) expect((state.match(/```/g) ?? []).length % 2).toBe(0);
    for (const state of states.slice(0, -1)) expect(state).toMatch(/…$/);
    expect(states.at(-1)).not.toContain("…");
    for (let n = 0; n < 30; n++) expect(driver.shown(ref!)).toContain(`const line${n} = ${n};`);
    await bridge.close();
  });

  it.each(PLATFORMS)(
    "in %s fills the first message of a long answer and leaves the rest for the end",
    async (_name, open) => {
      const words = Array.from({ length: 1500 }, (_, n) => `word${String(n).padStart(4, "0")}`);
      const bridge = await begin(open, writes(words.join(" "), 4500));
      const { driver } = bridge;
      const shown = () =>
        driver
          .posts()
          .map((ref) => driver.shown(ref))
          .join("\n");
      await vi.waitFor(() => expect(shown()).toContain("word1499"), { timeout: 45_000, interval: 100 });
      expect(shown().match(/word\d{4}/g)).toEqual(words);
      expect(driver.limited()).toBe(0);
      await bridge.close();
    },
  );

  it.each(PLATFORMS)("stays in %s as far as it got when it is stopped, and that is said", async (_name, open) => {
    const bridge = await begin(open, writes(ANSWER, 20_000));
    const { driver } = bridge;
    const first = await vi.waitFor(() => {
      const [ref] = driver.posts();
      expect(ref).toBeDefined();
      return ref!;
    }, 30_000);
    driver.dm("/stop");
    await vi.waitFor(() => expect(driver.posts().map((ref) => driver.shown(ref))).toContain("Stopped."), 30_000);
    await bridge.core.lanes.idle();
    expect(driver.shown(first)).toContain("This is the beginning of an answer");
    expect(driver.shown(first)).not.toContain("last words");
    expect(driver.posts().at(-1)?.id).not.toBe(first.id);
    await bridge.close();
  });

  it("stays above a question, and the answer comes below it", async () => {
    const drafted = Promise.withResolvers<void>();
    const asks: Script = async function* () {
      yield { type: "text", text: OPENING };
      await drafted.promise;
      const question = { id: "q1-abcdef", kind: "clarification" as const, text: "Which?", options: [], askedAt: 0 };
      yield { type: "ask", question };
    };
    const bridge = await begin(slackDriver, asks);
    const { driver } = bridge;
    const texts = () => driver.posts().map((ref) => driver.shown(ref));
    await vi.waitFor(() => expect(texts()).toHaveLength(1), 30_000);
    drafted.resolve();
    await vi.waitFor(() => expect(texts()).toHaveLength(2), 30_000);
    await bridge.core.lanes.idle();
    bridge.agent.script(writes("That one.", 50));
    driver.dm("the first");
    await vi.waitFor(() => expect(texts()).toHaveLength(3), 30_000);
    expect(texts()).toEqual([expect.stringMatching(/^This is/), expect.stringContaining("Which?"), "That one."]);
    await bridge.close();
  });
});
