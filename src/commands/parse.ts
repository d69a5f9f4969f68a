/** Text to command: only known words, only as the first token. A path or URL that begins with a slash is chat. */
import { distance } from "fastest-levenshtein";

export type Parsed =
  | { kind: "command"; name: string; args: string }
  /** Looks like a mistyped command. */
  | { kind: "unknown"; name: string; suggestion: string | undefined }
  | { kind: "chat" };

/** Whole-message words that work without a slash, because Slack refuses slash commands in threads. */
const BARE = new Set(["help", "stop", "status", "todos", "approve", "reject"]);

const SLASH = /^[/／]([\p{L}][\p{L}\d_-]*)(?:@[\w-]+)?(?:\s+([\s\S]*))?$/u;

export function parseCommand(text: string, names: readonly string[]): Parsed {
  const plain = normalize(text);
  const bare = plain.toLowerCase();
  if (BARE.has(bare)) return { kind: "command", name: bare, args: "" };
  const match = SLASH.exec(plain);
  if (!match) return { kind: "chat" };
  const name = (match[1] ?? "").toLowerCase();
  const args = (match[2] ?? "").trim();
  if (names.includes(name)) return { kind: "command", name, args };
  const suggestion = nearest(name, names);
  // "/etc is full" is a sentence about a folder; "/stat" or "/foo" alone is a command that does not exist.
  return suggestion || args === "" ? { kind: "unknown", name, suggestion } : { kind: "chat" };
}

/** The platform has split it already, and took words of its own form only. */
export function parseNative({ name, args }: { name: string; args: string }, names: readonly string[]): Parsed {
  if (names.includes(name)) return { kind: "command", name, args };
  return { kind: "unknown", name, suggestion: nearest(name, names) };
}

function nearest(name: string, names: readonly string[]): string | undefined {
  const limit = name.length <= 4 ? 1 : 2;
  const ranked = names.map((known) => ({ known, far: distance(name, known) })).sort((a, b) => a.far - b.far);
  const best = ranked[0];
  if (best && best.far <= limit) return best.known;
  return name.length >= 3 ? names.find((known) => known.startsWith(name)) : undefined;
}

/** Phones write smart quotes, full-width letters and invisible characters; commands mean the plain ones. */
export function normalize(text: string): string {
  return text
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replace(/[\u2018\u2019\u201a]/g, "'")
    .replace(/[\uff01-\uff5e]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace(/[\u3000\u00a0]/g, " ")
    .trim();
}

/** Splits arguments at spaces; quotes keep words together. */
export function words(args: string): string[] {
  return [...normalize(args).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? "");
}
