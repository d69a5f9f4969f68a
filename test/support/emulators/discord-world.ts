/** What the Discord emulator knows: channels, people, messages with their edit history. Tests assert on it. */

export const CHANNEL = { text: 0, dm: 1, voice: 2, news: 5, thread: 11, forum: 15 } as const;
export const IS_COMPONENTS_V2 = 1 << 15;
export const EPHEMERAL = 1 << 6;

export interface WireUser {
  id: string;
  username: string;
  global_name: string | null;
  bot?: boolean;
}

export interface Person extends WireUser {
  roles: string[];
  nick?: string;
}

export interface WireChannel {
  id: string;
  type: number;
  name?: string;
  guild_id?: string;
  parent_id?: string | null;
  recipients?: WireUser[];
  thread_metadata?: { archived: boolean; locked: boolean; auto_archive_duration: number; archive_timestamp: string };
  owner_id?: string;
  message_count?: number;
  member_count?: number;
}

export interface WireComponent {
  type: number;
  custom_id?: string;
  label?: string;
  content?: string;
  style?: number;
  disabled?: boolean;
  accent_color?: number | null;
  components?: WireComponent[];
  accessory?: WireComponent;
}

export interface WireAttachment {
  id: string;
  filename: string;
  size: number;
  url: string;
  proxy_url: string;
  content_type?: string;
}

/** A create or edit as the client sent it. */
export interface MessagePayload {
  content?: string | null;
  flags?: number;
  components?: WireComponent[];
  embeds?: unknown[];
  allowed_mentions?: { parse?: string[]; users?: string[]; roles?: string[]; replied_user?: boolean };
  nonce?: string | number;
  enforce_nonce?: boolean;
  message_reference?: { message_id: string; channel_id?: string; fail_if_not_exists?: boolean };
  attachments?: { id: number | string; filename?: string }[];
}

export interface WireMessage {
  id: string;
  channel_id: string;
  guild_id?: string;
  type: number;
  author: WireUser;
  member?: { roles: string[]; nick?: string | null };
  content: string;
  timestamp: string;
  edited_timestamp: string | null;
  mention_everyone: boolean;
  mentions: WireUser[];
  mention_roles: string[];
  attachments: WireAttachment[];
  embeds: unknown[];
  components: WireComponent[];
  flags: number;
  pinned: boolean;
  tts: boolean;
  nonce?: string | number;
  webhook_id?: string;
  message_reference?: Record<string, unknown>;
  referenced_message?: WireMessage | null;
  message_snapshots?: { message: Partial<WireMessage> }[];
}

export interface Stored {
  message: WireMessage;
  /** The create and every edit, as the client sent them; empty for people's messages. */
  payloads: MessagePayload[];
  reactions: string[];
}

export interface UploadedFile {
  name: string;
  type: string;
  data: Uint8Array;
}

const DISCORD_EPOCH = 1_420_070_400_000n;

export class World {
  readonly channels = new Map<string, WireChannel>();
  readonly people = new Map<string, Person>();
  readonly stored = new Map<string, Stored>();
  readonly files = new Map<string, UploadedFile>();
  readonly roles: { id: string; name: string; botId?: string }[] = [];
  readonly guildId: string;
  readonly bot: Person;
  kicked = false;
  #serial = 0n;

  constructor() {
    this.guildId = this.id();
    this.bot = { id: this.id(), username: "planbridge", global_name: null, bot: true, roles: [] };
    this.people.set(this.bot.id, this.bot);
  }

  /** A snowflake like the real ones: 19 digits, growing. */
  id(): string {
    this.#serial += 1n;
    return String(((BigInt(Date.now()) - DISCORD_EPOCH) << 22n) | (this.#serial % 4_194_304n));
  }

  person(name: string, options: { roles?: string[]; bot?: boolean; nick?: string } = {}): Person {
    const known = [...this.people.values()].find((person) => person.username === name);
    if (known) return known;
    const { roles = [], bot = false, nick } = options;
    const person: Person = { id: this.id(), username: name, global_name: null, roles, ...(bot ? { bot } : {}) };
    if (nick !== undefined) person.nick = nick;
    this.people.set(person.id, person);
    return person;
  }

  role(name: string, options: { botRole?: boolean } = {}): string {
    const id = this.id();
    this.roles.push(options.botRole ? { id, name, botId: this.bot.id } : { id, name });
    return id;
  }

  addChannel(channel: Omit<WireChannel, "id"> & { id?: string }): WireChannel {
    const full = { ...channel, id: channel.id ?? this.id() };
    if (full.type !== CHANNEL.dm) full.guild_id = this.guildId;
    this.channels.set(full.id, full);
    return full;
  }

  addThread(parent: string, name: string, options: { id?: string; owner?: string; minutes?: number }): WireChannel {
    return this.addChannel({
      ...(options.id === undefined ? {} : { id: options.id }),
      type: CHANNEL.thread,
      name,
      parent_id: parent,
      owner_id: options.owner ?? this.bot.id,
      message_count: 0,
      member_count: 1,
      thread_metadata: {
        archived: false,
        locked: false,
        auto_archive_duration: options.minutes ?? 1440,
        archive_timestamp: new Date().toISOString(),
      },
    });
  }

  dmWith(person: Person): WireChannel {
    const known = [...this.channels.values()].find((c) => c.recipients?.[0]?.id === person.id);
    return known ?? this.addChannel({ type: CHANNEL.dm, recipients: [toUser(person)] });
  }

  add(author: Person, channel: WireChannel, parts: Partial<WireMessage>, payload?: MessagePayload): Stored {
    const message: WireMessage = {
      id: this.id(),
      channel_id: channel.id,
      type: 0,
      author: toUser(author),
      content: "",
      timestamp: new Date().toISOString(),
      edited_timestamp: null,
      mention_everyone: false,
      mentions: [],
      mention_roles: [],
      attachments: [],
      embeds: [],
      components: [],
      flags: 0,
      pinned: false,
      tts: false,
      ...parts,
    };
    const stored = { message, payloads: payload ? [payload] : [], reactions: [] };
    this.stored.set(message.id, stored);
    return stored;
  }

  in(channel: string): Stored[] {
    return [...this.stored.values()].filter(({ message }) => message.channel_id === channel);
  }
}

export function toUser({ id, username, global_name, bot }: Person): WireUser {
  return bot ? { id, username, global_name, bot } : { id, username, global_name };
}
