/** What differs between the chats: how each writes the few things that all of them can show. */

/** One line of output. `fixed` lines (code) are neither indented nor quoted. */
export interface Line {
  text: string;
  fixed: boolean;
}

/** A run of inline output; `marked` runs begin and end with markup of the dialect. */
export interface Part {
  text: string;
  marked: boolean;
}

export interface Dialect {
  text(value: string): string;
  code(value: string): string;
  fence(value: string, language: string): string;
  /** These three get a text that is not blank and has no nested markup of the same kind. */
  strong(inner: string): string;
  emphasis(inner: string): string;
  strike(inner: string): string;
  /** `label` is rendered, `plain` is the same words without markup. `url` is one that people may click. */
  link(url: string, label: string, plain: string): string;
  heading(inner: string, depth: number): string;
  quote(lines: Line[]): Line[];
  /** Puts inline runs next to each other. */
  join(parts: Part[]): string;
  /** Last touch to a line of a paragraph: what must not look like the start of a list, quote or heading. */
  line(text: string): string;
  bullet(depth: number): string;
  number(value: number): string;
  rule: string;
  /** Headings are bold here, so bold inside them adds nothing. */
  boldHeading(depth: number): boolean;
}

export const fixedLines = (text: string): Line[] => text.split("\n").map((line) => ({ text: line, fixed: true }));

export const concat = (parts: Part[]): string => parts.map((part) => part.text).join("");

/** Marks every line by itself: chat markup does not reach over a line end. Spaces stay outside of the marks. */
export function markLines(inner: string, open: string, close = open): string {
  return inner
    .split("\n")
    .map((line) => {
      const words = line.trim();
      if (words === "") return line;
      const at = line.indexOf(words);
      return `${line.slice(0, at)}${open}${words}${close}${line.slice(at + words.length)}`;
    })
    .join("\n");
}

export const prefixLines = (lines: Line[], prefix: string): Line[] =>
  lines.map((line) => (line.fixed ? line : { text: `${prefix}${line.text}`, fixed: false }));

const BULLETS = ["•", "◦", "▪"];
export const roundBullet = (depth: number): string => BULLETS[Math.min(depth, BULLETS.length - 1)]!;

/** The first word of a fence's info string, if it is one that a chat takes for a language. */
export function languageOf(info: string | null | undefined): string {
  const word = /^[\w+#.-]{1,40}$/.exec((info ?? "").split(/[\s{,:]/)[0] ?? "");
  return word?.[0] ?? "";
}

const CLICKABLE = /^(?:https?:\/\/[^/?#]|mailto:[^?])/i;

/** A target people may click, in safe characters; nothing for scripts, chat tokens and relative paths. */
export function clickable(target: string): string | undefined {
  const url = encodeTarget(target.trim());
  return CLICKABLE.test(url) ? url : undefined;
}

const encodeTarget = (target: string): string =>
  target.replace(/[\s<>"`|\\^{}\p{Cc}\p{Cf}]/gu, (unsafe) => encodeURIComponent(unsafe));

/** Three backticks inside code would end the block in chats that know no longer fence. */
export const softenFences = (code: string): string => code.replaceAll("```", "`\u200b`\u200b`");
