/** What the emulated workspace holds; tests read it. */
export interface SlackMessage {
  channel: string;
  ts: string;
  threadTs?: string | undefined;
  user: string;
  botId?: string | undefined;
  text: string;
  blocks: Record<string, unknown>[];
  metadata?: { event_type: string; event_payload: Record<string, unknown> } | undefined;
  reactions: string[];
  files: string[];
  /** Earlier contents, oldest first. */
  edits: { text: string; blocks: Record<string, unknown>[] }[];
  deleted: boolean;
}

export interface SlackEphemeral {
  channel: string;
  user: string;
  threadTs?: string | undefined;
  text: string;
  blocks: Record<string, unknown>[];
  /** Through `response_url` or chat.postEphemeral. */
  via: "response_url" | "api";
}

export interface SlackFile {
  id: string;
  name: string;
  type: string;
  content: Buffer;
  channel?: string | undefined;
  ts?: string | undefined;
}

export interface SlackCall {
  method: string;
  args: Record<string, unknown>;
  status: number;
  error?: string | undefined;
}

export interface SlackStore {
  messages: SlackMessage[];
  ephemerals: SlackEphemeral[];
  files: Map<string, SlackFile>;
  calls: SlackCall[];
  statuses: { channel: string; threadTs: string; status: string }[];
  nextTs(): string;
  find(channel: string, ts: string): SlackMessage | undefined;
  add(message: Pick<SlackMessage, "channel" | "user" | "text"> & Partial<SlackMessage>): SlackMessage;
}

export function createStore(): SlackStore {
  let count = 0;
  const store: SlackStore = {
    messages: [],
    ephemerals: [],
    files: new Map(),
    calls: [],
    statuses: [],
    nextTs() {
      count += 1;
      return `${Math.floor(Date.now() / 1000)}.${String(count).padStart(6, "0")}`;
    },
    find: (channel, ts) => store.messages.find((m) => m.channel === channel && m.ts === ts && !m.deleted),
    add(message) {
      const full = { blocks: [], reactions: [], files: [], edits: [], deleted: false, ts: store.nextTs(), ...message };
      store.messages.push(full);
      return full;
    },
  };
  return store;
}
