import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Channel } from "../../channels/channel.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import { type RecordingDoor, slackAdapter, slackConfig } from "../support/slack-door.ts";

let slack: SlackEmulator;
let channel: Channel;
let door: RecordingDoor;
let log: ReturnType<typeof slackAdapter>["log"];

async function begin(redeliverAfterMs?: number): Promise<void> {
  slack = await startSlackEmulator(redeliverAfterMs === undefined ? {} : { redeliverAfterMs });
  ({ channel, door, log } = slackAdapter(slack));
}

beforeEach(() => begin());

afterEach(async () => {
  await channel.stop();
  await slack.stop();
});

describe("Slack, incoming over Socket Mode", () => {
  it("accepts a mention with its readable text, its speaker's name and the thread it starts", async () => {
    await channel.start(door);
    const ts = slack.say({ text: "<@U0BOT> compare A &amp; B with <@U2>", twin: false });
    const inbound = await slack.until(() => door.accepted[0]);
    expect(inbound).toMatchObject({
      id: `slack/T1/C1/${ts}`,
      at: { channel: "slack", account: "T1", chat: "C1", thread: ts },
      messageId: ts,
      user: { id: "U1", name: "Ann" },
      kind: "group",
      addressed: true,
    });
    expect(inbound.text).toBe("compare A & B with @Ben");
  });

  it("gives the message and app_mention twins the same id", async () => {
    await channel.start(door);
    slack.say({ text: "<@U0BOT> hi" });
    await slack.until(() => door.accepted.length === 2);
    expect(new Set(door.accepted.map((inbound) => JSON.stringify(inbound))).size).toBe(1);
  });

  it("acknowledges only what was accepted, so that Slack delivers the rest again", async () => {
    await slack.stop();
    await begin(100);
    await channel.start(door);
    door.failures = 2;
    slack.say({ text: "<@U0BOT> keep this", twin: false });
    await slack.until(() => door.accepted.length >= 1);
    await slack.until(() => slack.deliveries[0]?.acked);
    expect(slack.deliveries[0]?.attempts).toBeGreaterThanOrEqual(3);
  });

  it("keeps the order of a chat while names are looked up", async () => {
    await channel.start(door);
    for (let n = 0; n < 10; n += 1) slack.say({ user: n % 2 ? "U1" : "U2", text: `<@U0BOT> ${n}`, twin: false });
    await slack.until(() => door.accepted.length === 10);
    expect(door.accepted.map((inbound) => inbound.text)).toEqual([..."0123456789"]);
  });

  it("hears again at once after the connection was dropped", async () => {
    await channel.start(door);
    slack.drop();
    const before = Date.now();
    await slack.until(() => slack.opened() === 2);
    slack.say({ channel: "D1", text: "still there?" });
    await slack.until(() => door.accepted.length === 1);
    expect(Date.now() - before).toBeLessThan(3000);
    await slack.until(() => channel.status().state === "up");
  });

  it("moves to a new connection when Slack recycles the old one", async () => {
    await channel.start(door);
    slack.refresh();
    await slack.until(() => slack.opened() === 2 && slack.connections() === 1);
    slack.say({ channel: "D1", text: "hello" });
    await slack.until(() => door.accepted.length === 1);
  });

  it("survives an outage of the connection service and says so in its status", async () => {
    await channel.start(door);
    slack.failNext("apps.connections.open", { status: 503 }, 2);
    slack.drop();
    await slack.until(() => channel.status().state === "reconnecting");
    await slack.until(() => channel.status().state === "up");
    expect(slack.count("apps.connections.open")).toBe(4);
  });

  it("is down, with the reason, once the app token is revoked", async () => {
    await channel.start(door);
    slack.failNext("apps.connections.open", { error: "token_revoked" }, 100);
    slack.drop();
    await slack.until(() => channel.status().state === "down");
    expect(channel.status().detail).toContain("token_revoked");
  });

  it("reports a person's edit of an earlier message, and no link preview", async () => {
    await channel.start(door);
    const ts = slack.say({ channel: "D1", text: "see https://ex.test" });
    slack.unfurl("D1", ts);
    slack.editMessage("D1", ts, "see https://ex.test/2");
    const edit = await slack.until(() => door.edits[0]);
    await slack.until(() => slack.deliveries.every((delivery) => delivery.acked));
    expect(door.edits).toHaveLength(1);
    expect(edit).toMatchObject({ inboundId: `slack/T1/D1/${ts}`, text: "see https://ex.test/2", user: { id: "U1" } });
  });

  it("passes 100 kB of text through unharmed", async () => {
    await channel.start(door);
    const text = "word ".repeat(20_000).trim();
    slack.say({ channel: "D1", text });
    const inbound = await slack.until(() => door.accepted[0]);
    expect(inbound.text).toBe(text);
  });

  it("turns a slash command into a command and acknowledges it", async () => {
    await channel.start(door);
    const delivery = slack.slash("Plan the trip to Rome");
    await slack.until(() => delivery.acked);
    expect(door.accepted[0]).toMatchObject({
      addressed: true,
      command: { name: "plan", args: "the trip to Rome" },
      user: { id: "U1", name: "ann" },
    });
  });

  it("treats Slack's own Stop button as the stop command of that thread", async () => {
    await channel.start(door);
    slack.event({ type: "agent_session_stopped", channel: "C1", thread_ts: "90.1", user: "U1", event_ts: "91.1" });
    const inbound = await slack.until(() => door.accepted[0]);
    expect(inbound).toMatchObject({ command: { name: "stop", args: "" }, at: { thread: "90.1" } });
  });

  it("tells the second of several accounts apart in every id", async () => {
    await channel.stop();
    ({ channel, door } = slackAdapter(slack, {}, "ops"));
    await channel.start(door);
    const ts = slack.say({ channel: "D1", text: "hi" });
    const inbound = await slack.until(() => door.accepted[0]);
    expect(inbound).toMatchObject({ id: `slack@ops/T1/D1/${ts}`, at: { bot: "ops" } });
  });

  it("leaves events that arrive while stopping to be delivered again", async () => {
    await channel.start(door);
    const accepted = Promise.withResolvers<void>();
    door.accept = () => accepted.promise;
    slack.say({ channel: "D1", text: "at work" });
    await slack.until(() => slack.count("users.info") > 0);
    const stopped = channel.stop();
    slack.say({ channel: "D1", text: "too late" });
    await slack.until(() => log.lines.some((line) => line.message.includes("deliver it again")));
    accepted.resolve();
    await stopped;
    await slack.until(() => slack.connections() === 0);
    expect(slack.deliveries.map((delivery) => delivery.acked)).toEqual([true, false]);
    expect(channel.status().state).toBe("stopped");
  });
});

describe("Slack, starting", () => {
  it.each([
    [{ bot_token: "xoxb-9-wrong" }, "Slack refused auth.test (the bot token): invalid_auth."],
    [{ app_token: "xapp-9-wrong" }, "Slack refused apps.connections.open (the app token): invalid_auth."],
    [{ bot_token: undefined }, "Slack needs bot_token; it is not set."],
    [{ app_token: undefined }, "Slack needs app_token; it is not set."],
  ])("refuses %o with one clear sentence", async (extra, sentence) => {
    const wrong = slackAdapter(slack, extra);
    await expect(wrong.channel.start(door)).rejects.toMatchObject({ code: "auth", message: sentence });
    expect(wrong.channel.status()).toMatchObject({ state: "down", detail: sentence });
    await wrong.channel.stop();
  });

  it("writes no token to its log", async () => {
    slack.failNext("apps.connections.open", { status: 500 });
    await expect(channel.start(door)).rejects.toMatchObject({ code: "unavailable" });
    expect(JSON.stringify(log.lines)).not.toContain(slack.appToken);
    expect(JSON.stringify(log.lines)).not.toContain(slack.botToken);
  });
});

describe("Slack, stopping", () => {
  it("lets a process end at once after stop", async () => {
    const script = `
      import { slackChannel } from "./config/schema.ts";
      import { createSlack } from "./channels/slack/adapter.ts";
      const quiet = () => {};
      const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const config = slackChannel.parse(${JSON.stringify(slackConfig(slack))});
      const channel = createSlack(config, { log, now: Date.now });
      const accept = async () => {
        process.stdout.write("accepted");
        setImmediate(() => channel.stop());
      };
      await channel.start({ accept });
      process.stdout.write("up ");
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    const exit = once(child, "exit");
    await slack.until(() => output.includes("up"), 20_000);
    slack.say({ channel: "D1", text: "stop now" });
    const before = Date.now();
    expect(await exit).toEqual([0, null]);
    expect(output).toBe("up accepted");
    expect(Date.now() - before).toBeLessThan(5000);
  }, 30_000);

  it("may be called twice, and before start", async () => {
    await channel.stop();
    await channel.start(door);
    await channel.stop();
    await channel.stop();
    expect(channel.status().state).toBe("stopped");
  });
});
