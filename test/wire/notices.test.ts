/** Trouble that no chat asked about reaches the admins, over every channel that still works. */
import { writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { loadConfig, packageRoot } from "../../config/load.ts";
import { type App, createApp } from "../../src/app.ts";
import { createLog } from "../../src/log.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../support/emulators/telegram.ts";
import { slackChannel } from "../support/house.ts";
import { type Folder, tempFolder } from "../support/process.ts";

const MODEL = { name: "default", provider: "rehearsal" };

let slack: SlackEmulator;
let telegram: TelegramEmulator;
let folder: Folder;
let app: App;
let config: Record<string, unknown>;

beforeEach(async () => {
  slack = await startSlackEmulator();
  telegram = await startTelegramEmulator();
  telegram.say(9, "/start");
  folder = tempFolder();
  config = {
    models: [MODEL, { ...MODEL, name: "spare" }],
    channels: {
      terminal: { enabled: false },
      ...slackChannel(slack),
      telegram: { enabled: true, bot_token: telegram.token, api_root: telegram.url, allowed_users: [] },
    },
    // U9 is nobody: one who cannot be reached keeps no other from being told.
    admins: { slack: ["U9", "U2"], telegram: ["9"] },
    state: { url: `sqlite:${folder.path}/state.db` },
    workspace: { dir: `${folder.path}/workspaces` },
  };
  const loaded = loadConfig({ path: folder.config(config), root: packageRoot() });
  app = await createApp({ loaded, root: packageRoot(), log: createLog({ level: "silent" }) });
  await app.start();
});
afterEach(async () => {
  await app.stop();
  await slack.stop();
  await telegram.close();
  folder.remove();
});

const onSlack = () => slack.posts("D2").map(({ text }) => text);
const onTelegram = () => telegram.botMessages(9).map(({ text }) => text);
const told = (what: RegExp) =>
  vi.waitFor(() => {
    expect(onSlack()).toEqual([expect.stringMatching(what)]);
    expect(onTelegram().filter((text) => what.test(text))).toHaveLength(1);
  }, 5000);

describe("admins are told", () => {
  it("of a changed configuration that is refused, once", async () => {
    writeFileSync(`${folder.path}/config.yaml`, stringify({ ...config, admin: {} }));
    expect(await app.reload()).not.toEqual([]);
    await told(/refused[\s\S]*admin/);
    await app.reload();
    await app.reload();
    slack.say({ text: "hello", channel: "D1" });
    await slack.until(() => slack.posts("D1").length > 0);
    await told(/refused[\s\S]*admin/);
  });

  it("when they were made admins in the chat, too", async () => {
    const threadTs = slack.say({ text: "<@U0BOT> /admin grant U1", user: "U2" });
    await slack.until(() => slack.posts("C1", threadTs).length > 0);
    writeFileSync(`${folder.path}/config.yaml`, stringify({ ...config, admin: {} }));
    await app.reload();
    await told(/refused[\s\S]*admin/);
    await slack.until(() => slack.posts("D1").length === 1);
  });

  it("of a model that is not configured", async () => {
    const threadTs = slack.say({ text: "<@U0BOT> /model spare" });
    await slack.until(() => slack.posts("C1", threadTs).length > 0);
    writeFileSync(`${folder.path}/config.yaml`, stringify({ ...config, models: [MODEL] }));
    expect(await app.reload()).toEqual([]);
    slack.say({ text: "<@U0BOT> hello", threadTs });
    await told(/model spare is not configured/);
  });

  it("of a token that a platform refuses, where there are other channels", async () => {
    slack.say({ text: "<@U0BOT> hello" });
    slack.failNext("chat.postMessage", { error: "token_revoked" }, 20);
    await vi.waitFor(() => expect(onTelegram()).toContainEqual(expect.stringMatching(/^slack refuses my token/)), 5000);
    expect(slack.posts("D2")).toEqual([]);
  });
});
