import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { ConfigError, loadConfig, packageRoot } from "../../../config/load.ts";
import { config as schema } from "../../../config/schema.ts";

const root = packageRoot();
const defaults = path.join(root, "config", "default.yaml");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "planbridge-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, env: Record<string, string> = {}) {
  const file = path.join(folder, "planbridge.yaml");
  writeFileSync(file, yaml);
  return loadConfig({ path: file, env, root });
}

/** `path: message` of everything that is wrong. */
function problems(yaml: string, env: Record<string, string> = {}): string[] {
  try {
    load(yaml, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((it) => `${it.path}: ${it.message}`);
    throw error;
  }
  return [];
}

const about = (found: string[], key: string) => found.filter((it) => it.startsWith(`${key}: `)).join("\n");

describe("the shipped default.yaml", () => {
  it("starts with the terminal, an embedded database and the rehearsal model, without any variable", () => {
    const { config, warnings, secrets } = loadConfig({ path: defaults, env: {}, root });
    const on = Object.entries(config.channels).flatMap(([name, it]) => (it.enabled ? [name] : []));
    expect(on).toEqual(["terminal"]);
    expect(config.state.url).toMatch(/^sqlite:/);
    expect(config.models[0]?.provider).toBe("rehearsal");
    expect({ warnings, secrets }).toEqual({ warnings: [], secrets: [] });
  });

  it("is what the schema assumes when a key is left out", () => {
    const { default_session: _, models: __, ...shipped } = loadConfig({ path: defaults, env: {}, root }).config;
    const { default_session: ___, models: ____, ...assumed } = load("").config;
    expect(shipped).toEqual(assumed);
  });

  it("mentions every key of the schema", () => {
    const text = readFileSync(defaults, "utf8");
    const missing = [...keysOf(z.toJSONSchema(schema, { io: "input" }))].filter(
      (key) => !new RegExp(`(^|[\\s#{,])${key}:`, "m").test(text),
    );
    expect(missing).toEqual([]);
  });
});

function keysOf(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== "object" || node === null) return found;
  for (const [word, value] of Object.entries(node)) {
    if (word === "properties") for (const key of Object.keys(value)) found.add(key);
    keysOf(value, found);
  }
  return found;
}

describe("a file that cannot be used", () => {
  it("is refused with every problem in one message, each with its dotted path and line", () => {
    const yaml = `channels:
  slack:
    enabled: true
    bot_token: xoxb-1
    allowed_users: [alice]
    chats: { C1: { respnd: all } }
runs: { concurrency: 1.5 }
model_fallback: [nobody]
log: { level: inf }
`;
    expect(() => load(yaml)).toThrow(ConfigError);
    const found = problems(yaml);
    expect(about(found, "channels.slack.app_token")).toContain("write app_token: $SLACK_APP_TOKEN");
    expect(about(found, "channels.slack.allowed_users.0")).toContain('"alice" is not a slack user id');
    expect(about(found, "channels.slack.chats.C1.respnd")).toContain("did you mean respond?");
    expect(about(found, "runs.concurrency")).toContain("must be a whole number, not 1.5");
    expect(about(found, "model_fallback.0")).toContain('no model "nobody"');
    expect(about(found, "log.level")).toContain("debug, info, warn, error, silent; did you mean");
    expect(found).toHaveLength(6);
    expect(() => load(yaml)).toThrow(/has 6 problems:\n(.*\n)*.*runs\.concurrency \(line 7\): must be/);
  });

  it("names the line of a YAML fault", () => {
    expect(() => load("channels:\n  slack: { enabled: true\n")).toThrow(/\(line \d\): this is not valid YAML/);
  });

  it("is refused when it does not exist, instead of falling back", () => {
    expect(() => loadConfig({ path: path.join(folder, "none.yaml"), env: {}, root })).toThrow(
      /none\.yaml.*\n.*no such file/,
    );
  });

  it.each([
    ["a list", "- a\n", "the file must hold keys"],
    ["a duplicate key", "log: { level: info }\nlog: { level: warn }\n", "log: is written twice"],
    ["a nested duplicate key", "runs:\n  max_queue: 1\n  max_queue: 2\n", "runs.max_queue: is written twice"],
    ["an empty section", "models:\n", "models: must be a list, not empty"],
    ["a word for a switch", "memory: { enabled: on-ish }\n", "memory.enabled: must be true or false, not text"],
    ["a bad address", "channels: { slack: { api_url: nope } }\n", "channels.slack.api_url: must be a URL"],
    ["a bad state address", 'state: { url: "http://x" }\n', "state.url: must begin with redis://"],
    ["an empty database name", 'state: { url: "sqlite:" }\n', "state.url: must name a file"],
    ["a value out of range", "summarization: { at: 2 }\n", "summarization.at: must be at most 0.95"],
    [
      "a bad plan mode",
      "default_session: { context: { is_plan_mode: maybe } }\n",
      "is_plan_mode: must be true, false or auto",
    ],
    [
      "a bad union",
      "channels: { slack: { admin_commands: here } }\n",
      "admin_commands: must be anywhere or dm or a list",
    ],
    [
      "an unknown MCP key",
      "tools: { mcp: { a: { uri: http://x } } }\n",
      "tools.mcp.a.uri: is not a known key; did you mean url?",
    ],
    ["an MCP name", "tools: { mcp: { A-B: { command: x } } }\n", "tools.mcp.A-B: is not allowed as a name"],
    ["a missing key", "subagents: [{ name: a, description: b }]\n", "subagents.0.system_prompt: is missing"],
    ["no channel", "channels: { terminal: { enabled: false } }\n", "channels: no channel is enabled"],
    ["an agent that is not there", "default_session: { context: { agent_name: ghost-x } }\n", 'no agent "ghost-x"'],
    [
      "a search without its key",
      "tools: { search: { provider: brave } }\n",
      "tools.search.api_key: is missing; brave needs one",
    ],
  ])("is refused for %s", (_, yaml, message) => {
    expect(problems(yaml).join("\n")).toContain(message);
  });

  it("does not report a consequence of what was already reported", () => {
    expect(problems("channels: { terminal: { enabled: off-ish } }\n")).toHaveLength(1);
  });
});

describe("ids", () => {
  it("are refused as bare numbers, with all their digits in the advice", () => {
    const found = problems("channels: { discord: { allowed_users: [80351110224678912345] } }\n");
    expect(found.join()).toContain(
      'channels.discord.allowed_users.0: must be text; put the id in quotes: "80351110224678912345"',
    );
  });

  it("are refused as bare numbers where they are keys", () => {
    const found = problems("channels: { discord: { users: { 80351110224678912345: {} } } }\n");
    expect(found.join()).toContain(
      'users.80351110224678912345: must be text; put it in quotes: "80351110224678912345"',
    );
  });

  it("are refused when they are names", () => {
    expect(problems('admins: { telegram: ["@alice"] }\n').join()).toContain('"@alice" is not a telegram user id');
    expect(problems('channels: { slack: { chats: { C1: { allowed_users: ["bob"] } } } }\n').join()).toContain(
      '"bob" is not',
    );
  });

  it("are refused as an everyone in the list of admins", () => {
    expect(problems('admins: { slack: ["*"] }\n').join()).toContain('"*" is not a slack user id');
  });
});

describe("environment variables", () => {
  const search = (key: string) => `tools: { search: { provider: brave, api_key: "${key}" } }\n`;

  it("are put in anywhere in a text, and a double dollar stays one", () => {
    const { config } = load(search("a-$KEY-$" + "{KEY}b-$$KEY"), { KEY: "k" });
    expect(config.tools.search.api_key).toBe("a-k-kb-$KEY");
  });

  it("are reported with key and name when they are not set or empty", () => {
    for (const env of [{}, { KEY: "" }] as Record<string, string>[]) {
      expect(about(problems(search("$KEY"), env), "tools.search.api_key")).toContain("variable KEY is not set");
    }
  });

  it("are handed over as secrets, like tokens that are written in the file", () => {
    const yaml = `${search("$KEY")}channels: { slack: { bot_token: xoxb-written } }\n`;
    expect(load(yaml, { KEY: "from-env" }).secrets).toEqual(expect.arrayContaining(["from-env", "xoxb-written"]));
  });
});

describe("a channel that lacks a variable", () => {
  const yaml = (extra = "") => `${extra}
channels:
  slack: { enabled: true, bot_token: $S1, app_token: $S2, allowed_users: ["*"] }
  discord: { enabled: true, bot_token: $D, allowed_users: ["*"] }
  telegram: { enabled: true, bot_token: $T, allowed_users: ["*"] }
`;
  const all = { S1: "s1", S2: "s2", D: "d", T: "t" };
  const on = ({ channels }: ReturnType<typeof load>["config"]) =>
    [channels.slack, channels.discord, channels.telegram].map((it) => it.enabled);

  it("is no problem when it is off", () => {
    expect(load("channels: { slack: { bot_token: $S1, api_url: $URL } }\n").warnings).toEqual([]);
  });

  it.each([
    ["slack", { D: "d", T: "t" }, [false, true, true], "slack is off: S1 and S2 are not set"],
    ["discord", { ...all, D: "" }, [true, false, true], "discord is off: D is not set (channels.discord.bot_token)"],
    ["telegram", { ...all, T: "" }, [true, true, false], "telegram is off: T is not set"],
  ])("is switched off with a warning while the others start: %s", (_, env, enabled, warning) => {
    const loaded = load(yaml(), env);
    expect(on(loaded.config)).toEqual(enabled);
    expect(loaded.warnings.join()).toContain(warning);
  });

  it("stops the start when no other chat platform is left", () => {
    const found = problems(yaml());
    expect(found.map((it) => it.split(":")[0])).toEqual(
      expect.arrayContaining(["channels.slack.bot_token", "channels.discord.bot_token"]),
    );
  });

  it("stops the start in strict mode", () => {
    expect(problems(yaml("strict: true"), { ...all, D: "" })).toEqual([
      expect.stringContaining("variable D is not set"),
    ]);
  });

  it("is told as a problem when the file is refused for something else", () => {
    const found = problems(yaml("nonsense: 1"), { ...all, D: "" });
    expect(about(found, "channels.discord.bot_token")).toContain("variable D is not set");
  });
});

describe("an enabled chat platform", () => {
  it.each([
    ["slack", "channels.slack.bot_token: is missing; write bot_token: $SLACK_BOT_TOKEN"],
    ["discord", "channels.discord.bot_token: is missing"],
    ["telegram", "channels.telegram.bot_token: is missing"],
  ])("needs its token and a word on who is allowed: %s", (name, message) => {
    const found = problems(`channels: { ${name}: { enabled: true } }\n`).join("\n");
    expect(found).toContain(message);
    expect(found).toContain(`channels.${name}.allowed_users: is missing`);
    expect(found).toContain('["*"] for everyone');
  });

  it("needs the keys of its mode", () => {
    const slack = problems('channels: { slack: { enabled: true, mode: http, bot_token: x, allowed_users: ["*"] } }\n');
    expect(slack.map((it) => it.split(":")[0])).toEqual(["channels.slack.signing_secret", "channels.slack.http"]);
    const telegram = problems(
      'channels: { telegram: { enabled: true, mode: webhook, bot_token: x, allowed_users: ["*"] } }\n',
    );
    expect(telegram.map((it) => it.split(":")[0])).toEqual([
      "channels.telegram.webhook_secret",
      "channels.telegram.webhook",
    ]);
  });

  it("may have its tokens under accounts", () => {
    const yaml =
      "channels: { discord: { enabled: true, allowed_users: [], accounts: { a: { bot_token: x }, b: {} } } }\n";
    expect(problems(yaml)).toEqual([expect.stringContaining("channels.discord.accounts.b.bot_token: is missing")]);
  });

  it("may let nobody in but admins, when that is written", () => {
    expect(problems("channels: { discord: { enabled: true, bot_token: x, allowed_users: [] } }\n")).toEqual([]);
  });
});

describe("names and times", () => {
  const model = (name: string) => `{ name: ${name}, provider: rehearsal }`;

  it("refuses two models or subagents of one name", () => {
    expect(problems(`models: [${model("a")}, ${model("a")}]\n`).join()).toContain(
      'models.1.name: "a" is already the name of models.0',
    );
  });

  it("refuses a model that does not exist, wherever it is named", () => {
    const yaml = `models: [${model("main")}]
channels: { slack: { chats: { C1: { session: { context: { model_name: mian } } } } } }
subagents: [{ name: s, description: d, system_prompt: p, model: other }]
`;
    const found = problems(yaml);
    expect(about(found, "channels.slack.chats.C1.session.context.model_name")).toContain("did you mean main?");
    expect(about(found, "subagents.0.model")).toContain('no model "other"');
  });

  it("asks for a key unless the server is your own", () => {
    const own = "models: [{ name: a, provider: openai, model: m, base_url: http://127.0.0.1:1/v1 }]\n";
    expect(problems(own)).toEqual([]);
    expect(problems("models: [{ name: a, provider: openai, model: m }]\n").join()).toContain(
      "write api_key: $OPENAI_API_KEY",
    );
  });

  it("refuses quiet hours that are no times or no zone", () => {
    const quiet = (from: string, zone: string) =>
      problems(`channels: { slack: { quiet_hours: { from: "${from}", to: "07:00", timezone: ${zone} } } }\n`);
    expect(quiet("22:00", "Europe/Berlin")).toEqual([]);
    expect(quiet("24:00", "UTC").join()).toContain("quiet_hours.from: must be a time");
    expect(quiet("22:00", "Mars/Base").join()).toContain("quiet_hours.timezone: is not a known time zone");
  });
});

describe("the shipped server.example.yaml", () => {
  const load = (env: Record<string, string>) =>
    loadConfig({ path: path.join(root, "config", "server.example.yaml"), env, root });

  it("starts the platforms whose variables are set", () => {
    const { config, warnings } = load({
      TELEGRAM_BOT_TOKEN: "1:a",
      OPENAI_API_KEY: "k",
      REDIS_URL: "redis://127.0.0.1/0",
    });
    expect([config.channels.slack.enabled, config.channels.telegram.enabled]).toEqual([false, true]);
    expect(warnings).toHaveLength(2);
  });

  it("is refused when no platform has its variables", () => {
    expect(() => load({})).toThrow(/SLACK_BOT_TOKEN is not set/);
  });
});
