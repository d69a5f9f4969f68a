/** Native slash commands are answered to their sender alone. */
import { nativeCommands } from "../../src/commands/index.ts";
import { discordDriver } from "../support/drivers/discord.ts";
import { slackDriver } from "../support/drivers/slack.ts";
import { type LiveBridge, openLive } from "../support/live-bridge.ts";

let bridge: LiveBridge | undefined;
afterEach(async () => {
  await bridge?.close();
  bridge = undefined;
});

describe("a native slash command", () => {
  it("is answered in Slack by a message that only its sender sees", async () => {
    const driver = await slackDriver();
    bridge = await openLive(driver);
    driver.slack.slash("status", { user: "U2" });
    const seen = await driver.slack.until(() => driver.slack.store.ephemerals[0]);
    expect(seen).toMatchObject({ channel: "C1", user: "U2", text: expect.stringContaining("Plan mode") });
    expect(driver.posts()).toEqual([]);
  });

  it("is answered in Discord by the private message it opened, a long answer by more of them", async () => {
    const driver = await discordDriver();
    bridge = await openLive(driver);
    const { discord } = driver;
    await driver.channel.commands?.(nativeCommands());
    const status = discord.slash(discord.general, "status");
    await vi.waitFor(() => expect(status.original?.message.content).toContain("Plan mode"));
    expect(status.ephemeral).toBe(true);
    const policy = discord.slash(discord.general, "policy");
    await vi.waitFor(() => expect(policy.original?.message.content).toContain("plan"), 5000);
    await bridge.core.lanes.idle();
    expect(discord.messages(discord.general)).toEqual([]);
    for (const payload of [...status.followups, ...policy.followups]) expect(payload.flags).toBe(64);
  });

  it("still works as text, answered for all to see", async () => {
    const driver = await slackDriver();
    bridge = await openLive(driver);
    driver.say("<@U0BOT> /status");
    await vi.waitFor(() => expect(driver.posts()).toHaveLength(1));
    expect(driver.slack.store.ephemerals).toEqual([]);
  });
});
