/** kill -9 at many moments of a run: one plan message, one answer, queued messages in order. Run over both stores. */
import { type SlackEmulator, startSlackEmulator } from "./emulators/slack.ts";
import { type Folder, type Program, startProgram, tempFolder } from "./process.ts";

const TASK = "<@U0BOT> 1) read package.json 2) count its dependencies 3) say which is the largest folder here";
const NEXT = "<@U0BOT> hello there";

let slack: SlackEmulator;
let folder: Folder;
let program: Program;

function configFor(store: string, delayMs = 120): string {
  const url =
    store === "redis" ? (process.env.REDIS_URL ?? "redis://127.0.0.1:6379/0") : `sqlite:${folder.path}/state.db`;
  return folder.config({
    channels: {
      terminal: { enabled: false },
      slack: {
        enabled: true,
        bot_token: slack.botToken,
        app_token: slack.appToken,
        api_url: slack.apiUrl,
        allowed_users: ["*"],
        session: { context: { is_plan_mode: true } },
      },
    },
    models: [{ name: "rehearsal", provider: "rehearsal", options: { delay_ms: delayMs } }],
    workspace: { dir: `${folder.path}/workspaces` },
    state: { url, prefix: `e2e-${process.pid}-${Date.now()}`, lease_seconds: 1 },
  });
}

const boards = () => slack.posts("C1").filter((message) => message.blocks.some((block) => block.type === "plan"));
const answers = () => slack.posts("C1").filter((message) => !boards().includes(message));
const updates = () => slack.count("chat.update");
const posts = () => slack.count("chat.postMessage");

const MOMENTS: [string, () => boolean][] = [
  ["the message was acknowledged", () => slack.deliveries.some((delivery) => delivery.acked)],
  ["the plan message was posted", () => boards().length > 0],
  ["the plan was edited once", () => updates() >= 1],
  ["the plan was edited twice", () => updates() >= 2],
  ["the first step was done", () => /[123]\/3/.test(boards()[0]?.text ?? "")],
  ["the second step was done", () => /[23]\/3/.test(boards()[0]?.text ?? "")],
  ["the plan shows its end", () => boards()[0]?.text.includes("Done") === true],
  ["the answer reached the chat", () => posts() >= 2],
];

export function restartSuite(store: "sqlite" | "redis"): void {
  beforeEach(async () => {
    slack = await startSlackEmulator({ redeliverAfterMs: 300 });
    folder = tempFolder();
  });
  afterEach(async () => {
    await program.kill();
    await slack.stop();
    folder.remove();
  });

  it.each(MOMENTS)(
    "killed when %s: the same plan goes on, one answer, then the next message",
    async (_name, reached) => {
      const config = configFor(store);
      program = startProgram(["--config", config]);
      await slack.until(() => slack.connections() > 0, 15_000);
      slack.say({ text: TASK });
      await slack.until(reached, 15_000);
      await program.kill();
      const threadTs = slack.store.messages[0]?.ts ?? "";
      program = startProgram(["--config", config]);
      await slack.until(() => slack.connections() > 0, 15_000);
      slack.say({ text: NEXT, threadTs });
      await slack.until(() => answers().length >= 2, 30_000);
      await slack.until(() => boards()[0]?.text.includes("Done"), 5_000);
      expect(boards().filter((message) => message.threadTs === threadTs).length).toBeGreaterThanOrEqual(1);
      expect(answers()).toHaveLength(2);
      expect(answers()[0]?.text).toMatch(/dependenc/i);
      expect(await program.stop()).toBe(0);
    },
    60_000,
  );
}
