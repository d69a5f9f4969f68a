/** Ends a piece inside of a paragraph: closes its emphasis there and opens it again in the next piece. */
import { assemble, type Cursor, type Frame } from "./frame.ts";
import { hasMarks, type Seam, seam } from "./inline.ts";
import type { SourceLine } from "./lines.ts";

export interface Taken {
  piece: string;
  /** Nothing is left without it. */
  next: Cursor | undefined;
}

/** In smaller pieces the marks would take too much of the room. */
const MIN_LIMIT = 64;
/** Emphasis that goes on for longer than this is not worth the search for its end. */
const MOST_AHEAD = 800;

const isProse = (line: SourceLine | undefined): boolean =>
  line !== undefined && (line.role === "text" || line.role === "item" || line.role === "heading");

/** The piece of the lines before `end`, which ends with a line. */
export function sewLines(frame: Frame, end: number): Taken {
  const piece = assemble(frame, end);
  const plain: Taken = { piece, next: { line: end, column: 0 } };
  const last = frame.lines[end - 1];
  if (!isProse(last) || frame.lines[end]?.role !== "text") return plain;
  const found = search(frame, piece, `\n${ahead(frame, end, 0)}`);
  const moved = piece.length - (found?.at ?? 0);
  const column = last!.text.length - moved;
  const isOut = moved < 0 || column <= (end - 1 === frame.at.line ? frame.at.column : 0);
  if (found === undefined || isOut) return plain;
  const next = moved === 0 ? { line: end, column: 0 } : { line: end - 1, column };
  return sewn(piece, found, { ...next, resume: found.reopen });
}

/** The piece that ends within the line at `end`, after `part` of it, which reaches to the column `to`. */
export function sewPart(frame: Frame, end: number, part: string, to: number): Taken {
  const line = frame.lines[end]!;
  const piece = assemble(frame, end, part);
  if (to >= line.text.length) return { piece, next: { line: end + 1, column: 0 } };
  const quote = isProse(line) ? (/^(?:[ \t]{0,3}>[ \t]?){1,9}/.exec(line.text)?.[0] ?? "") : "";
  const plain: Taken = { piece, next: { line: end, column: to, resume: quote } };
  if (!isProse(line)) return plain;
  const found = search(frame, piece, ahead(frame, end, to));
  const moved = piece.length - (found?.at ?? 0);
  if (found === undefined || moved >= part.length - (frame.at.resume?.length ?? 0)) return plain;
  const next: Cursor = { line: end, column: to - moved, resume: quote + found.reopen };
  if (moved >= 0) return sewn(piece, found, next);
  return { piece: piece + line.text.slice(to, to - moved), next };
}

function sewn(piece: string, { at, close }: Seam, next: Cursor): Taken {
  const kept = piece.slice(0, at);
  return { piece: close === "" ? kept : `${kept.trimEnd()}${close}`, next };
}

/** The seam in the last paragraph of the piece, or nothing if there is nothing to close or to move. */
function search({ limit }: Frame, piece: string, rest: string): Seam | undefined {
  if (limit < MIN_LIMIT) return undefined;
  const from = piece.lastIndexOf("\n\n") + 1;
  const source = piece.slice(from) + rest;
  if (!hasMarks(source)) return undefined;
  const found = seam(source, piece.length - from);
  const isChange = found.close !== "" || found.at !== piece.length - from;
  return isChange ? { ...found, at: found.at + from } : undefined;
}

/** What follows in the same paragraph. */
function ahead({ lines, limit }: Frame, from: number, column: number): string {
  const most = Math.min(MOST_AHEAD, limit * 4);
  let text = lines[from]!.text.slice(column, column + most);
  for (let at = from + 1; at < lines.length && lines[at]!.role === "text" && text.length < most; at += 1) {
    text += `\n${lines[at]!.text.slice(0, most)}`;
  }
  return text;
}
