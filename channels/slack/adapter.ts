import { webApi } from "@slack/bolt";
import type { SlackConfig } from "../../config/schema.ts";
import type { Address, Capabilities, Channel, Content, Pace } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { fitsEdit, splitForSlack } from "./blocks.ts";
import { createConnection, type SlackDeps } from "./connection.ts";
import { examine } from "./doctor.ts";
import { download, upload } from "./files.ts";
import { createFind } from "./find.ts";
import { toMrkdwn } from "./format.ts";
import { createPresence } from "./presence.ts";
import { boltLogger } from "./receiver.ts";
import { createSender } from "./sender.ts";

const TIMEOUT_MS = 15_000;

const CAPABILITIES: Capabilities = {
  edits: true,
  threads: true,
  buttons: true,
  files: true,
  streaming: true,
  dialect:
    "Slack: bold, italics, strikethrough, links, lists, quotes and code blocks are shown; headings become bold lines, " +
    "tables become text. No images, no HTML.",
};

function createClient(config: SlackConfig, apiUrl: string, log: SlackDeps["log"]): webApi.WebClient {
  return new webApi.WebClient(config.bot_token ?? "", {
    slackApiUrl: apiUrl,
    logger: boltLogger(log),
    timeout: TIMEOUT_MS,
    // The outbox repeats; a client that repeats a post by itself posts twice.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
  });
}

/**
 * Slack counts 50 updates a minute for each app and workspace, and a post a second for each chat. Burst plus refill stay
 * below these in any window.
 */
function pace(at: Address, what: "post" | "edit"): Pace[] {
  const app = `slack/${at.account}${at.bot === undefined ? "" : `@${at.bot}`}`;
  if (what === "edit") {
    // One busy plan must not use up the workspace's updates: nobody reads faster than this.
    const thread = { key: `${app}/chat/${at.chat}/${at.thread ?? ""}/edit`, burst: 3, perMs: 3600, own: true as const };
    return [thread, { key: `${app}/chat.update`, burst: 24, perMs: 60_000 }];
  }
  return [{ key: `${app}/chat/${at.chat}`, burst: 1, perMs: 1050 }];
}

function shown(content: Content): Exclude<Content, { kind: "file" }> {
  if (content.kind !== "file") return content;
  throw new ChannelError({ code: "refused", message: "A file in Slack cannot be edited." });
}

export function createSlack(config: SlackConfig, deps: SlackDeps): Channel {
  const apiUrl = config.api_url.endsWith("/") ? config.api_url : `${config.api_url}/`;
  const client = createClient(config, apiUrl, deps.log);
  const host = { client, token: config.bot_token ?? "", apiUrl };
  const connection = createConnection(config, deps, client, apiUrl);
  const { call } = connection;
  const find = createFind(client, connection, deps.log);
  const sender = createSender(client, call, find, deps);
  const presence = createPresence(client, call, deps.log);
  return {
    name: "slack",
    capabilities: CAPABILITIES,
    start: connection.start,
    stop: connection.stop,
    status: connection.status,
    async post(to, content, options = {}) {
      if (content.kind !== "file") return { at: to, id: await sender.post(to, content, options) };
      const comment = content.comment === undefined ? undefined : toMrkdwn(content.comment);
      return { at: to, id: await call("the upload", () => upload(host, to, content.file, comment)) };
    },
    edit: async (ref, content) => sender.edit(ref, shown(content)),
    split: (markdown) => splitForSlack(markdown),
    fitsEdit,
    pace,
    async find(at, nonce) {
      const id = await find(at, nonce);
      return id === undefined ? undefined : { at, id };
    },
    typing: presence.typing,
    react: presence.react,
    async remove({ at, id }) {
      await call("chat.delete", () => client.chat.delete({ channel: at.chat, ts: id }));
    },
    async direct(userId) {
      const { team, bot } = await connection.self();
      const { channel } = await call("conversations.open", () => client.conversations.open({ users: userId }));
      return { channel: "slack", account: team, chat: channel?.id ?? "", ...(bot === undefined ? {} : { bot }) };
    },
    fetch: (attachment, _at, maxBytes) => call("the file host", () => download(host, attachment, maxBytes)),
    doctor: () => examine(config, client, apiUrl),
  };
}
