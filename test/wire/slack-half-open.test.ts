import { expect, it } from "vitest";
import { startSlackEmulator } from "../support/emulators/slack.ts";
import { slackAdapter } from "../support/slack-door.ts";

it("leaves a connection that has gone silent and hears again over a new one", async () => {
  const slack = await startSlackEmulator();
  const { channel, door } = slackAdapter(slack);
  await channel.start(door);
  slack.freeze();
  await slack.until(() => slack.opened() === 2, 25_000);
  slack.say({ channel: "D1", text: "anyone?" });
  await slack.until(() => door.accepted.length > 0);
  expect(channel.status().state).toBe("up");
  await channel.stop();
  await slack.stop();
}, 30_000);
