/** An answer too long to read in a chat: its beginning, an outline, and the whole as a file. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Channel, Content } from "../channels/channel.ts";
import { words } from "./words.ts";

/** More messages than this are a wall of text to everybody in the chat. */
const MOST_MESSAGES = 10;
const MOST_HEADINGS = 15;

export interface LongAnswer {
  text: string;
  channel: Pick<Channel, "split" | "capabilities">;
  /** Folder of files that may be sent, and the name of this one; the same again after a restart. */
  folder: string;
  name: string;
}

/** The pieces in which an answer is posted. Where a file cannot be written or sent, all of it goes as messages. */
export async function answerPieces({ text, channel, folder, name }: LongAnswer): Promise<Content[]> {
  const pieces = channel.split(text);
  const all = pieces.map((piece): Content => ({ kind: "markdown", text: piece }));
  if (pieces.length <= MOST_MESSAGES || !channel.capabilities.files) return all;
  const path = join(folder, name);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path, text, { mode: 0o600 });
  } catch {
    return all; // Nothing is lost: the long way is still a way.
  }
  const summary = words.longAnswer(text.length, headings(text));
  return [
    { kind: "markdown", text: pieces[0] ?? "" },
    { kind: "markdown", text: channel.split(summary)[0] ?? summary },
    { kind: "file", file: { name, path, type: "text/markdown" } },
  ];
}

/** ATX headings outside of code. */
function headings(text: string): string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "");
  return [...prose.matchAll(/^ {0,3}#{1,6} +(.+?)(?: +#+)? *$/gm)]
    .map((match) => match[1] ?? "")
    .slice(0, MOST_HEADINGS);
}
