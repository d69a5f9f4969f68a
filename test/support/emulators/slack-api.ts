/** The Web API methods of the emulated workspace. Each returns Slack's answer without `ok`, or throws a Refusal. */
import { blockProblem } from "./slack-blocks.ts";
import type { SlackMessage, SlackStore } from "./slack-store.ts";

export type Args = Record<string, unknown>;

export class Refusal extends Error {
  readonly retryAfter: number | undefined;
  constructor(code: string, retryAfter?: number) {
    super(code);
    this.retryAfter = retryAfter;
  }
}

export interface Workspace {
  url: string;
  team: string;
  botUser: string;
  botId: string;
  names: Map<string, string>;
  /** Channel -> error that every call about it gets. */
  closed: Map<string, string>;
  refusedBlocks: Set<string>;
  /** Methods this workspace does not have. */
  missing: Set<string>;
  store: SlackStore;
}

const text = (args: Args, key: string): string => (typeof args[key] === "string" ? args[key] : "");
const optional = (args: Args, key: string): string | undefined => text(args, key) || undefined;
const bytes = (value: string) => Buffer.byteLength(value);

function openChannel(ws: Workspace, args: Args, key = "channel"): string {
  const channel = text(args, key);
  const closed = channel === "" ? "channel_not_found" : ws.closed.get(channel);
  if (closed !== undefined) throw new Refusal(closed);
  return channel;
}

function checkedBlocks(ws: Workspace, args: Args): Record<string, unknown>[] | undefined {
  if (args.blocks === undefined) return undefined;
  const problem = blockProblem(args.blocks, ws.refusedBlocks);
  if (problem !== undefined) throw new Refusal(problem);
  return args.blocks as Record<string, unknown>[]; // blockProblem has checked the shape
}

function checkedThread(ws: Workspace, channel: string, args: Args): string | undefined {
  const threadTs = optional(args, "thread_ts");
  if (threadTs === undefined) return undefined;
  const inThread = ws.store.messages.filter(
    (m) => m.channel === channel && !m.deleted && (m.ts === threadTs || m.threadTs === threadTs),
  );
  if (inThread.length === 0) throw new Refusal("thread_not_found");
  return threadTs;
}

function asSlack(message: SlackMessage, withMetadata: boolean): Args {
  return {
    type: "message",
    user: message.user,
    bot_id: message.botId,
    ts: message.ts,
    thread_ts: message.threadTs,
    text: message.text,
    blocks: message.blocks,
    ...(withMetadata && message.metadata ? { metadata: message.metadata } : {}),
  };
}

function postMessage(ws: Workspace, args: Args): Args {
  const channel = openChannel(ws, args);
  const threadTs = checkedThread(ws, channel, args);
  const blocks = checkedBlocks(ws, args) ?? [];
  if (text(args, "text").trim() === "" && blocks.length === 0) throw new Refusal("no_text");
  const message = ws.store.add({
    channel,
    threadTs,
    user: ws.botUser,
    botId: ws.botId,
    text: text(args, "text").slice(0, 40_000),
    blocks,
    metadata: args.metadata as SlackMessage["metadata"],
  });
  return { channel, ts: message.ts, message: asSlack(message, true) };
}

function ours(ws: Workspace, args: Args, denied: string): SlackMessage {
  const message = ws.store.find(openChannel(ws, args), text(args, "ts"));
  if (message === undefined) throw new Refusal("message_not_found");
  if (message.botId !== ws.botId) throw new Refusal(denied);
  return message;
}

/** Blocks that an update does not name stay as they were, as in Slack. */
function update(ws: Workspace, args: Args): Args {
  const message = ours(ws, args, "cant_update_message");
  const blocks = checkedBlocks(ws, args) ?? message.blocks;
  if (bytes(text(args, "text")) > 4000) throw new Refusal("msg_too_long");
  if (text(args, "text").trim() === "" && blocks.length === 0) throw new Refusal("no_text");
  message.edits.push({ text: message.text, blocks: message.blocks });
  message.text = text(args, "text");
  message.blocks = blocks;
  return { channel: message.channel, ts: message.ts, text: message.text };
}

function postEphemeral(ws: Workspace, args: Args): Args {
  const channel = openChannel(ws, args);
  const blocks = checkedBlocks(ws, args) ?? [];
  if (text(args, "user") === "") throw new Refusal("user_not_in_channel");
  const threadTs = optional(args, "thread_ts");
  ws.store.ephemerals.push({
    channel,
    user: text(args, "user"),
    threadTs,
    text: text(args, "text"),
    blocks,
    via: "api",
  });
  return { message_ts: ws.store.nextTs() };
}

function page(messages: SlackMessage[], args: Args): Args {
  const from = Number(args.cursor ?? 0);
  const limit = Number(args.limit ?? 100);
  const next = from + limit < messages.length ? String(from + limit) : "";
  return {
    messages: messages.slice(from, from + limit).map((m) => asSlack(m, Boolean(args.include_all_metadata))),
    has_more: next !== "",
    response_metadata: { next_cursor: next },
  };
}

function replies(ws: Workspace, args: Args): Args {
  const channel = openChannel(ws, args);
  const root = text(args, "ts");
  const thread = ws.store.messages.filter((m) => m.channel === channel && (m.ts === root || m.threadTs === root));
  const live = thread.filter((m) => !m.deleted);
  if (live.length === 0) throw new Refusal("thread_not_found");
  const oldest = text(args, "oldest") || "0";
  return page(
    live.filter((m) => m.ts === root || Number(m.ts) >= Number(oldest)),
    args,
  );
}

function history(ws: Workspace, args: Args): Args {
  const channel = openChannel(ws, args);
  return page(ws.store.messages.filter((m) => m.channel === channel && !m.deleted && !m.threadTs).reverse(), args);
}

function react(ws: Workspace, args: Args, on: boolean): Args {
  const message = ws.store.find(openChannel(ws, args), text(args, "timestamp"));
  if (message === undefined) throw new Refusal("message_not_found");
  const name = text(args, "name");
  if (message.reactions.includes(name) === on) throw new Refusal(on ? "already_reacted" : "no_reaction");
  message.reactions = on ? [...message.reactions, name] : message.reactions.filter((r) => r !== name);
  return {};
}

function userInfo(ws: Workspace, args: Args): Args {
  const id = text(args, "user");
  const name = ws.names.get(id);
  if (name === undefined) throw new Refusal("user_not_found");
  return { user: { id, name: name.toLowerCase(), real_name: name, profile: { display_name: name, real_name: name } } };
}

function uploadUrl(ws: Workspace, args: Args): Args {
  const id = `F${ws.store.files.size + 1}`;
  const content = Buffer.alloc(0);
  if (!(Number(args.length) > 0)) throw new Refusal("invalid_arguments");
  ws.store.files.set(id, { id, name: text(args, "filename"), type: "application/octet-stream", content });
  return { file_id: id, upload_url: `${ws.url}/upload/${id}` };
}

function completeUpload(ws: Workspace, args: Args): Args {
  const channel = openChannel(ws, args, "channel_id");
  const threadTs = checkedThread(ws, channel, args);
  const files = (args.files as { id: string }[]).map(({ id }) => ws.store.files.get(id));
  const known = files.filter((file) => file !== undefined);
  if (known.length !== files.length || known.some((file) => file.content.length === 0))
    throw new Refusal("file_not_found");
  const message = ws.store.add({
    channel,
    threadTs,
    user: ws.botUser,
    botId: ws.botId,
    text: text(args, "initial_comment"),
    files: known.map((file) => file.id),
  });
  for (const file of known) Object.assign(file, { channel, ts: message.ts });
  return { files: known.map(({ id, name }) => ({ id, title: name })) };
}

function fileInfo(ws: Workspace, args: Args): Args {
  const file = ws.store.files.get(text(args, "file"));
  if (file === undefined) throw new Refusal("file_not_found");
  const shares = file.channel && file.ts ? { public: { [file.channel]: [{ ts: file.ts }] } } : {};
  const url = `${ws.url}/download/${file.id}/${encodeURIComponent(file.name)}`;
  return { file: { id: file.id, name: file.name, url_private_download: url, shares } };
}

function setStatus(ws: Workspace, args: Args): Args {
  const channel = openChannel(ws, args, "channel_id");
  ws.store.statuses.push({ channel, threadTs: text(args, "thread_ts"), status: text(args, "status") });
  return {};
}

export const METHODS: Record<string, (ws: Workspace, args: Args) => Args> = {
  "auth.test": (ws) => ({
    url: `${ws.url}/`,
    team: "Emulated",
    user: "planbridge",
    team_id: ws.team,
    user_id: ws.botUser,
    bot_id: ws.botId,
  }),
  "bots.info": (ws) => ({ bot: { id: ws.botId, app_id: "A0APP", user_id: ws.botUser } }),
  "chat.postMessage": postMessage,
  "chat.update": update,
  "chat.postEphemeral": postEphemeral,
  "chat.delete": (ws, args) => {
    ours(ws, args, "cant_delete_message").deleted = true;
    return {};
  },
  "conversations.open": (ws, args) => {
    const user = text(args, "users");
    if (!ws.names.has(user)) throw new Refusal("user_not_found");
    return { channel: { id: `D${user.slice(1)}` } };
  },
  "conversations.replies": replies,
  "conversations.history": history,
  "reactions.add": (ws, args) => react(ws, args, true),
  "reactions.remove": (ws, args) => react(ws, args, false),
  "users.info": userInfo,
  "files.getUploadURLExternal": uploadUrl,
  "files.completeUploadExternal": completeUpload,
  "files.info": fileInfo,
  "assistant.threads.setStatus": setStatus,
};
