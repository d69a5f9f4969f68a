/** The gateway half of the Discord emulator: hello, identify, resume with missed events, heartbeats, op 7 and 9. */
import type { Server } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { CHANNEL, toUser, type WireMessage, type World } from "./discord-world.ts";

const MESSAGE_CONTENT = 1 << 15;

interface Session {
  id: string;
  intents: number;
  seq: number;
  sent: { t: string; s: number; d: unknown }[];
  socket: WebSocket | undefined;
}

interface Packet {
  op: number;
  d: { token?: string; intents?: number; session_id?: string; seq?: number } | number | null;
}

export interface GatewayOptions {
  world: World;
  token(): string;
  url(): string;
  heartbeatMs: number;
  /** Whether MESSAGE_CONTENT is switched on in the developer portal. */
  messageContent(): boolean;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server: WebSocketServer;
  readonly #sessions = new Map<string, Session>();
  /** No heartbeat is acknowledged while true. */
  mute = false;
  identifies = 0;
  resumes = 0;

  constructor(http: Server, options: GatewayOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({ server: http });
    this.#server.on("connection", (socket) => this.#greet(socket));
  }

  /** Delivered at once, or kept for a RESUME while the client is away. */
  dispatch(t: string, d: object): void {
    for (const session of this.#sessions.values()) {
      session.seq += 1;
      const event = { t, s: session.seq, d: this.#visible(session, t, d) };
      session.sent.push(event);
      send(session.socket, { op: 0, ...event });
    }
  }

  /** Connections now open. */
  get connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket).length;
  }

  /** The network fails: no close frame. */
  drop(): void {
    for (const session of this.#sessions.values()) session.socket?.terminate();
  }

  close(code: number): void {
    for (const session of this.#sessions.values()) session.socket?.close(code);
  }

  askReconnect(): void {
    for (const { socket } of this.#sessions.values()) send(socket, { op: 7, d: null });
  }

  /** The sessions are over; clients must identify again. */
  invalidate(): void {
    const sockets = [...this.#sessions.values()].map(({ socket }) => socket);
    this.#sessions.clear();
    for (const socket of sockets) send(socket, { op: 9, d: false });
  }

  async stop(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #greet(socket: WebSocket): void {
    send(socket, { op: 10, d: { heartbeat_interval: this.#options.heartbeatMs } });
    socket.on("message", (data) => this.#receive(socket, JSON.parse(String(data)) as Packet));
    socket.on("close", () => {
      for (const session of this.#sessions.values()) if (session.socket === socket) session.socket = undefined;
    });
  }

  #receive(socket: WebSocket, { op, d }: Packet): void {
    if (op === 1 && !this.mute) send(socket, { op: 11, d: null });
    if (typeof d !== "object" || d === null) return;
    if (op === 2) this.#identify(socket, d.token ?? "", d.intents ?? 0);
    if (op === 6) this.#resume(socket, d.session_id ?? "", d.seq ?? 0);
  }

  #identify(socket: WebSocket, token: string, intents: number): void {
    this.identifies += 1;
    const allowed = (intents & MESSAGE_CONTENT) === 0 || this.#options.messageContent();
    if (token !== this.#options.token()) socket.close(4004, "Authentication failed.");
    else if (!allowed) socket.close(4014, "Disallowed intent(s).");
    else this.#open(socket, intents);
  }

  #open(socket: WebSocket, intents: number): void {
    const session: Session = { id: this.#options.world.id(), intents, seq: 0, sent: [], socket };
    this.#sessions.set(session.id, session);
    this.#welcome(session);
  }

  #welcome(session: Session): void {
    const { world } = this.#options;
    const guilds = world.kicked ? [] : [{ id: world.guildId, unavailable: true }];
    this.#one(session, "READY", {
      v: 10,
      user: { ...toUser(world.bot), discriminator: "0", avatar: null, verified: true, mfa_enabled: false, flags: 0 },
      guilds,
      session_id: session.id,
      resume_gateway_url: this.#options.url(),
      shard: [0, 1],
      application: { id: world.bot.id, flags: 0 },
    });
    if (!world.kicked) this.#one(session, "GUILD_CREATE", guildCreate(world));
  }

  #one(session: Session, t: string, d: object): void {
    session.seq += 1;
    const event = { t, s: session.seq, d };
    session.sent.push(event);
    send(session.socket, { op: 0, ...event });
  }

  #resume(socket: WebSocket, id: string, seq: number): void {
    const session = this.#sessions.get(id);
    if (!session) {
      send(socket, { op: 9, d: false });
      return;
    }
    this.resumes += 1;
    session.socket = socket;
    for (const event of session.sent) if (event.s > seq) send(socket, { op: 0, ...event });
    this.#one(session, "RESUMED", {});
  }

  /** Without the intent, Discord blanks the text of messages that do not mention the bot. */
  #visible(session: Session, t: string, d: object): object {
    if (session.intents & MESSAGE_CONTENT || !t.startsWith("MESSAGE_") || !("content" in d)) return d;
    const message = d as WireMessage; // Every MESSAGE_* event with content is a whole message here.
    const forUs = message.mentions.some(({ id }) => id === this.#options.world.bot.id);
    return forUs || message.guild_id === undefined ? d : { ...message, content: "", attachments: [], components: [] };
  }
}

export function guildCreate(world: World): object {
  const channels = [...world.channels.values()].filter((channel) => channel.type !== CHANNEL.dm);
  const { bot } = world;
  return {
    id: world.guildId,
    name: "Harbour",
    owner_id: bot.id,
    unavailable: false,
    member_count: world.people.size,
    roles: [role(world.guildId, "@everyone"), ...world.roles.map(({ id, name, botId }) => role(id, name, botId))],
    channels: channels.filter(({ type }) => type !== CHANNEL.thread).map((channel) => ({ ...channel, position: 0 })),
    threads: channels.filter(({ type, thread_metadata }) => type === CHANNEL.thread && !thread_metadata?.archived),
    members: [
      {
        user: toUser(bot),
        roles: [...bot.roles, ...world.roles.filter(({ botId }) => botId).map(({ id }) => id)],
        joined_at: new Date(0).toISOString(),
        deaf: false,
        mute: false,
        flags: 0,
      },
    ],
    emojis: [],
    stickers: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    features: [],
    joined_at: new Date(0).toISOString(),
  };
}

function role(id: string, name: string, botId?: string): object {
  const tags = botId === undefined ? {} : { tags: { bot_id: botId } };
  return {
    id,
    name,
    permissions: "0",
    position: 0,
    color: 0,
    hoist: false,
    managed: false,
    mentionable: true,
    ...tags,
  };
}

function send(socket: WebSocket | undefined, packet: object): void {
  if (socket?.readyState === 1) socket.send(JSON.stringify(packet));
}
