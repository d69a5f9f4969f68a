/** Everything an operator may write in the YAML file. Strict: an unknown key is an error. `default.yaml` is the manual. */
import { z } from "zod";
import { count, type mcpServer, model, subagent, tools, url } from "./agent-schema.ts";

/** Ids stay text: YAML would round a 19-digit number. */
const id = z.string({ error: "must be text; put the id in quotes" }).min(1);
const ids = z.array(id);

export const sessionContext = z.strictObject({
  is_plan_mode: z.union([z.boolean(), z.literal("auto")], { error: "must be true, false or auto" }),
  plan_approval: z.enum(["never", "first", "always"]),
  thinking_enabled: z.boolean(),
  reasoning_effort: z.enum(["minimal", "low", "medium", "high"]),
  model_name: z.string().min(1),
  subagent_enabled: z.boolean(),
  max_concurrent_subagents: z.int().min(1).max(16),
  agent_name: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "letters, digits and hyphens only"),
  is_bootstrap: z.boolean(),
  goal: z.string().min(1).max(2_000),
});

/** `null` inherits, as an absent key does. */
const sessionContextLayer = z.strictObject(
  Object.fromEntries(Object.entries(sessionContext.shape).map(([key, type]) => [key, type.nullish()])) as {
    [K in keyof typeof sessionContext.shape]: z.ZodOptional<z.ZodNullable<(typeof sessionContext.shape)[K]>>;
  },
);

const budget = z.strictObject({
  /** Tokens in and out, all calls of a run. */
  run_tokens: count.optional(),
  run_model_calls: count.optional(),
  /** Tokens of all runs of a chat in one UTC day. */
  chat_tokens_per_day: count.optional(),
});

const toolRules = z.strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() });

const quietHours = z.strictObject({
  from: z.string().regex(/^\d\d:\d\d$/, "must be HH:MM"),
  to: z.string().regex(/^\d\d:\d\d$/, "must be HH:MM"),
  timezone: z.string().default("UTC"),
});

export const sessionLayer = z.strictObject({
  assistant_id: z.string().min(1).nullish(),
  config: z.strictObject({ recursion_limit: count.nullish() }).nullish(),
  context: sessionContextLayer.nullish(),
  /** People cannot change plan mode here with /plan. */
  pinned: z.boolean().nullish(),
});

/** What may be set for a whole channel, one chat, or at run time by an admin. */
export const chatPolicy = z.strictObject({
  respond: z.enum(["mention", "all", "never"]).nullish(),
  scope: z.enum(["thread", "chat", "user"]).nullish(),
  queue: z.enum(["queue", "steer", "collect", "interrupt", "reject"]).nullish(),
  follow_threads: z.boolean().nullish(),
  reply_is_mention: z.boolean().nullish(),
  allowed_users: ids.nullish(),
  allowed_roles: ids.nullish(),
  approvers: z.enum(["asker", "anyone", "admins"]).nullish(),
  quiet_hours: quietHours.nullish(),
  budget: budget.nullish(),
  tools: toolRules.nullish(),
  session: sessionLayer.nullish(),
});

const userPolicy = z.strictObject({ session: sessionLayer.nullish() });

const channelBase = {
  enabled: z.boolean().default(false),
  ...chatPolicy.shape,
  /** Groups and channels that are not named under `chats`: answered or ignored. */
  groups: z.enum(["allow", "deny"]).default("allow"),
  pairing: z.enum(["off", "code"]).default("off"),
  /** `*` inside a chat id matches any text; an exact id wins. */
  chats: z.record(z.string(), chatPolicy).default({}),
  users: z.record(z.string(), userPolicy).default({}),
  /** Where admin commands work: anywhere, direct messages only, or in one of these chats. */
  admin_commands: z.union([z.literal("anywhere"), z.literal("dm"), ids]).default("anywhere"),
  ack_reaction: z.boolean().default(false),
  max_upload_mb: z.number().positive().max(100).default(20),
};

const webhook = z.strictObject({
  host: z.string().default("127.0.0.1"),
  port: z.int().min(0).max(65535),
  path: z.string().startsWith("/"),
});

const slackAccount = {
  bot_token: z.string().optional(),
  app_token: z.string().optional(),
  signing_secret: z.string().optional(),
};
const discordAccount = { bot_token: z.string().optional() };
const telegramAccount = { bot_token: z.string().optional(), webhook_secret: z.string().optional() };

export const slackChannel = z.strictObject({
  ...channelBase,
  ...slackAccount,
  mode: z.enum(["socket", "http"]).default("socket"),
  http: webhook.optional(),
  api_url: url.default("https://slack.com/api/"),
  accounts: z.record(z.string(), z.strictObject(slackAccount)).default({}),
});

export const discordChannel = z.strictObject({
  ...channelBase,
  ...discordAccount,
  api_url: url.default("https://discord.com/api"),
  role_is_mention: z.boolean().default(true),
  accounts: z.record(z.string(), z.strictObject(discordAccount)).default({}),
});

export const telegramChannel = z.strictObject({
  ...channelBase,
  ...telegramAccount,
  mode: z.enum(["polling", "webhook"]).default("polling"),
  webhook: webhook.extend({ public_url: url }).optional(),
  api_root: url.default("https://api.telegram.org"),
  accounts: z.record(z.string(), z.strictObject(telegramAccount)).default({}),
});

export const terminalChannel = z.strictObject({ ...channelBase, enabled: z.boolean().default(true) });

export const config = z.strictObject({
  /** One channel that lacks an environment variable stops the start, although others could run. */
  strict: z.boolean().default(false),
  default_session: sessionLayer.prefault({}),
  channels: z
    .strictObject({
      slack: slackChannel.prefault({}),
      discord: discordChannel.prefault({}),
      telegram: telegramChannel.prefault({}),
      terminal: terminalChannel.prefault({}),
    })
    .prefault({}),
  admins: z
    .strictObject({
      slack: ids.default([]),
      discord: ids.default([]),
      telegram: ids.default([]),
      terminal: ids.default(["local"]),
    })
    .prefault({}),
  models: z.array(model).default([]),
  /** Model names tried in order when the chosen one fails. */
  model_fallback: z.array(z.string()).default([]),
  agents: z
    .strictObject({
      dir: z.string().default("config/agents"),
      /** Agents made or changed by chatting, and users' own SOUL.md. */
      data_dir: z.string().default("data/agents"),
      /** Who may create an agent by `/agent new`. */
      create: z.enum(["admins", "anyone", "nobody"]).default("admins"),
    })
    .prefault({}),
  skills: z
    .strictObject({
      dirs: z.array(z.string()).default(["config/skills/public", "config/skills/custom"]),
      self_evolution: z.boolean().default(false),
    })
    .prefault({}),
  memory: z.strictObject({ enabled: z.boolean().default(true), max_facts: count.default(100) }).prefault({}),
  subagents: z.array(subagent).default([]),
  tools: tools.prefault({}),
  summarization: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Share of the model's context window at which history is summarized. */
      at: z.number().min(0.1).max(0.95).default(0.7),
      keep_messages: count.default(20),
    })
    .prefault({}),
  budget: budget.prefault({}),
  runs: z
    .strictObject({
      /** Runs at once in this process. */
      concurrency: count.default(16),
      /** Times a run is begun before it counts as lost. */
      max_attempts: count.default(3),
      timeout_minutes: count.default(60),
      /** After this an unanswered question closes its run. */
      question_hours: count.default(24),
      /** Messages that may wait in one session. */
      max_queue: count.default(50),
      shutdown_seconds: z.int().min(0).default(20),
    })
    .prefault({}),
  state: z
    .strictObject({
      url: z
        .string()
        .regex(/^(rediss?:\/\/|sqlite:)/, "must begin with redis://, rediss:// or sqlite:")
        .default("sqlite:./data/planbridge.db"),
      /** Extra seed nodes make it a Redis Cluster. */
      cluster: z.array(z.string()).default([]),
      prefix: z.string().default("pb"),
      lease_seconds: count.default(15),
      keep_days: count.default(30),
    })
    .prefault({}),
  workspace: z
    .strictObject({
      dir: z.string().default("data/workspaces"),
      max_file_mb: count.default(20),
      /** Sessions of the terminal may read the folder it was started in, as /project/. */
      terminal_reads_cwd: z.boolean().default(true),
    })
    .prefault({}),
  health: z
    .strictObject({
      enabled: z.boolean().default(false),
      host: z.string().default("127.0.0.1"),
      port: z.int().default(8080),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
      /** A file; default is standard error. */
      file: z.string().optional(),
    })
    .prefault({}),
});

export type Config = z.infer<typeof config>;
export type ChatPolicy = z.infer<typeof chatPolicy>;
export type SessionLayer = z.infer<typeof sessionLayer>;
export type ModelConfig = z.infer<typeof model>;
export type SubagentConfig = z.infer<typeof subagent>;
export type McpServerConfig = z.infer<typeof mcpServer>;
export type SlackConfig = z.infer<typeof slackChannel>;
export type DiscordConfig = z.infer<typeof discordChannel>;
export type TelegramConfig = z.infer<typeof telegramChannel>;
export type TerminalConfig = z.infer<typeof terminalChannel>;
