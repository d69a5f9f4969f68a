/** Words in Telegram's HTML, with the plain words to fall back to. */
import { ChannelError } from "../errors.ts";
import { plainText, toTelegramHtml } from "./format.ts";

export interface Words {
  html: string;
  /** Made from the source, never from the markup that was refused. */
  plain: string;
}

export function markdownWords(text: string): Words {
  return { html: toTelegramHtml(text), plain: plainText(text) };
}

/** Markup that Telegram refuses is sent once more as plain text. */
export async function asHtmlOrPlain<T>(words: Words, send: (text: string, mode: object) => Promise<T>): Promise<T> {
  try {
    return await send(words.html, { parse_mode: "HTML" });
  } catch (error) {
    if (!(error instanceof ChannelError && error.code === "bad_format")) throw error;
    return send(words.plain, {});
  }
}
