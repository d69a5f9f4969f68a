import { Routes } from "discord.js";
import type { DiscordConfig } from "../../config/schema.ts";
import type { Address, Capabilities, Channel, ChannelDeps, Door, NativeCommand, Pace } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { apiRoot, createApi } from "./api.ts";
import { nativeCommands } from "./commands.ts";
import { examine, tokenSentence } from "./doctor.ts";
import { download } from "./files.ts";
import { createGateway } from "./gateway.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createInteractions } from "./interactions.ts";
import { fitsEdit, split } from "./outbound.ts";
import { createPlaces } from "./places.ts";
import { createSender } from "./sender.ts";

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

/** About 5 sends or edits in 5 s per channel, 50 requests a second for the bot. */
function pace(at: Address): Pace[] {
  const bot = `discord${at.bot === undefined ? "" : `@${at.bot}`}`;
  return [
    { key: `${bot}/channel/${at.thread ?? at.chat}`, burst: 5, perMs: 5000 },
    { key: bot, burst: 50, perMs: 1000 },
  ];
}

export function createDiscord(config: DiscordConfig, deps: DiscordDeps): Channel {
  const { log, now, account } = deps;
  const api = createApi(config);
  const gateway = createGateway({ config, account, log, now });
  const places = createPlaces(api, gateway.cached);
  const interactions = createInteractions({ api, log, now });
  const sender = createSender(api, places, interactions);
  let intake: Intake | undefined;
  let table: NativeCommand[] | undefined;
  const answering = new Set<Promise<void>>();

  async function start(door: Door): Promise<void> {
    if (!config.bot_token) throw new ChannelError({ code: "auth", message: tokenSentence(account) });
    const opened = createIntake({ api, places, log, door, self: gateway.self });
    intake = opened;
    await gateway.open({
      created: opened.created,
      updated: opened.updated,
      threadDeleted: places.deleted,
      interaction(raw) {
        const work = interactions
          .handle(raw, door, gateway.self(raw.guild_id))
          .catch((error: unknown) => log.error({ error: String(error) }, "interaction not handled"))
          .finally(() => answering.delete(work));
        answering.add(work);
      },
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
      const closing = intake?.close();
      intake = undefined;
      await closing;
      await Promise.all(answering);
      await gateway.close();
    },
    ...sender,
    split,
    fitsEdit,
    pace,
    fetch: (attachment, _at, maxBytes) => download(attachment.source, apiRoot(config), maxBytes),
    commands(given) {
      table = given;
      return register();
    },
    status: gateway.status,
    doctor: () => examine(api, account),
  };
}
