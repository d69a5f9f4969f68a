/**
 * The port every chat platform implements, and the plain data that crosses it.
 * Everything here is JSON: it is written to Redis and read back after a restart unchanged.
 */

export const CHANNEL_NAMES = ["slack", "discord", "telegram", "terminal"] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

/**
 * Where a message lives. `account` is the Slack team id, the Discord guild id (or `dm`), the Telegram bot id:
 * chat ids are not globally unique. `thread` is the thread that replies will use, if the platform has one here.
 */
export interface Address {
  channel: ChannelName;
  account: string;
  chat: string;
  thread?: string | undefined;
  /** Which of our bots, by its name in `accounts:`; absent for a platform's only bot. */
  bot?: string | undefined;
}

/** A message of ours that can be edited. */
export interface MessageRef {
  at: Address;
  id: string;
}

/** A file a person sent. `source` is what the adapter needs to download it (a URL or a file id), never a token. */
export interface Attachment {
  id: string;
  name: string;
  /** MIME type as told by the platform; untrusted. */
  type: string;
  /** Bytes as told by the platform; untrusted. */
  size: number;
  source: string;
}

export interface User {
  id: string;
  /** Display name: untrusted text, never used for authority. */
  name: string;
  /** Role ids the platform vouches for (Discord). */
  roles?: string[];
}

export interface Inbound {
  /** Stable across redelivery, built from platform facts: the key for "acts once". */
  id: string;
  at: Address;
  messageId: string;
  user: User;
  kind: "dm" | "group";
  /** DM, mention of us, or reply to us. A fact; whether to answer is policy. */
  addressed: boolean;
  /** Addressed by nothing but being a reply to us: policy may say that this is no mention. */
  byReply?: true;
  /** The platform's text with our own mention removed, entities decoded, other people's mentions readable. */
  text: string;
  /** A native slash command; text commands are parsed by the bridge. */
  command?: { name: string; args: string };
  /** Text quoted or forwarded by the sender: data, never a command. */
  quoted?: string;
  /** The message id this one replies to, where replies matter for the session (Telegram groups). */
  replyTo?: string;
  attachments: Attachment[];
  /** Milliseconds since the epoch, platform clock. */
  sentAt: number;
}

/** A person edited a message they had sent. */
export interface Edit {
  at: Address;
  messageId: string;
  /** Id of the inbound message that this edit changes (same construction as {@link Inbound.id}). */
  inboundId: string;
  user: User;
  text: string;
  /** Orders edits of one message; milliseconds. */
  editedAt: number;
}

/** A person pressed a button of ours. `token` is opaque to the channel; the bridge knows what it means. */
export interface Press {
  /** Stable across redelivery. */
  id: string;
  at: Address;
  user: User;
  token: string;
  message: MessageRef;
}

/** A chat changed its identity (a Telegram group became a supergroup). */
export interface Migration {
  from: Address;
  to: Address;
}

/** What the bridge offers to a channel. A platform event is acknowledged only after these resolve. */
export interface Door {
  /** Rejects when the message could not be stored: then the platform must deliver it again. */
  accept(inbound: Inbound): Promise<void>;
  edited(edit: Edit): Promise<void>;
  /** Resolves to one short line for the person who pressed, if there is something to say. */
  press(press: Press): Promise<string | undefined>;
  migrated(migration: Migration): Promise<void>;
}

/** LangChain's names. `activeForm` ("Reading the report") is shown while the todo is in progress. */
export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
  activeForm?: string | undefined;
}

export interface Button {
  /** At most 40 bytes, so that it fits every platform's callback data. */
  token: string;
  label: string;
  style?: "primary" | "danger" | undefined;
}

export interface Subagent {
  id: string;
  title: string;
  status: "running" | "done" | "failed";
  /** What it is doing now, one line. */
  detail?: string | undefined;
}

export type BoardState = "planning" | "working" | "waiting" | "done" | "failed" | "stopped" | "lost";

/** Everything a plan message shows. Two equal views are the same message. */
export interface BoardView {
  title: string;
  state: BoardState;
  todos: Todo[];
  subagents: Subagent[];
  /** Current tool activity, newest last; plain text, one line each. */
  activity: string[];
  /** A last line such as "resumed after restart" or why it failed. */
  note?: string | undefined;
  buttons: Button[];
}

export interface OutFile {
  /** Safe file name as shown in the chat. */
  name: string;
  /** Absolute path on this machine. */
  path: string;
  type: string;
}

/** What a channel is asked to show; each renders it natively. Markdown is CommonMark with GFM. */
export type Content =
  | { kind: "markdown"; text: string }
  | { kind: "notice"; text: string }
  | { kind: "question"; text: string; buttons: Button[] }
  | { kind: "board"; board: BoardView }
  | { kind: "file"; file: OutFile; comment?: string | undefined };

export interface PostOptions {
  /**
   * At most 25 characters, unique per message we mean to send. Platforms that can (Discord nonce, Slack metadata)
   * use it so that a post repeated after a crash does not show twice.
   */
  nonce?: string | undefined;
  /** Only this person should see it, where the platform can (Slack ephemeral). */
  onlyFor?: string | undefined;
}

/** One limit the outbox keeps: at most `burst` requests in `perMs` milliseconds over everything with this `key`. */
export interface Pace {
  /** E.g. `slack/T1/chat.update` or `telegram/123/chat/-1001`. */
  key: string;
  burst: number;
  perMs: number;
  /** Our own restraint: when the platform asks to wait, it is not about this one. */
  own?: true;
}

export interface Capabilities {
  edits: boolean;
  threads: boolean;
  /** Native buttons; without them questions list their options as words. */
  buttons: boolean;
  files: boolean;
  /** The answer may be shown while it is written, by edits. */
  streaming: boolean;
  /** Markdown dialect hint for the model: what this chat can show. One or two sentences. */
  dialect: string;
}

export interface ChannelStatus {
  state: "starting" | "up" | "reconnecting" | "down" | "stopped";
  /** Why, when not up. Never contains a token. */
  detail?: string | undefined;
  /** Milliseconds since the epoch of the last sign of life. */
  lastEventAt?: number | undefined;
}

export interface NativeCommand {
  name: string;
  description: string;
  /** Shown only to admins where the platform can scope commands. */
  admin: boolean;
}

/** One line of `doctor`. */
export interface Finding {
  level: "ok" | "warn" | "error";
  text: string;
}

/** All methods reject with a ChannelError (channels/errors.ts) and nothing else. */
export interface Channel {
  name: ChannelName;
  capabilities: Capabilities;
  /** Resolves when events flow; rejects with one clear sentence when the token is refused. */
  start(door: Door): Promise<void>;
  /** Stops intake first, then the connection. Safe to call twice. */
  stop(): Promise<void>;
  post(to: Address, content: Content, options?: PostOptions): Promise<MessageRef>;
  edit(ref: MessageRef, content: Content): Promise<void>;
  /** Cuts Markdown into pieces that each fit one message of this platform. Pure. Never empty for non-blank text. */
  split(markdown: string): string[];
  /** Whether `content` fits an edit of this platform (edits can be smaller than posts). Pure. */
  fitsEdit(content: Content): boolean;
  /** The limits a post or edit here must keep, narrowest first. Pure. Empty = no limit. */
  pace(at: Address, what: "post" | "edit"): Pace[];
  /** Finds a message of ours that was posted with this nonce, after a crash between a post and its record. */
  find?(at: Address, nonce: string): Promise<MessageRef | undefined>;
  /** Shows "working" until the next call or message; lapses by itself. */
  typing?(at: Address, on: boolean): Promise<void>;
  react?(ref: MessageRef, emoji: "seen" | "none"): Promise<void>;
  remove?(ref: MessageRef): Promise<void>;
  /** Downloads from the platform's own hosts only. */
  fetch?(attachment: Attachment, at: Address, maxBytes: number): Promise<Uint8Array>;
  /** Where a direct message to this person goes; whether they take it, the post tells. */
  direct?(userId: string): Promise<Address>;
  /** Registers native commands where the platform has them. */
  commands?(table: NativeCommand[]): Promise<void>;
  status(): ChannelStatus;
  /** Checks tokens, scopes and intents against the platform. */
  doctor?(): Promise<Finding[]>;
}

/** What main hands to every adapter. */
export interface ChannelDeps {
  log: ChannelLog;
  now(): number;
}

export interface ChannelLog {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}
