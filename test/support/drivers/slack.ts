import type { MessageRef } from "../../../channels/channel.ts";
import { createSlack } from "../../../channels/slack/adapter.ts";
import { REAL_LIMITS, type SlackEmulator, startSlackEmulator } from "../emulators/slack.ts";
import type { SlackMessage } from "../emulators/slack-store.ts";
import { slackConfig } from "../slack-door.ts";
import { type ChannelDriver, ContractDoor, type DriverOptions, lineLog } from "./driver.ts";

type Dict = Record<string, unknown>;

export async function slackDriver({
  limits = false,
}: DriverOptions = {}): Promise<ChannelDriver & { slack: SlackEmulator }> {
  const slack = await startSlackEmulator({ redeliverAfterMs: 300, limits: limits ? REAL_LIMITS : undefined });
  const log = lineLog();
  const door = new ContractDoor();
  const channel = createSlack(slackConfig(slack), { log, now: Date.now });
  const { botToken, appToken } = slack;
  const home = { channel: "slack" as const, account: "T1" };

  function message({ at, id }: MessageRef): SlackMessage {
    const found = slack.store.messages.find((one) => one.channel === at.chat && one.ts === id);
    if (!found) throw new Error(`no message ${id}`);
    return found;
  }
  const methodOf = (what: "post" | "edit") => (what === "post" ? "chat.postMessage" : "chat.update");

  return {
    slack,
    channel,
    door,
    log,
    secrets: [botToken, appToken, slack.signingSecret],
    mention: "<@U0BOT>",
    person: "U1",
    dm: (text) => void slack.say({ channel: "D1", text }),
    say: (text, place = 0) => void slack.say({ channel: `C${place + 1}`, text }),
    followUp: ({ chat, thread }, text) =>
      void slack.say({ channel: chat, text, ...(thread === undefined ? {} : { threadTs: thread }) }),
    otherBot: (text) => void slack.say({ text, user: "U0OTHER", extra: { bot_id: "B0OTHER", subtype: "bot_message" } }),
    sendFile: ({ name, bytes }) =>
      void slack.say({ channel: "D1", text: "", files: [{ name, type: "text/plain", content: Buffer.from(bytes) }] }),
    press: (_ref, token) => void slack.press(token),
    whispers: () => slack.store.ephemerals.map(({ text }) => text),
    deleteMessage: ({ at, id }) => slack.deleteMessage(at.chat, id),
    shown: (ref) => readable(message(ref)),
    buttons: (ref) => dicts(message(ref).blocks).flatMap((it) => (it.type === "button" ? [String(it.value)] : [])),
    posts: () =>
      slack.posts().map(({ channel: chat, threadTs: thread, ts }) => ({ at: { ...home, chat, thread }, id: ts })),
    limited: () => slack.rateLimited,
    edits: (ref) => message(ref).edits.length,
    history: (ref) => [...message(ref).edits.map(({ text }) => text), message(ref).text],
    pings: (ref) => markupOf(message(ref)).flatMap((text) => text.match(/<[!@][^>]*>/g) ?? []),
    links: (ref) =>
      markupOf(message(ref)).flatMap((text) =>
        [...text.matchAll(/<(https?:[^|>]+)/g)].map(([, url = ""]) => decode(url)),
      ),
    file: (ref) => slack.store.files.get(message(ref).files[0] ?? "")?.content,
    reactions: (ref) => message(ref).reactions,
    faults: {
      limitNext: (what) => slack.failNext(methodOf(what), { retryAfter: 2 }),
      failNext: (what) => slack.failNext(methodOf(what), { status: 503 }),
      revokeToken() {
        slack.botToken = "xoxb-another";
      },
      kick: () => void slack.workspace.closed.set("C1", "not_in_channel"),
    },
    async close() {
      await channel.stop();
      await slack.stop();
    },
  };
}

/** With blocks, Slack shows those and keeps the text for notifications. */
function readable({ text, blocks }: SlackMessage): string {
  const shown = blocks.length === 0 ? [text] : dicts(blocks).flatMap((it) => [it.title, it.text].filter(isText));
  return shown.map(decode).join("\n");
}

/** Every text that Slack reads as markup. */
function markupOf({ text, blocks }: SlackMessage): string[] {
  return [text, ...dicts(blocks).flatMap((it) => (it.type === "mrkdwn" && isText(it.text) ? [it.text] : []))];
}

function dicts(value: unknown): Dict[] {
  if (Array.isArray(value)) return value.flatMap(dicts);
  if (typeof value !== "object" || value === null) return [];
  const own = value as Dict; // Neither an array nor null.
  return [own, ...Object.values(own).flatMap(dicts)];
}

const isText = (value: unknown): value is string => typeof value === "string";
const decode = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
