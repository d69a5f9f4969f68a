/** Content -> the body of a create or an edit. Pure but for files, which are read here. */
import { readFile } from "node:fs/promises";
import type { APIActionRowComponent, APIButtonComponent, APIContainerComponent, RawFile } from "discord.js";
import type { Content, OutFile } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import { splitMarkdown } from "../markdown/split.ts";
import { boardBody, buttonRows } from "./board.ts";
import { toDiscord } from "./format.ts";

export const MOST_CONTENT = 2000;

/** Model text must never ping anyone, on no path. */
const NO_PINGS = { parse: [], replied_user: false };

export interface Body {
  content?: string;
  flags?: number;
  components?: (APIActionRowComponent<APIButtonComponent> | APIContainerComponent)[];
  allowed_mentions: { parse: never[]; replied_user: boolean };
}

export type Shown = Exclude<Content, { kind: "file" }>;

export function bodyOf(content: Shown): Body {
  if (content.kind === "board") return { ...boardBody(content.board), allowed_mentions: NO_PINGS };
  // The buttons of a long question stand under its last part.
  const source = content.kind === "question" ? (split(content.text).at(-1) ?? content.text) : content.text;
  const text = toDiscord(source);
  if (text.length > MOST_CONTENT) {
    const message = `A Discord message holds ${MOST_CONTENT} characters, not ${text.length}.`;
    throw new ChannelError({ code: "too_long", message });
  }
  // An edit without this list would keep the buttons of an answered question.
  const components = content.kind === "question" ? buttonRows(content.buttons) : [];
  return { content: text, components, allowed_mentions: NO_PINGS };
}

export async function fileBody(file: OutFile, comment: string | undefined): Promise<{ body: Body; files: RawFile[] }> {
  const data = await readFile(file.path).catch((cause: unknown) => {
    throw new ChannelError({ code: "refused", message: `The file ${file.name} cannot be read.`, cause });
  });
  const body = bodyOf({ kind: "markdown", text: comment ?? "" });
  return { body, files: [{ name: file.name, data, contentType: file.type }] };
}

export function split(markdown: string): string[] {
  return splitMarkdown(markdown, MOST_CONTENT, { render: toDiscord });
}

export function fitsEdit(content: Content): boolean {
  if (content.kind === "file") return false;
  return content.kind === "board" || content.kind === "question" || fits(content.text);
}

function fits(markdown: string): boolean {
  return toDiscord(markdown).length <= MOST_CONTENT;
}
