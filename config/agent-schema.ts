/** The part of the schema that is about models, subagents and tools. */
import { z } from "zod";

export const count = z.int().positive();
export const url = z.url();

export const model = z.strictObject({
  name: z.string().min(1),
  provider: z.enum(["openai", "anthropic", "rehearsal"]),
  model: z.string().default(""),
  base_url: url.optional(),
  api_key: z.string().optional(),
  /** Can see images. */
  vision: z.boolean().default(false),
  /** Tokens; history is summarized before it grows past this. */
  context_window: count.default(128_000),
  max_output_tokens: count.optional(),
  timeout_seconds: count.default(120),
  max_retries: z.int().min(0).max(10).default(2),
  use_responses_api: z.boolean().default(false),
  /** Passed to the client's constructor, for what this file has no key for. */
  options: z.record(z.string(), z.unknown()).default({}),
  /** Constructor options when thinking is on or off; provider specific. */
  when_thinking: z.record(z.string(), z.unknown()).default({}),
  when_not_thinking: z.record(z.string(), z.unknown()).default({}),
});

export const mcpServer = z.union([
  z.strictObject({
    command: z.string(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    deferred: z.boolean().default(false),
  }),
  z.strictObject({
    url: url,
    headers: z.record(z.string(), z.string()).default({}),
    deferred: z.boolean().default(false),
  }),
]);

export const subagent = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/),
  description: z.string(),
  system_prompt: z.string(),
  tools: z.array(z.string()).optional(),
  model: z.string().optional(),
  timeout_seconds: count.default(300),
  max_turns: count.default(30),
  /** Tools of this subagent that a person must approve. */
  interrupt_on: z.array(z.string()).default([]),
});

export const tools = z.strictObject({
  files: z.boolean().default(true),
  web_fetch: z
    .strictObject({
      enabled: z.boolean().default(true),
      timeout_seconds: count.default(20),
      max_bytes: count.default(2_000_000),
      /** Hosts that may be fetched although they are private, e.g. an intranet wiki. */
      allow_private_hosts: z.array(z.string()).default([]),
    })
    .prefault({}),
  search: z
    .strictObject({
      provider: z.enum(["none", "tavily", "brave", "searxng"]).default("none"),
      api_key: z.string().optional(),
      base_url: url.optional(),
    })
    .prefault({}),
  shell: z
    .strictObject({
      enabled: z.boolean().default(false),
      timeout_seconds: count.default(60),
      approval: z.enum(["always", "never"]).default("always"),
    })
    .prefault({}),
  /** Tools a person must approve before they run. */
  approve: z.array(z.string()).default([]),
  mcp: z.record(z.string().regex(/^[a-z0-9_]{1,32}$/), mcpServer).default({}),
});
