/** The platforms' real limits, end to end: a plan that changes 20 times a second is shown within them. */
import { discordDriver } from "../support/drivers/discord.ts";
import { slackDriver } from "../support/drivers/slack.ts";
import { telegramDriver } from "../support/drivers/telegram.ts";
import { measurePlans } from "../support/limits.ts";

const BUSY = { updates: 100, perSecond: 20 };

describe.concurrent("a plan of a hundred updates, twenty a second", () => {
  it.each([
    ["Slack", slackDriver, "group", 2000],
    ["Discord", discordDriver, "group", 2000],
    ["Telegram, in a group", telegramDriver, "group", 4000],
    ["Telegram, in private", telegramDriver, "dm", 2000],
  ] as const)("shows its end in time in %s, without a 429", async (_name, open, where, withinMs) => {
    const { limited, shownAfterMs, edits } = await measurePlans(open, { ...BUSY, where });
    expect(limited).toBe(0);
    expect(shownAfterMs[0]).toBeLessThan(withinMs);
    expect(edits).toBeGreaterThanOrEqual(2);
    expect(edits).toBeLessThan(30);
  });

  it("shares Slack's fifty updates a minute among twenty conversations: none is starved, all ends are shown", async () => {
    const load = { updates: 40, perSecond: 20, sessions: 20 };
    const { limited, shownAfterMs } = await measurePlans(slackDriver, load);
    expect(limited).toBe(0);
    // As many ends as are held free at once, the others as places come free.
    expect(shownAfterMs[9]).toBeLessThan(2000);
    expect(shownAfterMs[19]).toBeLessThan(20_000);
    expect(shownAfterMs).toHaveLength(20);
  }, 60_000);
});
