/** How plans that change 20 times a second are shown within each platform's real limits. */
import { discordDriver } from "../test/support/drivers/discord.ts";
import { slackDriver } from "../test/support/drivers/slack.ts";
import { telegramDriver } from "../test/support/drivers/telegram.ts";
import { type Measured, measurePlans } from "../test/support/limits.ts";
import { print } from "./print.ts";

const BUSY = { updates: 100, perSecond: 20 };

export async function benchLimits(): Promise<void> {
  const one = await Promise.all([
    measurePlans(slackDriver, BUSY),
    measurePlans(discordDriver, BUSY),
    measurePlans(telegramDriver, BUSY),
    measurePlans(telegramDriver, { ...BUSY, where: "dm" }),
  ]);
  const names = ["Slack", "Discord", "Telegram group", "Telegram private"];
  print("one plan, 100 updates, 20 a second   edits   429   end shown after");
  for (const [index, measured] of one.entries()) print(line(names[index] ?? "", measured));
  const many = await measurePlans(slackDriver, { updates: 40, perSecond: 20, sessions: 20 });
  print("twenty plans in one Slack workspace at once (50 updates a minute for all)");
  print(line("first end", many));
  print(`  all ends shown after ${many.shownAfterMs.at(-1)} ms; half of them after ${many.shownAfterMs[9]} ms`);
}

function line(name: string, { edits, limited, shownAfterMs }: Measured): string {
  return `  ${name.padEnd(34)} ${String(edits).padStart(5)} ${String(limited).padStart(5)} ${`${shownAfterMs[0]} ms`.padStart(17)}`;
}
