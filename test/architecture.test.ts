import { packageRoot } from "../config/load.ts";
import { readSources, type Sources, violations } from "./support/architecture.ts";

/** The smallest house that holds all rules. */
const empty: Sources = Object.fromEntries(
  ["slack", "discord", "telegram"].flatMap((it) =>
    ["adapter", "errors", "format", "inbound"].map((name) => [`channels/${it}/${name}.ts`, "export const a = 1;\n"]),
  ),
);

const broken = (files: Sources) => violations({ ...empty, ...files });

describe("the architecture", () => {
  it("holds in this checkout", () => {
    expect(violations(readSources(packageRoot()))).toEqual([]);
  });

  it("covers every floor", () => {
    const files = Object.keys(readSources(packageRoot()));
    expect(files).toEqual(expect.arrayContaining(["src/main.ts", "channels/channel.ts", "config/schema.ts"]));
  });
});

describe("the rules of the architecture", () => {
  it("let a house that holds them stand", () => {
    const fine = {
      "config/load.ts": "export const env = () => process.env;",
      "channels/channel.ts": 'export type { A } from "../config/load.ts";',
      "channels/slack/adapter.ts": 'import { App } from "@slack/bolt"; import type { B } from "../channel.ts";',
      "src/outbox.ts": "export const f = (channel) => channel.post(1);",
      "src/board.ts": "export const f = (deps) => deps.outbox.edit(1);",
      "src/gateway/health.ts": 'export const f = (routes) => routes.post("/x");',
      "src/agent/models.ts": 'import { ChatOpenAI } from "@langchain/openai";',
      "src/state/checkpoints-redis.ts":
        'import { Redis } from "ioredis"; import type { C } from "@langchain/langgraph-checkpoint";',
    };
    expect(broken(fine)).toEqual([]);
  });

  const fixtures: [file: string, text: string, message: string][] = [
    [
      "config/a.ts",
      'import type { A } from "../channels/channel.ts";',
      "config/a.ts must not import channels/channel.ts",
    ],
    ["channels/a.ts", 'export * from "../src/types.ts";', "channels/a.ts must not import src/types.ts"],
    ["channels/a.ts", 'type A = import("../src/types.ts").A;', "channels/a.ts must not import src/types.ts"],
    ["channels/a.ts", 'await import("../src/types.ts");', "channels/a.ts must not import src/types.ts"],
    [
      "channels/slack/a.ts",
      'import { a } from "../discord/text.ts";',
      "channels/slack/a.ts must not import channels/discord/text.ts",
    ],
    ["src/a.ts", 'import { a } from "../test/support/b.ts";', "src/a.ts must not import test/support/b.ts"],
    [
      "src/agent/a.ts",
      'import type { S } from "../state/store.ts";',
      "src/agent/a.ts must not import src/state/store.ts",
    ],
    ["src/state/a.ts", 'import type { S } from "../agent/b.ts";', "src/state/a.ts must not import src/agent/b.ts"],
    [
      "src/a.ts",
      'import type { App } from "@slack/bolt";',
      "src/a.ts must not import @slack/bolt; only channels/slack/ may",
    ],
    [
      "channels/slack/a.ts",
      'import "discord.js";',
      "channels/slack/a.ts must not import discord.js; only channels/discord/ may",
    ],
    ["src/bridge.ts", 'import { createAgent } from "langchain";', "src/bridge.ts must not import langchain; only"],
    [
      "src/state/store-redis.ts",
      'import "@langchain/core/messages";',
      "src/state/store-redis.ts must not import @langchain/core",
    ],
    ["src/lanes.ts", 'import { Redis } from "ioredis";', "src/lanes.ts must not import ioredis; only src/state/ may"],
    ["src/a.ts", "export const a = process.env.HOME;", "src/a.ts reads process.env"],
    ["src/a.ts", 'export const a = process["env"];', "src/a.ts reads process.env"],
    ["src/a.ts", "const { env } = process;", "src/a.ts reads process.env"],
    ["src/a.ts", 'import { env } from "node:process";', "src/a.ts reads process.env"],
    [
      "src/a.ts",
      "export const f = (deps) => deps.channel(1).post(2);",
      "src/a.ts sends by deps.channel(1); only src/outbox.ts may",
    ],
    ["src/a.ts", "export const f = (it) => it.edit(2);", "src/a.ts sends by it; only"],
    ["src/a.ts", "export default 1;", "src/a.ts has a default export"],
    ["src/a.ts", "//\n".repeat(301), "src/a.ts has 301 lines, more than 300"],
  ];

  it.each(fixtures.map(([file, text, message]) => [message, file, text] as const))(
    "name what breaks one: %s",
    (message, file, text) => {
      expect(broken({ [file]: text }).filter((it) => it.startsWith(message))).toHaveLength(1);
    },
  );

  it("find import cycles, also those of types alone", () => {
    const files = {
      "src/a.ts": 'import type { B } from "./b.ts";',
      "src/b.ts": 'export { c } from "./deep/c.ts";',
      "src/deep/c.ts": 'import { a } from "../a.ts";',
    };
    expect(broken(files)).toEqual(["import cycle: src/a.ts -> src/b.ts -> src/deep/c.ts -> src/a.ts"]);
  });

  it("want the same four files of every platform", () => {
    const { "channels/discord/format.ts": _, ...files } = empty;
    expect(violations(files)).toEqual([expect.stringContaining("channels/discord/format.ts is missing")]);
  });
});
