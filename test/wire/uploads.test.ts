/** Files that people send, from each platform to the agent; what cannot be taken is said. */
import { readFileSync } from "node:fs";
import { sep } from "node:path";
import { discordDriver } from "../support/drivers/discord.ts";
import type { ChannelDriver } from "../support/drivers/driver.ts";
import { slackDriver } from "../support/drivers/slack.ts";
import { telegramDriver } from "../support/drivers/telegram.ts";
import { type LiveBridge, openLive } from "../support/live-bridge.ts";
import { type Folder, tempFolder } from "../support/process.ts";

let bridge: LiveBridge;
let folder: Folder;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(async () => {
  await bridge.close();
  folder.remove();
});

const bytes = (text: string) => new TextEncoder().encode(text);
const request = () => vi.waitFor(() => bridge.agent.requests[0]!.input, 8000);

async function begin<D extends ChannelDriver>(driver: D, channel: object = {}): Promise<D> {
  bridge = await openLive(driver, { root: folder.path, channel });
  return driver;
}

function saidTo(driver: ChannelDriver) {
  return driver.posts().map((ref) => driver.shown(ref));
}

describe.each([
  ["Slack", slackDriver],
  ["Discord", discordDriver],
  ["Telegram", telegramDriver],
] as const)("a file sent in %s", (_name, open) => {
  it("lands in the thread's uploads under a safe name and is named to the agent", async () => {
    const driver = await begin(await open());
    driver.sendFile({ name: "../.notes\u202etxt", bytes: bytes("the notes") });
    const { files } = await request();
    expect(files).toHaveLength(1);
    const [file] = files;
    expect(file?.problem).toBeUndefined();
    expect(file?.path.startsWith(folder.path + sep)).toBe(true);
    expect(file?.path).toMatch(/uploads[/\\][a-z0-9]{5}-1-notestxt$/);
    expect(readFileSync(file!.path, "utf8")).toBe("the notes");
  });

  it("that is too large is named to the agent and the person, with the limit, and answered all the same", async () => {
    const driver = await begin(await open(), { max_upload_mb: 1 });
    driver.sendFile({ name: "large.bin", bytes: new Uint8Array(1_100_000).fill(7) });
    const { files } = await request();
    expect(files).toMatchObject([{ name: "large.bin", problem: expect.stringContaining("larger than 1 MB") }]);
    await vi.waitFor(() => expect(saidTo(driver)).toHaveLength(2), 8000);
    expect(saidTo(driver)[0]).toMatch(/I could not take large\.bin|I could not take `large\.bin`/);
    expect(saidTo(driver)[0]).toContain("larger than 1 MB");
    expect(saidTo(driver)[1]).toBe("ok");
  });
});

describe("a file that cannot be downloaded", () => {
  it("is told in Slack, where the bot may not read files", async () => {
    const driver = await begin(await slackDriver());
    driver.slack.redirects.set("F1", "http://127.0.0.1:9/elsewhere");
    driver.sendFile({ name: "plan.txt", bytes: bytes("x") });
    expect((await request()).files[0]?.problem).toBe("it could not be downloaded");
    await vi.waitFor(() => expect(saidTo(driver)[0]).toContain("plan.txt"), 8000);
  });

  it("is told in Discord, where the file is gone", async () => {
    const driver = await begin(await discordDriver());
    driver.discord.world.files.set = () => driver.discord.world.files;
    driver.sendFile({ name: "plan.txt", bytes: bytes("x") });
    expect((await request()).files[0]?.problem).toBe("it could not be downloaded");
    await vi.waitFor(() => expect(saidTo(driver)[0]).toContain("plan.txt"), 8000);
  });

  it("is told in Telegram, where the server is away", async () => {
    const driver = await begin(await telegramDriver());
    driver.telegram.failNext("getFile", { status: 502, description: "Bad Gateway" }, 9);
    driver.sendFile({ name: "plan.txt", bytes: bytes("x") });
    expect((await request()).files[0]?.problem).toBe("it could not be downloaded");
    await vi.waitFor(() => expect(saidTo(driver)[0]).toContain("plan.txt"), 8000);
    expect(driver.telegram.callsTo("getFile")).toHaveLength(3);
  });

  it("is taken when the platform was away for a moment only", async () => {
    const driver = await begin(await telegramDriver());
    driver.telegram.failNext("getFile", { status: 502, description: "Bad Gateway" });
    driver.sendFile({ name: "plan.txt", bytes: bytes("x") });
    expect((await request()).files[0]?.problem).toBeUndefined();
  });
});
