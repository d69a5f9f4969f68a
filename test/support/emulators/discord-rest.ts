/** The REST routes of the Discord emulator, over its world. Every change is dispatched to the gateway. */
import { type Answer, type Call, Refused, refuse } from "./discord-http.ts";
import { refuseMessage } from "./discord-rules.ts";
import {
  CHANNEL,
  IS_COMPONENTS_V2,
  type MessagePayload,
  type Stored,
  toUser,
  type UploadedFile,
  type WireAttachment,
  type WireChannel,
  type World,
} from "./discord-world.ts";

export interface RestDeps {
  world: World;
  baseUrl(): string;
  gatewayUrl(): string;
  applicationFlags(): number;
  dispatch(t: string, d: object): void;
  /** Channel ids where the bot may not do this. */
  forbidden: { send: Set<string>; threads: Set<string> };
}

export type Route = (call: Call) => Answer;

export function restRoutes(deps: RestDeps): Record<string, Route> {
  const { world } = deps;
  return {
    "GET /gateway/bot": () => ok(gatewayInfo(deps)),
    "GET /users/@me": () => ok(toUser(world.bot)),
    "POST /users/@me/channels": ({ body }) => {
      const person = world.people.get((body as { recipient_id: string }).recipient_id);
      return person ? ok(world.dmWith(person)) : refuse(400, 50033, "Invalid Recipient(s)");
    },
    "GET /users/@me/guilds": () => ok(world.kicked ? [] : [{ id: world.guildId, name: "Harbour" }]),
    "GET /applications/@me": () => ok({ id: world.bot.id, name: "planbridge", flags: deps.applicationFlags() }),
    "GET /channels/:id": ({ ids }) => ok(channelOf(deps, ids[0])),
    "PATCH /channels/:id": (call) => ok(patchChannel(deps, call)),
    "POST /channels/:id/typing": (call) => startTyping(deps, call),
    "GET /channels/:id/messages": (call) => ok(listMessages(deps, call)),
    "POST /channels/:id/messages": (call) => ok(createMessage(deps, call)),
    "GET /channels/:id/messages/:id": ({ ids }) => ok(messageOf(deps, ids).message),
    "PATCH /channels/:id/messages/:id": (call) => ok(editMessage(deps, call)),
    "DELETE /channels/:id/messages/:id": ({ ids }) => deleteMessage(deps, ids),
    "POST /channels/:id/messages/:id/threads": (call) => ({ status: 201, body: threadFrom(deps, call) }),
    "PUT /channels/:id/messages/:id/reactions/:emoji/@me": (call) => react(deps, call, true),
    "DELETE /channels/:id/messages/:id/reactions/:emoji/@me": (call) => react(deps, call, false),
  };
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

function startTyping(deps: RestDeps, { ids }: Call): Answer {
  channelOf(deps, ids[0]);
  return { status: 204 };
}

function gatewayInfo(deps: RestDeps): object {
  const limit = { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 };
  return { url: deps.gatewayUrl(), shards: 1, session_start_limit: limit };
}

function channelOf({ world }: RestDeps, id = ""): WireChannel {
  const channel = world.channels.get(id);
  if (!channel) return refuse(404, 10003, "Unknown Channel");
  if (world.kicked && channel.type !== CHANNEL.dm) return refuse(403, 50001, "Missing Access");
  return channel;
}

function writable(deps: RestDeps, id: string | undefined): WireChannel {
  const channel = channelOf(deps, id);
  const { send } = deps.forbidden;
  if (send.has(channel.id) || send.has(channel.parent_id ?? "")) refuse(403, 50013, "Missing Permissions");
  if (channel.thread_metadata?.locked) refuse(403, 160005, "Thread is locked");
  return channel;
}

function messageOf(deps: RestDeps, ids: string[]): Stored {
  channelOf(deps, ids[0]);
  const stored = deps.world.stored.get(ids[1] ?? "");
  return stored?.message.channel_id === ids[0] ? (stored as Stored) : refuse(404, 10008, "Unknown Message");
}

function patchChannel(deps: RestDeps, { ids, body }: Call): WireChannel {
  const channel = channelOf(deps, ids[0]);
  const meta = channel.thread_metadata;
  if (!meta) return refuse(403, 50013, "Missing Permissions");
  if (meta.locked) refuse(403, 50013, "Missing Permissions");
  Object.assign(meta, body as object);
  deps.dispatch("THREAD_UPDATE", channel);
  return channel;
}

/** Discord does not give nonces back here. */
function listMessages(deps: RestDeps, { ids, query }: Call): object[] {
  const channel = channelOf(deps, ids[0]);
  const limit = Number(query.get("limit") ?? 50);
  const newest = deps.world.in(channel.id).reverse().slice(0, limit);
  return newest.map(({ message: { nonce: _, ...message } }) => message);
}

function createMessage(deps: RestDeps, { ids, body, files }: Call): object {
  const payload = body as MessagePayload;
  const channel = writable(deps, ids[0]);
  const refusal = refuseMessage(payload, files.length, false);
  if (refusal) throw new Refused(refusal);
  const twin =
    payload.enforce_nonce && deps.world.in(channel.id).find(({ message }) => message.nonce === payload.nonce);
  if (twin) return twin.message;
  if (channel.thread_metadata?.archived) {
    channel.thread_metadata.archived = false;
    deps.dispatch("THREAD_UPDATE", channel);
  }
  const { message } = storeOwn(deps, channel, payload, files);
  deps.dispatch("MESSAGE_CREATE", message);
  return message;
}

export function storeOwn(deps: RestDeps, channel: WireChannel, payload: MessagePayload, files: UploadedFile[]): Stored {
  const { nonce, message_reference } = payload;
  return deps.world.add(
    deps.world.bot,
    channel,
    {
      content: payload.content ?? "",
      components: payload.components ?? [],
      flags: payload.flags ?? 0,
      attachments: files.map((file) => attach(deps, file)),
      ...(channel.guild_id ? { guild_id: channel.guild_id } : {}),
      ...(nonce === undefined ? {} : { nonce }),
      ...(message_reference ? { type: 19, message_reference: { ...message_reference } } : {}),
    },
    payload,
  );
}

export function attach(deps: Pick<RestDeps, "world" | "baseUrl">, file: UploadedFile): WireAttachment {
  const id = deps.world.id();
  deps.world.files.set(id, file);
  const url = `${deps.baseUrl()}/attachments/${id}/${encodeURIComponent(file.name)}`;
  return { id, filename: file.name, size: file.data.length, url, proxy_url: url, content_type: file.type };
}

function editMessage(deps: RestDeps, { ids, body }: Call): object {
  const payload = body as MessagePayload;
  const stored = messageOf(deps, ids);
  const channel = channelOf(deps, ids[0]);
  if (channel.thread_metadata?.archived) refuse(400, 50083, "Thread is archived");
  if (stored.message.author.id !== deps.world.bot.id) refuse(403, 50005, "Cannot edit a message of another user");
  writable(deps, ids[0]);
  applyEdit(stored, payload);
  deps.dispatch("MESSAGE_UPDATE", stored.message);
  return stored.message;
}

export function applyEdit(stored: Stored, payload: MessagePayload): void {
  const { message } = stored;
  const wasV2 = (message.flags & IS_COMPONENTS_V2) !== 0;
  const merged = { content: message.content, components: message.components, ...payload };
  const refusal = refuseMessage(wasV2 ? { ...merged, content: payload.content ?? "" } : merged, 0, wasV2);
  if (refusal) throw new Refused(refusal);
  message.content = merged.content ?? "";
  message.components = merged.components;
  message.flags |= payload.flags ?? 0;
  message.edited_timestamp = new Date().toISOString();
  stored.payloads.push(payload);
}

function deleteMessage(deps: RestDeps, ids: string[]): Answer {
  const { message } = messageOf(deps, ids);
  deps.world.stored.delete(message.id);
  deps.dispatch("MESSAGE_DELETE", { id: message.id, channel_id: message.channel_id, guild_id: message.guild_id });
  return { status: 204 };
}

/** The thread takes the id of the message it starts from. */
function threadFrom(deps: RestDeps, call: Call): WireChannel {
  const parent = channelOf(deps, call.ids[0]);
  if (deps.forbidden.threads.has(parent.id)) refuse(403, 50013, "Missing Permissions");
  if (parent.type !== CHANNEL.text && parent.type !== CHANNEL.news) refuse(400, 50024, "Not on this channel type");
  const { message } = messageOf(deps, call.ids);
  if (deps.world.channels.has(message.id)) refuse(400, 160004, "A thread has already been created for this message");
  const { name = "", auto_archive_duration } = call.body as { name?: string; auto_archive_duration?: number };
  if (name.length < 1 || name.length > 100) refuse(400, 50035, "Invalid Form Body");
  const minutes = auto_archive_duration === undefined ? {} : { minutes: auto_archive_duration };
  const thread = deps.world.addThread(parent.id, name, { id: message.id, ...minutes });
  deps.dispatch("THREAD_CREATE", { ...thread, newly_created: true });
  const starter = deps.world.add(deps.world.bot, thread, {
    type: 21,
    ...(thread.guild_id ? { guild_id: thread.guild_id } : {}),
    message_reference: { channel_id: parent.id, message_id: message.id },
  });
  deps.dispatch("MESSAGE_CREATE", starter.message);
  return thread;
}

function react(deps: RestDeps, { ids, path }: Call, add: boolean): Answer {
  const stored = messageOf(deps, ids);
  const emoji = decodeURIComponent(/reactions\/([^/]+)/.exec(path)?.[1] ?? "");
  stored.reactions = stored.reactions.filter((known) => known !== emoji);
  if (add) stored.reactions.push(emoji);
  return { status: 204 };
}
