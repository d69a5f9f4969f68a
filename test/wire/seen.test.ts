/** `ack_reaction`: a sign on the message from its acceptance to its answer. */
import { discordDriver } from "../support/drivers/discord.ts";
import type { ChannelDriver } from "../support/drivers/driver.ts";
import { slackDriver } from "../support/drivers/slack.ts";
import { telegramDriver } from "../support/drivers/telegram.ts";
import { type LiveBridge, openLive } from "../support/live-bridge.ts";
import { gate } from "../support/scripted-agent.ts";

let bridge: LiveBridge | undefined;
afterEach(async () => {
  await bridge?.close();
  bridge = undefined;
});

async function begin(driver: ChannelDriver, channel: object) {
  bridge = await openLive(driver, { channel });
  const { script, open, begun } = gate();
  bridge.agent.script(script);
  driver.say(`${driver.mention} work`);
  await begun;
  const run = await vi.waitFor(() => bridge!.agent.requests[0]!);
  const [, messageId = ""] = /([^/]+)$/.exec(run.input.id) ?? [];
  const at = driver.posts()[0]?.at ?? (await vi.waitFor(() => driver.posts()[0]!.at));
  return { open, ref: { at, id: messageId.split(":").at(-1) ?? "" } };
}

describe.each([
  ["Slack", slackDriver],
  ["Discord", discordDriver],
  ["Telegram", telegramDriver],
] as const)("in %s", (_name, openDriver) => {
  it("a message carries the sign while it is worked on, and not after its answer", async () => {
    const driver = await openDriver();
    const { ref, open } = await begin(driver, { ack_reaction: true });
    await vi.waitFor(() => expect(driver.reactions(ref)).toHaveLength(1), 5000);
    open();
    await vi.waitFor(() => expect(driver.reactions(ref)).toEqual([]), 5000);
  });

  it("a message carries none where it is not asked for", async () => {
    const driver = await openDriver();
    const { ref, open } = await begin(driver, {});
    open();
    await bridge!.core.lanes.idle();
    expect(driver.reactions(ref)).toEqual([]);
  });
});

describe("the sign", () => {
  it("goes from messages that wait when they are dropped", async () => {
    const driver = await slackDriver();
    const { open } = await begin(driver, { ack_reaction: true });
    const thread = driver.posts()[0]!.at.thread!;
    const threadTs = { threadTs: thread };
    const ts = driver.slack.say({ text: "one more", ...threadTs });
    const waiting = { at: { channel: "slack" as const, account: "T1", chat: "C1" }, id: ts };
    await vi.waitFor(() => expect(driver.reactions(waiting)).toHaveLength(1), 5000);
    driver.slack.say({ text: "<@U0BOT> /queue clear", ...threadTs });
    await vi.waitFor(() => expect(driver.reactions(waiting)).toEqual([]), 5000);
    open();
  });

  it("is left out where the platform refuses it, and the message is answered all the same", async () => {
    const driver = await slackDriver();
    driver.slack.failNext("reactions.add", { retryAfter: 30 });
    const { open } = await begin(driver, { ack_reaction: true });
    open();
    await vi.waitFor(() => expect(driver.posts().map((ref) => driver.shown(ref))).toContain("ok"), 5000);
    await driver.slack.until(() => driver.slack.count("reactions.remove") === 1);
  });
});
