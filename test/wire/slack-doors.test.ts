import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address, Attachment, Channel, Content } from "../../channels/channel.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import { sign } from "../support/emulators/slack-delivery.ts";
import { type RecordingDoor, slackAdapter } from "../support/slack-door.ts";

let slack: SlackEmulator;
let channel: Channel;
let door: RecordingDoor;

beforeEach(async () => {
  slack = await startSlackEmulator({ redeliverAfterMs: 300 });
  ({ channel, door } = slackAdapter(slack));
});

afterEach(async () => {
  await channel.stop();
  await slack.stop();
});

const question: Content = { kind: "question", text: "Go on?", buttons: [{ token: "tok-yes", label: "Yes" }] };
const inThread = (): Address => {
  const thread = slack.say({ text: "<@U0BOT> go", twin: false });
  return { channel: "slack", account: "T1", chat: "C1", thread };
};

describe("Slack, buttons", () => {
  it("hands a press to the bridge and shows its answer to that person only", async () => {
    await channel.start(door);
    const at = inThread();
    const ref = await channel.post(at, question);
    door.answer = "Only Ann may answer this.";
    const delivery = slack.press("tok-yes", "U2");
    await slack.until(() => slack.store.ephemerals.length === 1);
    expect(door.presses).toMatchObject([{ token: "tok-yes", at, message: ref, user: { id: "U2", name: "ben" } }]);
    expect(door.presses[0]?.id).toMatch(/^slack\/T1\/C1\//);
    expect(delivery.acked).toBe(true);
    expect(slack.store.ephemerals).toMatchObject([
      { user: "U2", threadTs: at.thread, text: "Only Ann may answer this.", via: "response_url" },
    ]);
  });

  it("says nothing when the bridge has nothing to say", async () => {
    await channel.start(door);
    await channel.post(inThread(), question);
    const delivery = slack.press("tok-yes");
    await slack.until(() => delivery.acked);
    expect(slack.store.ephemerals).toHaveLength(0);
    expect(slack.count("chat.postEphemeral")).toBe(0);
  });

  it("leaves a press that failed unacknowledged, so that Slack warns the person", async () => {
    const { log, channel: other } = slackAdapter(slack);
    await other.start({ ...door, press: () => Promise.reject(new Error("store is away")) });
    await other.post(inThread(), question);
    const delivery = slack.press("tok-yes");
    await slack.until(() => log.lines.some((line) => line.message.includes("not kept")));
    expect(delivery.acked).toBe(false);
    await other.stop();
  });
});

describe("Slack, files", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "slack-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  async function received(content: Buffer | string, type = "text/plain"): Promise<Attachment> {
    await channel.start(door);
    slack.say({ channel: "D1", text: "look", files: [{ name: "note.txt", type, content }] });
    const inbound = await slack.until(() => door.accepted[0]);
    return inbound.attachments[0] as Attachment;
  }
  const dm: Address = { channel: "slack", account: "T1", chat: "D1" };

  it("reads a file that a person sent", async () => {
    const file = await received("grüße");
    expect(file).toMatchObject({ name: "note.txt", type: "text/plain", size: 7 });
    expect(String(Buffer.from((await channel.fetch?.(file, dm, 1000)) ?? []))).toBe("grüße");
  });

  it("stops reading at the size limit, whatever size was told", async () => {
    const file = await received(Buffer.alloc(300_000, 1));
    await expect(channel.fetch?.({ ...file, size: 1 }, dm, 1000)).rejects.toMatchObject({ code: "too_long" });
  });

  it("asks Slack for the address of a file from another workspace", async () => {
    const file = await received("shared");
    const bytes = await channel.fetch?.({ ...file, source: `slack-file:${file.id}` }, dm, 1000);
    expect(String(Buffer.from(bytes ?? []))).toBe("shared");
  });

  it("takes no sign-in page for a file", async () => {
    const file = await received("secret");
    slack.botToken = "xoxb-2-rotated";
    await expect(channel.fetch?.(file, dm, 1000)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("files:read"),
    });
  });

  it.each([
    "https://slack.com.evil.test/x",
    "http://files.slack.com/x",
    "https://user:pass@files.slack.com/x",
    "https://files.slack.com:8443/x",
    "http://169.254.169.254/latest",
    "file:///etc/passwd",
    "",
  ])("never opens %j", async (source) => {
    const attachment = { id: "F1", name: "x", type: "text/plain", size: 1, source };
    await expect(channel.fetch?.(attachment, dm, 1000)).rejects.toMatchObject({ code: "refused" });
  });

  it("follows no redirect off Slack's hosts and gives them no token", async () => {
    const seen: (string | undefined)[] = [];
    const foreign: Server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end("stolen");
    });
    await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
    const elsewhere = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/x`;
    const file = await received("x");
    slack.redirects.set(file.id, elsewhere);
    await expect(channel.fetch?.(file, dm, 1000)).rejects.toMatchObject({ code: "refused" });
    expect(seen).toEqual([]);
    slack.redirects.set(file.id, "/download/F2/other.txt");
    slack.store.files.set("F2", { id: "F2", name: "other.txt", type: "text/plain", content: Buffer.from("moved") });
    expect(String(Buffer.from((await channel.fetch?.(file, dm, 1000)) ?? []))).toBe("moved");
    foreign.close();
  });

  it("sends a file into the thread with its comment and knows its message", async () => {
    await channel.start(door);
    const path = join(dir, "plan.csv");
    await writeFile(path, "a,b\n1,2\n");
    const at = inThread();
    const file = { name: "plan.csv", path, type: "text/csv" };
    const ref = await channel.post(at, { kind: "file", file, comment: "The **plan**" });
    const message = slack.store.find("C1", ref.id);
    expect(message).toMatchObject({ threadTs: at.thread, text: "The *plan*" });
    expect(String(slack.store.files.get(message?.files[0] ?? "")?.content)).toBe("a,b\n1,2\n");
  });

  it("reports a missing upload right as what it is", async () => {
    await writeFile(join(dir, "x"), "x");
    slack.failNext("files.getUploadURLExternal", { error: "missing_scope" });
    const file: Content = { kind: "file", file: { name: "x", path: join(dir, "x"), type: "text/plain" } };
    await expect(channel.post(inThread(), file)).rejects.toMatchObject({
      code: "refused",
      message: "Slack refused the upload: missing_scope.",
    });
  });
});

describe("Slack, signs of life", () => {
  it("marks a message as seen and unmarks it, twice without complaint", async () => {
    const at = inThread();
    const ref = { at, id: at.thread ?? "" };
    await channel.react?.(ref, "seen");
    await channel.react?.(ref, "seen");
    expect(slack.store.find("C1", ref.id)?.reactions).toEqual(["eyes"]);
    await channel.react?.(ref, "none");
    await channel.react?.(ref, "none");
    expect(slack.store.find("C1", ref.id)?.reactions).toEqual([]);
  });

  it("shows that it works in a thread, and stops asking where Slack has no such status", async () => {
    const at = inThread();
    await channel.typing?.(at, true);
    await channel.typing?.(at, false);
    expect(slack.store.statuses.map(({ status }) => status)).toEqual(["is working…", ""]);
    slack.workspace.missing.add("assistant.threads.setStatus");
    await channel.typing?.(at, true);
    await channel.typing?.(at, true);
    expect(slack.count("assistant.threads.setStatus")).toBe(3);
  });

  it("removes a message of its own", async () => {
    const ref = await channel.post(inThread(), { kind: "notice", text: "oops" });
    await channel.remove?.(ref);
    expect(slack.posts("C1")).toHaveLength(0);
  });
});

describe("Slack, doctor", () => {
  it("finds nothing wrong with a complete app", async () => {
    expect((await channel.doctor?.())?.map((finding) => finding.level)).toEqual(["ok", "ok"]);
  });

  it("names each missing scope and what it costs", async () => {
    slack.scopes = slack.scopes.filter((scope) => scope !== "chat:write" && scope !== "users:read");
    const findings = (await channel.doctor?.()) ?? [];
    expect(findings).toContainEqual({
      level: "error",
      text: "The bot token lacks the scope chat:write: nothing can be posted.",
    });
    expect(findings.find((finding) => finding.level === "warn")?.text).toContain("users:read");
  });

  it("tells a wrong bot token from a wrong app token", async () => {
    const wrong = slackAdapter(slack, { bot_token: "xoxb-9-wrong", app_token: "xapp-9-wrong" }).channel;
    const findings = (await wrong.doctor?.()) ?? [];
    expect(findings.map((finding) => finding.level)).toEqual(["error", "error"]);
    expect(findings[0]?.text).toContain("auth.test");
    expect(findings[1]?.text).toContain("connections:write");
  });
});

describe("Slack over HTTP", () => {
  const secret = "emulated-signing-secret";
  let url: string;

  async function startHttp(): Promise<void> {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const http = { host: "127.0.0.1", port, path: "/slack/events" };
    ({ channel, door } = slackAdapter(slack, { mode: "http", http, signing_secret: secret, app_token: undefined }));
    url = `http://127.0.0.1:${port}/slack/events`;
    slack.eventsUrl = url;
    await channel.start(door);
  }

  it("takes events, commands and presses, and acknowledges only what was accepted", async () => {
    await startHttp();
    door.failures = 1;
    slack.say({ channel: "D1", text: "hello" });
    await slack.until(() => slack.deliveries[0]?.acked);
    expect(slack.deliveries[0]?.attempts).toBeGreaterThanOrEqual(2);
    expect(door.accepted[0]).toMatchObject({ text: "hello", kind: "dm" });
    const command = slack.slash("status");
    await slack.until(() => command.acked);
    expect(door.accepted.at(-1)).toMatchObject({ command: { name: "status", args: "" } });
    await channel.post({ channel: "slack", account: "T1", chat: "D1" }, question);
    door.answer = "Thank you.";
    slack.press("tok-yes");
    await slack.until(() => slack.store.ephemerals.length === 1);
    expect(slack.opened()).toBe(0);
  });

  it("answers Slack's check of the address", async () => {
    await startHttp();
    const body = JSON.stringify({ type: "url_verification", challenge: "c-1" });
    const headers = { "content-type": "application/json", ...sign(secret, body) };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(await response.json()).toEqual({ challenge: "c-1" });
  });

  it.each([
    ["another secret", "wrong-secret", 0],
    ["a signature that is ten minutes old", secret, -600],
  ])("refuses a request with %s", async (_, by, seconds) => {
    await startHttp();
    const event = { type: "message", channel: "D1", channel_type: "im", user: "U1", ts: "1.1", text: "forged" };
    const body = JSON.stringify({ type: "event_callback", team_id: "T1", event });
    const signature = sign(by, body, Math.floor(Date.now() / 1000) + seconds);
    const headers = { "content-type": "application/json", ...signature };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(response.status).toBe(401);
    expect(door.accepted).toEqual([]);
  });

  it("says what is missing when it cannot start", async () => {
    const http = { host: "127.0.0.1", port: 0, path: "/x" };
    const without = slackAdapter(slack, { mode: "http", http }).channel;
    await expect(without.start(door)).rejects.toMatchObject({ message: "Slack needs signing_secret; it is not set." });
  });

  it("says which port is taken", async () => {
    await startHttp();
    const { port } = new URL(url);
    const http = { host: "127.0.0.1", port: Number(port), path: "/slack/events" };
    const second = slackAdapter(slack, { mode: "http", http, signing_secret: secret }).channel;
    const message = `Slack's events cannot be heard on 127.0.0.1:${port}: EADDRINUSE.`;
    await expect(second.start(door)).rejects.toMatchObject({ code: "refused", message });
    await second.stop();
  });
});
