/** Slack payloads -> plain data. Pure; undefined means "not a person's message to look at". */
import type { Address, Attachment, Edit, Inbound, Press, User } from "../channel.ts";
import type { RawAttachment, RawBody, RawCommand, RawFile, RawMessage, RawPress } from "./raw.ts";
import { blocksText, mentions, readable } from "./text.ts";

export interface Self {
  userId: string;
  botId: string;
  team: string;
  /** Our name in `accounts:`. */
  bot?: string | undefined;
}

/** Display names known so far. */
export type NameOf = (userId: string) => string | undefined;

const HUMAN_SUBTYPES = new Set([undefined, "", "file_share", "thread_broadcast", "me_message"]);
const SLACKBOT = "USLACKBOT";
/** Slack may shorten `text` from here on; the blocks are whole. */
const MAYBE_CUT = 3900;
const nobody: NameOf = () => undefined;

const isDirect = (channel: string, type: string | undefined) => type === "im" || (!type && channel.startsWith("D"));
const millis = (ts: string | undefined) => Math.floor(Number(ts ?? 0) * 1000);

/** Who we are is part of every id: two of our bots in one channel both see the same message. */
function idOf(self: Self, ...parts: string[]): string {
  return [self.bot === undefined ? "slack" : `slack@${self.bot}`, ...parts].join("/");
}

function address(self: Self, team: string, chat: string, thread: string | undefined): Address {
  return {
    channel: "slack",
    account: team,
    chat,
    ...(thread ? { thread } : {}),
    ...(self.bot ? { bot: self.bot } : {}),
  };
}

function fromPerson(message: RawMessage, self: Self): message is RawMessage & { user: string; ts: string } {
  if (!message.user || !message.ts || message.user === self.userId || message.user === SLACKBOT) return false;
  if (message.bot_id || message.bot_profile || !HUMAN_SUBTYPES.has(message.subtype)) return false;
  return true;
}

export function rawText(message: RawMessage): string {
  const text = message.text ?? "";
  if (text.trim() !== "" && text.length < MAYBE_CUT) return text;
  const whole = blocksText(message.blocks);
  return whole.length > text.length ? whole : text;
}

function attachment(file: RawFile): Attachment | undefined {
  if (!file.id || file.mode === "tombstone" || file.mode === "hidden_by_limit") return undefined;
  return {
    id: file.id,
    name: (file.name ?? file.title ?? file.id).toWellFormed(),
    type: file.mimetype ?? "application/octet-stream",
    size: file.size ?? 0,
    // Files from other workspaces come without a URL until asked for.
    source: file.url_private_download ?? file.url_private ?? `slack-file:${file.id}`,
  };
}

const isShared = (item: RawAttachment) => item.is_share === true || item.is_msg_unfurl === true;

function quotedText(message: RawMessage, self: Self, nameOf: NameOf): string | undefined {
  const shared = (message.attachments ?? []).filter(isShared);
  const lines = shared.map((item) => {
    const text = readable(item.text ?? item.fallback ?? "", { selfId: self.userId, nameOf });
    return item.author_name ? `${item.author_name}: ${text}` : text;
  });
  return lines.join("\n\n").trim() || undefined;
}

function allFiles(message: RawMessage): Attachment[] {
  const shared = (message.attachments ?? []).filter(isShared).flatMap((item) => item.files ?? []);
  return [...(message.files ?? []), ...shared].map(attachment).filter((file) => file !== undefined);
}

function person(id: string, nameOf: NameOf): User {
  return { id, name: (nameOf(id) ?? id).toWellFormed() };
}

/** In channels every message has a thread: its own, or the one it starts. */
const threadOf = (direct: boolean, threadTs: string | undefined, ts: string) => threadTs ?? (direct ? undefined : ts);

export function toInbound(body: RawBody, self: Self, nameOf: NameOf = nobody): Inbound | undefined {
  const message = body.event;
  if (!message?.channel || message.hidden || !["message", "app_mention"].includes(message.type ?? "")) return undefined;
  if (!fromPerson(message, self)) return undefined;
  const { channel, ts } = message;
  const team = body.team_id ?? message.team ?? self.team;
  const direct = isDirect(channel, message.channel_type);
  const raw = rawText(message);
  const inbound: Inbound = {
    id: idOf(self, team, channel, ts),
    at: address(self, team, channel, threadOf(direct, message.thread_ts, ts)),
    messageId: ts,
    user: person(message.user, nameOf),
    kind: direct ? "dm" : "group",
    addressed: direct || mentions(raw, self.userId),
    text: readable(raw, { selfId: self.userId, nameOf }),
    attachments: allFiles(message),
    sentAt: millis(ts),
  };
  const quoted = quotedText(message, self, nameOf);
  if (quoted !== undefined) inbound.quoted = quoted;
  const empty = inbound.text === "" && inbound.attachments.length === 0 && quoted === undefined;
  return empty && !mentions(raw, self.userId) ? undefined : inbound;
}

/** Only an edit by a person that changed what people read: link previews and translations are edits too. */
export function toEdit(body: RawBody, self: Self, nameOf: NameOf = nobody): Edit | undefined {
  const event = body.event;
  const message = event?.message;
  if (event?.subtype !== "message_changed" || !event.channel || !message || !fromPerson(message, self))
    return undefined;
  const reading = { selfId: self.userId, nameOf };
  const text = readable(rawText(message), reading);
  const before = event.previous_message && readable(rawText(event.previous_message), reading);
  if (before === undefined ? message.edited === undefined : before === text) return undefined;
  const team = body.team_id ?? event.team ?? message.team ?? self.team;
  const direct = isDirect(event.channel, event.channel_type);
  return {
    at: address(self, team, event.channel, threadOf(direct, message.thread_ts, message.ts)),
    messageId: message.ts,
    inboundId: idOf(self, team, event.channel, message.ts),
    user: person(message.user, nameOf),
    text,
    editedAt: millis(message.edited?.ts ?? event.event_ts ?? event.ts),
  };
}

/** `/planbridge plan the trip` is the command `plan` with the arguments `the trip`. */
export function toCommand(body: RawCommand, self: Self, now: number): Inbound | undefined {
  const { channel_id: channel, user_id: user, trigger_id: trigger } = body;
  if (!channel || !user || !trigger || user === self.userId) return undefined;
  const team = body.team_id ?? self.team;
  const text = readable(body.text ?? "", { selfId: self.userId, nameOf: nobody });
  const [name = ""] = text.split(/\s/, 1);
  const id = `command-${trigger}`;
  return {
    id: idOf(self, team, channel, id),
    at: address(self, team, channel, undefined),
    messageId: id,
    user: { id: user, name: body.user_name ?? user },
    kind: isDirect(channel, undefined) ? "dm" : "group",
    addressed: true,
    text,
    command: { name: name.toLowerCase() || "help", args: text.slice(name.length).trim() },
    attachments: [],
    sentAt: now,
  };
}

/** Slack's own Stop button above a thread means what `stop` means. */
export function toStop(body: RawBody, self: Self, nameOf: NameOf = nobody): Inbound | undefined {
  const event = body.event;
  const ts = event?.event_ts ?? event?.thread_ts;
  if (event?.type !== "agent_session_stopped" || !event.channel || !event.user || !ts) return undefined;
  const team = body.team_id ?? self.team;
  const id = `stop-${ts}`;
  return {
    id: idOf(self, team, event.channel, id),
    at: address(self, team, event.channel, event.thread_ts),
    messageId: id,
    user: person(event.user, nameOf),
    kind: isDirect(event.channel, event.channel_type) ? "dm" : "group",
    addressed: true,
    text: "stop",
    command: { name: "stop", args: "" },
    attachments: [],
    sentAt: millis(ts),
  };
}

export function toPress(body: RawPress, self: Self): Press | undefined {
  const action = body.actions?.[0];
  const chat = body.channel?.id ?? body.container?.channel_id;
  const ts = body.message?.ts ?? body.container?.message_ts;
  const user = body.user;
  if (!action?.value || action.type !== "button" || !chat || !ts || !user?.id) return undefined;
  const team = body.team?.id ?? user.team_id ?? self.team;
  const threadTs = body.message?.thread_ts ?? body.container?.thread_ts;
  const at = address(self, team, chat, threadOf(isDirect(chat, undefined), threadTs, ts));
  return {
    id: idOf(self, team, chat, ts, action.action_ts ?? action.value),
    at,
    user: { id: user.id, name: user.name ?? user.username ?? user.id },
    token: action.value,
    message: { at, id: ts },
  };
}
