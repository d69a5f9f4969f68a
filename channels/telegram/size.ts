/** What fits into one Telegram message. */
import type { Content } from "../channel.ts";
import { splitMarkdown } from "../markdown/split.ts";
import { toTelegramHtml } from "./format.ts";

/** UTF-16 units: of the Markdown source, and of what is left of it after parsing. */
const MOST = 4096;

/** Conversion can make text longer (a table is padded), so each piece is measured as people will see it, too. */
export function splitForTelegram(markdown: string): string[] {
  return splitMarkdown(markdown, MOST, { fits: (piece) => visible(piece) <= MOST });
}

export function fits(content: Exclude<Content, { kind: "file" }>): boolean {
  return content.kind === "board" || (content.text.length <= MOST && visible(content.text) <= MOST);
}

function visible(markdown: string): number {
  const text = toTelegramHtml(markdown).replace(/<[^>]*>/g, "");
  return text.replace(/&(lt|gt|amp|quot|#\d+);/g, "?").length;
}
