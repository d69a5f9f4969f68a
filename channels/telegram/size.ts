/** What fits into one Telegram message. */
import type { Content } from "../channel.ts";
import { splitMarkdown } from "../markdown/split.ts";
import { toTelegramHtml } from "./format.ts";

/** UTF-16 units: of the Markdown source, and of what is left of it after parsing. */
const MOST = 4096;

/** Conversion can make text longer (a table is padded), so each piece is measured once more as people will see it. */
export function splitForTelegram(markdown: string): string[] {
  return cut(markdown, MOST);
}

export function fits(content: Exclude<Content, { kind: "file" }>): boolean {
  return content.kind === "board" || (content.text.length <= MOST && visible(content.text) <= MOST);
}

function cut(markdown: string, most: number): string[] {
  return splitMarkdown(markdown, most).flatMap((piece) => {
    const seen = visible(piece);
    return seen <= MOST || most < 256 ? [piece] : cut(piece, Math.floor(most / 2));
  });
}

function visible(markdown: string): number {
  return toTelegramHtml(markdown)
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|amp|quot|#\d+);/g, "?").length;
}
