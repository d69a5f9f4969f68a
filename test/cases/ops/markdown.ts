/** The field cases about converting and splitting, answered by the Markdown functions of the channels. */
import { toDiscord } from "../../../channels/discord/format.ts";
import { splitHtml } from "../../../channels/markdown/html.ts";
import { plainText } from "../../../channels/markdown/plain.ts";
import { splitMarkdown } from "../../../channels/markdown/split.ts";
import { splitText } from "../../../channels/markdown/text.ts";
import { threadTitle } from "../../../channels/markdown/title.ts";
import { truncateMarkdown } from "../../../channels/markdown/truncate.ts";
import { toMrkdwn } from "../../../channels/slack/format.ts";
import { toTelegramHtml } from "../../../channels/telegram/format.ts";
import { toMarkdownV2 } from "../../../channels/telegram/markdown-v2.ts";

type Convert = (markdown: string) => string;

const CONVERTERS: Record<string, Convert> = {
  slack: toMrkdwn,
  discord: toDiscord,
  telegram: toTelegramHtml,
  telegram_html: toTelegramHtml,
  telegram_mdv2: toMarkdownV2,
};

interface On {
  platform: string;
}

interface TextInput {
  text: string;
  limit: number;
  cut: number;
  dialect: string;
}

const converter = ({ platform }: On): Convert => CONVERTERS[platform] ?? plainText;
const textOf = (input: string | TextInput): string => (typeof input === "string" ? input : input.text);

function split({ text, limit, dialect }: TextInput): string[] {
  if (dialect === "plain") return splitText(text, limit);
  return dialect === "telegram_html" ? splitHtml(text, limit) : splitMarkdown(text, limit);
}

export const ops = {
  convert: (input: string | TextInput, on: On) => converter(on)(textOf(input)),
  plain_fallback: (input: string | TextInput) => plainText(textOf(input)),
  truncate: ({ text, cut }: TextInput, on: On) => converter(on)(truncateMarkdown(text, cut)),
  split,
  render_split: ({ text, limit }: TextInput, on: On) =>
    splitMarkdown(text, limit, { render: converter(on) }).map(converter(on)),
  thread_title: ({ text }: TextInput) => threadTitle(text),
};
