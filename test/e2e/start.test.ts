/** The built program as an operator meets it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../config/load.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import { slackChannel } from "../support/house.ts";
import { type Program, startProgram, tempFolder } from "../support/process.ts";

const folder = tempFolder();
afterAll(() => folder.remove());

let program: Program | undefined;
let slack: SlackEmulator | undefined;
afterEach(async () => {
  await program?.kill();
  await slack?.stop();
  [program, slack] = [undefined, undefined];
});

async function run(
  args: string[],
  env: Record<string, string> = {},
  input = "",
): Promise<{ code: unknown; output: string }> {
  program = startProgram(args, env, input);
  const code = await program.ended;
  return { code, output: program.output() };
}

const quiet = { terminal: { enabled: false } };

describe("--once", () => {
  it("plans, shows each state, and gives a true answer without any key", async () => {
    const { code, output } = await run([
      "--once",
      "1) read package.json 2) count its dependencies 3) say which is the largest folder here",
    ]);
    const { dependencies } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
    expect(code).toBe(0);
    expect(output).toMatch(/Working · 0\/3[\s\S]*Working · 1\/3[\s\S]*Working · 2\/3[\s\S]*Done · 3\/3/);
    expect(output).toContain(`${Object.keys(dependencies).length} dependencies`);
    expect(output).toContain("node_modules");
    expect(output).toMatch(/rehearsal/i);
  }, 60_000);

  it("answers small talk in one line, without a plan", async () => {
    const { code, output } = await run(["--once", "hello"]);
    expect(code).toBe(0);
    expect(output).not.toContain("Working");
  }, 30_000);
});

describe("bad input", () => {
  it("an unset variable is named with its key, and no stack is shown", async () => {
    const config = folder.config({
      channels: { ...quiet, slack: { enabled: true, bot_token: "$NO_SUCH", app_token: "x", allowed_users: ["*"] } },
    });
    const { code, output } = await run(["--config", config]);
    expect(code).toBe(2);
    expect(output).toMatch(/channels\.slack\.bot_token.*NO_SUCH/);
    expect(output).not.toContain("    at ");
  });

  it("every problem of a config file is listed at once", async () => {
    const config = folder.config({
      chanels: {},
      runs: { concurrency: "many" },
      channels: { slack: { respond: "loud" } },
    });
    const { code, output } = await run(["--config", config]);
    expect(code).toBe(2);
    expect(output).toMatch(/chanels[\s\S]*channels/);
    expect(output).toContain("runs.concurrency");
    expect(output).toContain("channels.slack.respond");
  });

  it("a token that Slack refuses is one clear sentence, without the token", async () => {
    slack = await startSlackEmulator();
    const channels = { ...quiet, ...slackChannel(slack, { bot_token: "xoxb-wrong-token-1234567890" }) };
    const { code, output } = await run(["--config", folder.config({ channels, state: { url: "sqlite::memory:" } })]);
    expect(code).toBe(2);
    expect(output).toMatch(/Slack.*(token|auth)/i);
    expect(output).not.toMatch(/xoxb-wrong| {4}at /);
  });

  it("a Redis that nobody answers is one clear sentence, without its password", async () => {
    const config = folder.config({ state: { url: "redis://default:hunter2pw@127.0.0.1:9/0" } });
    const { code, output } = await run(["--config", config]);
    expect(code).toBe(2);
    expect(output).toMatch(/^Redis at 127\.0\.0\.1:9\S* cannot be reached/m);
    expect(output).not.toMatch(/hunter2pw| {4}at /);
  });

  it("a state file that another bridge holds is one clear sentence", async () => {
    slack = await startSlackEmulator();
    const config = folder.config({
      channels: { ...quiet, ...slackChannel(slack) },
      state: { url: `sqlite:${folder.path}/held.db` },
    });
    const first = startProgram(["--config", config]);
    await slack.until(() => slack?.connections(), 20_000);
    const { code, output } = await run(["--config", config]);
    expect(await first.stop()).toBe(0);
    expect(code).toBe(2);
    expect(output).toMatch(/in use/);
  }, 40_000);

  it("an unknown command shows how to use it", async () => {
    const { code, output } = await run(["restart"]);
    expect(code).toBe(2);
    expect(output).toContain('Unknown command "restart"');
    expect(output).toContain("--once");
  });
});

describe("the terminal", () => {
  it("answers what is piped in, also commands, and ends with its input", async () => {
    const config = folder.config({
      channels: { terminal: { enabled: true, allowed_users: ["*"] } },
      state: { url: "sqlite::memory:" },
    });
    const { code, output } = await run(["--config", config], {}, "hello\n/status\n");
    expect(code).toBe(0);
    expect(output).toMatch(/Plan mode: /);
    expect(output).toMatch(/rehearsal/i);
  }, 30_000);
});

describe("an operator's commands", () => {
  it("work beside a running bridge on a local file: pairing, audit, policy", async () => {
    slack = await startSlackEmulator();
    const channels = { ...quiet, ...slackChannel(slack, { allowed_users: [], pairing: "code", groups: "deny" }) };
    const config = folder.config({ channels, state: { url: `sqlite:${folder.path}/operator.db` } });
    const bridge = startProgram(["--config", config]);
    await slack.until(() => slack?.connections(), 20_000);
    slack.say({ channel: "D1", text: "hello" });
    const hello = await slack.until(() => slack?.posts("D1")[0]?.text, 10_000);
    const code = /pair ([A-Z0-9]{8})/.exec(hello)?.[1] ?? "";
    const paired = await run(["--config", config, "pairing", "approve", code]);
    expect(paired).toMatchObject({ code: 0 });
    expect(paired.output).toContain("U1 may talk");
    slack.say({ channel: "D1", text: "hello again" });
    await slack.until(() => (slack?.posts("D1").length ?? 0) > 1, 10_000);
    expect((await run(["--config", config, "audit", "export"])).output).toContain('"what":"pair U1"');
    const again = await run(["--config", config, "pairing", "approve", code]);
    expect(again.code).toBe(1);
    expect(again.output).toContain("unknown or older");
    expect((await run(["--config", config, "policy", "explain", "slack", "C1"])).output).toContain(
      'respond = "mention" (built-in)',
    );
    expect(await bridge.stop()).toBe(0);
  }, 60_000);

  it("doctor says what is missing and exits with 1", async () => {
    slack = await startSlackEmulator({ scopes: ["chat:write"] });
    const config = folder.config({ channels: { ...quiet, ...slackChannel(slack) }, state: { url: "sqlite::memory:" } });
    const { code, output } = await run(["--config", config, "doctor"]);
    expect(code).toBe(1);
    expect(output).toMatch(/FAIL {2}slack: .*app_mentions:read/);
    expect(output).toContain("ok    state");
  }, 30_000);
});

describe("SIGTERM", () => {
  it("hands a long run over: the plan says so, and the next process ends it", async () => {
    slack = await startSlackEmulator();
    const config = folder.config({
      channels: { ...quiet, ...slackChannel(slack, { session: { context: { is_plan_mode: true } } }) },
      models: [{ name: "rehearsal", provider: "rehearsal", options: { delay_ms: 700 } }],
      state: { url: `sqlite:${folder.path}/term.db` },
      runs: { shutdown_seconds: 1 },
    });
    program = startProgram(["--config", config]);
    await slack.until(() => slack?.connections(), 20_000);
    slack.say({ text: "<@U0BOT> 1) read package.json 2) count its dependencies 3) say hello" });
    const board = () => slack?.posts("C1").find((message) => message.blocks.some((block) => block.type === "plan"));
    await slack.until(board, 10_000);
    expect(await program.stop()).toBe(0);
    expect(board()?.text).toContain("restarting");
    program = startProgram(["--config", config]);
    await slack.until(() => board()?.text.includes("Done"), 30_000);
    await slack.until(() => slack?.posts("C1").length === 2, 10_000);
  }, 60_000);
});

describe("a plan that waits in the terminal", () => {
  const open = async () => {
    const channels = {
      terminal: {
        enabled: true,
        allowed_users: ["*"],
        session: { context: { is_plan_mode: true, plan_approval: "first" } },
      },
    };
    const started = startProgram(["--config", folder.config({ channels, state: { url: "sqlite::memory:" } })]);
    program = started;
    const shows = (pattern: RegExp) =>
      vi.waitFor(() => expect(started.output()).toMatch(pattern), { timeout: 15_000, interval: 20 });
    const type = (line: string) => started.child.stdin?.write(`${line}\n`);
    await shows(/planbridge: type a message/);
    return { started, shows, type };
  };

  it("is approved by the number of a choice, and carried out", async () => {
    const { started, shows, type } = await open();
    type("1) read package.json 2) count its dependencies 3) say hello");
    await shows(/1.*Approve/);
    expect(started.output()).not.toContain("Done");
    type("1");
    await shows(/Done · 3\/3/);
    started.child.stdin?.end();
    expect(await started.ended).toBe(0);
  }, 40_000);

  it("is rejected in words, and nothing is done", async () => {
    const { started, shows, type } = await open();
    type("1) read package.json 2) count its dependencies 3) say hello");
    await shows(/1.*Approve/);
    type("no");
    await shows(/not carried out|rejected|nothing was done|dropped/i);
    started.child.stdin?.end();
    expect(await started.ended).toBe(0);
    expect(started.output()).not.toContain("Done · 3/3");
  }, 40_000);
});
