/** The config file read again while the bridge runs: models, policies and tools apply from the next message on. */
import { writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { loadConfig, packageRoot } from "../../config/load.ts";
import { type App, createApp } from "../../src/app.ts";
import { silent } from "../support/bridge.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import { openaiModel, slackChannel } from "../support/house.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/process.ts";

const folder = tempFolder();
let slack: SlackEmulator;
let [before, after]: ModelServer[] = [];
let app: App;

beforeEach(async () => {
  slack = await startSlackEmulator();
  [before, after] = await Promise.all([startModelServer(), startModelServer()]);
});
afterEach(async () => {
  await app.stop();
  await slack.stop();
  await Promise.all([before?.stop(), after?.stop()]);
});
afterAll(() => folder.remove());

const content = (model: ModelServer | undefined, slackMore: object = {}) => ({
  channels: { terminal: { enabled: false }, ...slackChannel(slack, slackMore) },
  models: [openaiModel(model as ModelServer)],
  state: { url: "sqlite::memory:" },
  workspace: { dir: `${folder.path}/workspaces` },
  admins: { slack: ["U1"] },
});

async function open(): Promise<string> {
  const path = folder.config(content(before));
  const root = packageRoot();
  app = await createApp({ loaded: loadConfig({ path, root }), root, log: silent });
  await app.start();
  return path;
}

const texts = () => slack.posts("C1").map((message) => message.text);

describe("a changed config file", () => {
  it("is noticed by itself: the next message goes to the new model, under the new policy", async () => {
    before?.script([{ text: "from the old model" }]);
    after?.script([{ text: "from the new model" }]);
    const path = await open();
    const watching = app.watch();
    await watching.ready;
    slack.say({ text: "<@U0BOT> one" });
    await slack.until(() => texts().includes("from the old model"));
    writeFileSync(path, stringify(content(after, { respond: "all" })));
    await slack.until(() => app.config().channels.slack.respond === "all");
    slack.say({ text: "two, without a mention" });
    await slack.until(() => texts().includes("from the new model"));
    await watching.close();
  });

  it("that is not valid is refused as a whole, with every problem, and the old one stays", async () => {
    before?.script([{ text: "still here" }]);
    const path = await open();
    writeFileSync(path, stringify({ ...content(after), runs: { concurrency: 0 }, chanels: {} }));
    slack.say({ text: "<@U0BOT> /admin reload" });
    const reply = await slack.until(() => texts()[0]);
    expect(reply).toMatch(/refused/);
    expect(reply).toMatch(/runs\.concurrency/);
    expect(reply).toMatch(/chanels/);
    slack.say({ text: "<@U0BOT> hello" });
    await slack.until(() => texts().includes("still here"));
  });
});
