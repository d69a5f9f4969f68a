/** How lines of the source are written in one piece: fences are opened again, table heads repeated. */
import type { SourceLine } from "./lines.ts";

/** `column` is past 0 within a line that was too long for one piece. */
export interface Cursor {
  line: number;
  column: number;
  /** Marks that were closed at the cut, to be opened again. */
  resume?: string;
}

export interface Frame {
  lines: SourceLine[];
  at: Cursor;
  limit: number;
  /** What the piece begins with that does not stand here in the source. */
  head: string[];
  /** Spaces taken away because the list around the first line is in the piece before. */
  dedent: number;
}

interface WrittenFence {
  open: string;
  close: string;
}

export function frameAt(lines: SourceLine[], at: Cursor, limit: number): Frame {
  const line = lines[at.line]!;
  const frame: Frame = { lines, at, limit, head: [], dedent: at.column > 0 ? 0 : listIndent(line) };
  const fence = isReopened(frame, line) ? fenceOf(frame, line) : undefined;
  if (fence !== undefined) frame.head = [fence.open];
  if (line.role === "row" && at.column === 0) frame.head = tableHead(lines, line.first, limit);
  return frame;
}

/** An item whose list began in the piece before would be code by its indentation. */
function listIndent({ text, inList, fence }: SourceLine): number {
  const indent = indentOf(text);
  return inList && fence === undefined && indent >= 4 ? indent : 0;
}

const indentOf = (text: string): number => /^ */.exec(text)?.[0].length ?? 0;

function tableHead(lines: SourceLine[], first: number, limit: number): string[] {
  const head = [lines[first]!.text, lines[first + 1]!.text];
  return head.join("\n").length <= limit / 4 ? head : [];
}

function isReopened({ at }: Frame, line: SourceLine): boolean {
  return line.first < at.line || (line.first === at.line && at.column > 0);
}

/** Marks take at most half of a piece, an info string at most a quarter: it may be garbage. */
function fenceOf(frame: Frame, line: SourceLine): WrittenFence | undefined {
  if (line.fence === undefined) return undefined;
  const { mark, prefix, language } = line.fence;
  const { limit } = frame;
  const again = isReopened(frame, line);
  const indent = again && !prefix.includes(">") ? smallIndent(prefix) : prefix.replace(/[^ \t>]/g, " ");
  const close = `${indent}${mark}`;
  const bare = `${again ? indent : prefix}${mark}`;
  const best = again ? `${bare}${language}` : frame.lines[line.first]!.text;
  const open = best.length <= Math.max(12, limit / 4) ? best : bare;
  return open.length + close.length + 2 <= limit / 2 ? { open, close } : undefined;
}

/** Four spaces would make the fence code of its own, now that the list around it is in the piece before. */
const smallIndent = (prefix: string): string => (/^ {1,3}$/.test(prefix) ? prefix : "");

/** The line as it stands in this piece. Where fences do not fit at all, their code goes out as text. */
export function shown(frame: Frame, index: number): string {
  const line = frame.lines[index]!;
  const fence = fenceOf(frame, line);
  if (line.role === "open" && !isReopened(frame, line)) return fence?.open ?? "";
  if (line.role === "close") return fence?.close ?? "";
  const { at } = frame;
  const text = index === at.line ? `${at.resume ?? ""}${line.text.slice(at.column)}` : line.text;
  return frame.dedent > 0 && line.fence === undefined ? text.slice(Math.min(indentOf(text), frame.dedent)) : text;
}

/** What has to follow if the piece ends after this line. */
export function closing(frame: Frame, index: number): string | undefined {
  const line = frame.lines[index];
  return line === undefined || line.role === "close" ? undefined : fenceOf(frame, line)?.close;
}

/** The piece of the lines up to `end`, and of the beginning of one more. */
export function assemble(frame: Frame, end: number, part?: string): string {
  const parts = [...frame.head];
  for (let index = frame.at.line; index < end; index += 1) parts.push(shown(frame, index));
  if (part !== undefined) parts.push(part);
  const last = part === undefined ? end - 1 : end;
  const close = closing(frame, last);
  if (close !== undefined) parts.push(close);
  return close === undefined ? withoutBlankEnds(parts).join("\n") : parts.join("\n");
}

function withoutBlankEnds(parts: string[]): string[] {
  const isSaying = (part: string): boolean => part.trim() !== "";
  return parts.slice(Math.max(0, parts.findIndex(isSaying)), parts.findLastIndex(isSaying) + 1);
}
