import { truncate } from "./text.ts";

const MOST_TITLE = 100;
const MENTION = /<(?:@[!&]?|#)\d+>|@(?:everyone|here)\b/g;
const EMOJI = /<a?(:\w+:)\d+>/g;

/** A thread's name from the message it starts with: one line of 1 to 100 characters, without mentions. */
export function threadTitle(text: string): string {
  const words = text.toWellFormed().replace(MENTION, " ").replace(EMOJI, "$1");
  const line = words.replace(/[\s\p{Cc}\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  return truncate(line, MOST_TITLE) || "New conversation";
}
