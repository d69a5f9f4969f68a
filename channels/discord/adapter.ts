import { Routes } from "discord.js";
import type { DiscordConfig } from "../../config/schema.ts";
import type { Address, Capabilities, Channel, ChannelDeps, Door, NativeCommand, Pace } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { apiRoot, createApi } from "./api.ts";
import { nativeCommands } from "./commands.ts";
import { examine, tokenSentence } from "./doctor.ts";
import { download } from "./files.ts";
import { Gateway } from "./gateway.ts";
import { Intake } from "./intake.ts";
import { Interactions } from "./interactions.ts";
import { fitsEdit, split } from "./outbound.ts";
import { Places } from "./places.ts";
import { Sender } from "./sender.ts";

export interface DiscordDeps extends ChannelDeps {
  /** Our name in `accounts:`. */
  account?: string | undefined;
}

const CAPABILITIES: Capabilities = {
  edits: true,
  threads: true,
  buttons: true,
  files: true,
  streaming: true,
  dialect:
    "Discord: bold, italics, strikethrough, headings, links, lists, quotes and code blocks are shown; tables become " +
    "code blocks. No images, no HTML.",
};

/** Long answers want throughput, edits a place kept free for the last one. */
const POSTS = { burst: 1, perMs: 1100 };
const EDITS = { burst: 2, perMs: 3400 };

/**
 * Discord takes about 5 sends and 5 edits in 5 s per channel, and 50 requests a second of a bot. Burst plus refill stay
 * below these in any window.
 */
function pace(at: Address, what: "post" | "edit"): Pace[] {
  const bot = `discord${at.bot === undefined ? "" : `@${at.bot}`}`;
  return [
    { key: `${bot}/channel/${at.thread ?? at.chat}/${what}`, ...(what === "post" ? POSTS : EDITS) },
    { key: bot, burst: 20, perMs: 800 },
  ];
}

export function createDiscord(config: DiscordConfig, deps: DiscordDeps): Channel {
  const { log, now, account } = deps;
  const api = createApi(config);
  const gateway = new Gateway({ config, account, log, now });
  const places = new Places(api, (id) => gateway.cached(id));
  const interactions = new Interactions({ api, log, now });
  const sender = new Sender(api, places, interactions);
  let intake: Intake | undefined;
  let table: NativeCommand[] | undefined;

  async function start(door: Door): Promise<void> {
    if (!config.bot_token) throw new ChannelError({ code: "auth", message: tokenSentence(account) });
    const taking = new Intake({ api, places, log, door, self: (guild) => gateway.self(guild) });
    intake = taking;
    await gateway.open({
      created: (message) => taking.created(message),
      updated: (message) => taking.updated(message),
      threadDeleted: (id) => places.deleted(id),
      interaction: (raw) => interactions.handle(raw, door, gateway.self(raw.guild_id)),
    });
    // Without its slash commands the bot still does everything by words.
    await register().catch((error: unknown) => log.error({ error: String(error) }, "slash commands not registered"));
  }

  async function register(): Promise<void> {
    const application = gateway.application();
    if (table === undefined || application === undefined) return;
    await api.call("PUT", Routes.applicationCommands(application), { body: nativeCommands(table) });
  }

  return {
    name: "discord",
    capabilities: CAPABILITIES,
    start,
    async stop() {
      await intake?.close();
      await interactions.settle();
      await gateway.close();
    },
    post: (to, content, options) => sender.post(to, content, options),
    edit: (ref, content) => sender.edit(ref, content),
    find: (at, nonce) => sender.find(at, nonce),
    typing: (at, on) => sender.typing(at, on),
    react: (ref, emoji) => sender.react(ref, emoji),
    remove: (ref) => sender.remove(ref),
    split,
    fitsEdit,
    pace,
    async direct(userId) {
      const body = { recipient_id: userId };
      const { id } = await api.call<{ id: string }>("POST", Routes.userChannels(), { body });
      return { channel: "discord", account: "dm", chat: id, ...(account === undefined ? {} : { bot: account }) };
    },
    fetch: (attachment, _at, maxBytes) => download(attachment.source, apiRoot(config), maxBytes),
    commands(given) {
      table = given;
      return register();
    },
    status: () => gateway.status(),
    doctor: () => examine(api, account),
  };
}
