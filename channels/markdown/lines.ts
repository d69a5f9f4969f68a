/** Markdown source as lines that know whether they stand in a fence or in a table. */

export interface Fence {
  /** What closes it, and the shortest thing that opens it. */
  mark: string;
  /** Spaces, quote signs and list marker before the marks. */
  prefix: string;
  /** The word after the marks. */
  language: string;
}

export type Role = "blank" | "text" | "heading" | "item" | "open" | "code" | "close" | "head" | "row";

export interface SourceLine {
  text: string;
  role: Role;
  /** Lines of one fence or table share these; for the others it is the line alone. */
  first: number;
  end: number;
  fence: Fence | undefined;
  /** Belongs to a list, so indentation does not mean code. */
  inList: boolean;
}

const FENCE = /^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,40})(`{3,20}|~{3,20})(?![`~])(.*)$/;
const DELIMITERS = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;

function opening(text: string): Fence | undefined {
  const match = FENCE.exec(text);
  if (match === null) return undefined;
  const [, prefix = "", mark = "", info = ""] = match;
  if (mark.startsWith("`") && info.includes("`")) return undefined;
  return { mark, prefix, language: info.trim().split(/\s/)[0] ?? "" };
}

function closes(text: string, fence: Fence): boolean {
  const bare = text.replace(/^[ \t>]+/, "").trimEnd();
  return bare.length >= fence.mark.length && bare === fence.mark[0]!.repeat(bare.length);
}

const isTableHead = (text: string, next: string | undefined): boolean =>
  next !== undefined && text.includes("|") && next.includes("|") && next.length < 2000 && DELIMITERS.test(next);

/** Past the last line of the fence opened at `first`. */
function fenceEnd(texts: string[], first: number, fence: Fence): number {
  const quoted = fence.prefix.includes(">");
  for (let at = first + 1; at < texts.length; at += 1) {
    if (quoted && !/^[ \t]*>/.test(texts[at]!)) return at;
    if (closes(texts[at]!, fence)) return at + 1;
  }
  return texts.length;
}

function tableEnd(texts: string[], first: number): number {
  let at = first + 2;
  while (at < texts.length && texts[at]!.includes("|") && opening(texts[at]!) === undefined) at += 1;
  return at;
}

function simpleRole(text: string): Role {
  if (text.trim() === "") return "blank";
  if (HEADING.test(text)) return "heading";
  return ITEM.test(text) ? "item" : "text";
}

function fenceLines(texts: string[], first: number, fence: Fence, inList: boolean): SourceLine[] {
  const end = fenceEnd(texts, first, fence);
  return texts.slice(first, end).map((text, index) => {
    const last = first + index === end - 1 && index > 0 && closes(text, fence);
    return { text, role: index === 0 ? "open" : last ? "close" : "code", first, end, fence, inList };
  });
}

function tableLines(texts: string[], first: number, inList: boolean): SourceLine[] {
  const end = tableEnd(texts, first);
  return texts.slice(first, end).map((text, index) => {
    return { text, role: index < 2 ? "head" : "row", first, end, fence: undefined, inList };
  });
}

export function sourceLines(source: string): SourceLine[] {
  const texts = source.split(/\r\n|\r|\n/);
  const lines: SourceLine[] = [];
  let inList = false;
  while (lines.length < texts.length) {
    const first = lines.length;
    const text = texts[first]!;
    const role = simpleRole(text);
    const fence = opening(text);
    if (role === "item") inList = true;
    else if (role !== "blank" && !/^[ \t]/.test(text) && lines.at(-1)?.role === "blank") inList = false;
    const table = fence === undefined && isTableHead(text, texts[first + 1]);
    if (fence !== undefined) pushAll(lines, fenceLines(texts, first, fence, inList));
    else if (table) pushAll(lines, tableLines(texts, first, inList));
    else lines.push({ text, role, first, end: first + 1, fence: undefined, inList });
  }
  return lines;
}

/** Spreading a huge block into `push` would exhaust the stack. */
function pushAll<T>(into: T[], items: T[]): void {
  for (const item of items) into.push(item);
}
