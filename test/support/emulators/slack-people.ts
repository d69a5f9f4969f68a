/** What people do in the emulated workspace; each action sends the events that Slack would send. */
import type { Args, Workspace } from "./slack-api.ts";
import type { Delivery, Post } from "./slack-delivery.ts";
import type { SlackMessage } from "./slack-store.ts";

export interface Saying {
  /** `D…` is a direct message, `G…` a group direct message, `P…` a private channel. Default `C1`. */
  channel?: string;
  user?: string;
  text: string;
  threadTs?: string;
  /** Also the `app_mention` twin when the text mentions the bot. Default true. */
  twin?: boolean;
  files?: { name: string; type: string; content: Buffer | string }[];
  /** Merged into the event. */
  extra?: Record<string, unknown>;
}

export interface People {
  /** A person writes; returns the message's ts. */
  say(saying: Saying): string;
  editMessage(channel: string, ts: string, text: string): void;
  /** Slack adds a link preview: the text stays. */
  unfurl(channel: string, ts: string): void;
  deleteMessage(channel: string, ts: string): void;
  /** Presses the button with this token in the newest message that shows it. */
  press(token: string, user?: string): Delivery;
  slash(text: string, where?: { channel?: string; user?: string; command?: string }): Delivery;
  /** Any event, as Slack would wrap it. */
  event(event: Record<string, unknown>): Delivery;
  /** Called by the emulator when the app uses a response_url. */
  answered(id: string, body: Args): void;
}

const CHANNEL_TYPES: Record<string, string> = { D: "im", G: "mpim", P: "group" };
const channelType = (channel: string) => CHANNEL_TYPES[channel[0] ?? ""] ?? "channel";

function buttonIn(message: SlackMessage, token: string): Record<string, unknown> | undefined {
  const elements = message.blocks.flatMap((block) => (Array.isArray(block.elements) ? block.elements : []));
  return elements.find((element) => element?.type === "button" && element.value === token);
}

export function createPeople(ws: Workspace, post: Post): People {
  const { store } = ws;
  const interactions = new Map<string, { channel: string; user: string; threadTs: string | undefined }>();
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };

  function event(body: Record<string, unknown>): Delivery {
    return post.deliver("events_api", {
      type: "event_callback",
      team_id: ws.team,
      api_app_id: "A0APP",
      event_id: `Ev${next()}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [{ team_id: ws.team, user_id: ws.botUser, is_bot: true }],
      event: body,
    });
  }

  function attach(saying: Saying): Record<string, unknown>[] {
    return (saying.files ?? []).map(({ name, type, content }) => {
      const id = `F${store.files.size + 1}`;
      const file = { id, name, type, content: Buffer.from(content) };
      store.files.set(id, file);
      const url = `${ws.url}/download/${id}/${encodeURIComponent(name)}`;
      return { id, name, mimetype: type, size: file.content.length, url_private: url, url_private_download: url };
    });
  }

  function say(saying: Saying): string {
    const { channel = "C1", user = "U1", text, threadTs, twin = true } = saying;
    const message = store.add({ channel, user, text, threadTs });
    const files = attach(saying);
    const shared = {
      channel,
      user,
      text,
      ts: message.ts,
      event_ts: message.ts,
      team: ws.team,
      ...(threadTs ? { thread_ts: threadTs } : {}),
      ...(files.length > 0 ? { files } : {}),
      ...saying.extra,
    };
    const subtype = files.length > 0 ? { subtype: "file_share" } : {};
    event({ type: "message", channel_type: channelType(channel), ...subtype, ...shared });
    const mentions = text.includes(`<@${ws.botUser}`) && channelType(channel) !== "im";
    if (twin && mentions) event({ type: "app_mention", ...shared });
    return message.ts;
  }

  function changed(channel: string, ts: string, text: string, extra: Record<string, unknown>): void {
    const message = store.find(channel, ts);
    if (message === undefined) throw new Error(`no message ${ts} in ${channel}`);
    const shape = { type: "message", user: message.user, ts, thread_ts: message.threadTs, team: ws.team };
    const before = { ...shape, text: message.text };
    message.edits.push({ text: message.text, blocks: message.blocks });
    message.text = text;
    event({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel,
      channel_type: channelType(channel),
      ts: store.nextTs(),
      message: { ...shape, text, ...extra },
      previous_message: before,
    });
  }

  function press(token: string, user = "U1"): Delivery {
    const message = store.messages.findLast((m) => !m.deleted && buttonIn(m, token) !== undefined);
    const element = message && buttonIn(message, token);
    if (message === undefined || element === undefined) throw new Error(`no button ${token}`);
    const id = `R${next()}`;
    interactions.set(id, { channel: message.channel, user, threadTs: message.threadTs });
    return post.deliver("interactive", {
      type: "block_actions",
      team: { id: ws.team },
      user: { id: user, name: (ws.names.get(user) ?? user).toLowerCase(), team_id: ws.team },
      api_app_id: "A0APP",
      channel: { id: message.channel, name: "general" },
      container: { type: "message", message_ts: message.ts, channel_id: message.channel, thread_ts: message.threadTs },
      message: { type: "message", user: ws.botUser, ts: message.ts, thread_ts: message.threadTs, text: message.text },
      actions: [{ type: "button", action_id: element.action_id, value: element.value, action_ts: store.nextTs() }],
      response_url: `${ws.url}/response/${id}`,
      trigger_id: `trigger.${id}`,
    });
  }

  function slash(text: string, where: { channel?: string; user?: string; command?: string } = {}): Delivery {
    const { channel = "C1", user = "U1", command = "/planbridge" } = where;
    const id = `R${next()}`;
    interactions.set(id, { channel, user, threadTs: undefined });
    return post.deliver("slash_commands", {
      team_id: ws.team,
      channel_id: channel,
      channel_name: channelType(channel) === "im" ? "directmessage" : "general",
      user_id: user,
      user_name: (ws.names.get(user) ?? user).toLowerCase(),
      command,
      text,
      api_app_id: "A0APP",
      response_url: `${ws.url}/response/${id}`,
      trigger_id: `trigger.${id}`,
    });
  }

  return {
    say,
    event,
    press,
    slash,
    editMessage: (channel, ts, text) => {
      const message = store.find(channel, ts);
      changed(channel, ts, text, { edited: { user: message?.user, ts: store.nextTs() } });
    },
    unfurl: (channel, ts) =>
      changed(channel, ts, store.find(channel, ts)?.text ?? "", { attachments: [{ title: "Ex" }] }),
    deleteMessage(channel, ts) {
      const message = store.find(channel, ts);
      if (message === undefined) throw new Error(`no message ${ts} in ${channel}`);
      message.deleted = true;
      const ids = { channel, channel_type: channelType(channel), ts: store.nextTs(), deleted_ts: ts };
      event({ type: "message", subtype: "message_deleted", hidden: true, ...ids });
    },
    answered(id, body) {
      const to = interactions.get(id);
      if (to === undefined || body.response_type === "in_channel") return;
      const blocks = Array.isArray(body.blocks) ? body.blocks : [];
      const threadTs = typeof body.thread_ts === "string" ? body.thread_ts : undefined;
      store.ephemerals.push({ ...to, threadTs, text: String(body.text ?? ""), blocks, via: "response_url" });
    },
  };
}
