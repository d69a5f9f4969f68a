/** The next piece of Markdown source: as much as fits, ended at the best border. */
import { assemble, type Cursor, closing, type Frame, frameAt, shown } from "./frame.ts";
import type { SourceLine } from "./lines.ts";
import { sewLines, sewPart, type Taken } from "./sew.ts";
import { breakAt } from "./text.ts";

export function take(lines: SourceLine[], from: Cursor, limit: number): Taken {
  const at = skipBlank(lines, from);
  if (at.line >= lines.length) return { piece: "", next: undefined };
  const frame = frameAt(lines, at, limit);
  const sizes = fill(frame);
  const end = at.line + sizes.length - 1;
  if (end >= lines.length) return { piece: assemble(frame, end), next: undefined };
  const border = bestBorder(frame, sizes) ?? shortRest(frame, sizes);
  if (border !== undefined) return sewLines(frame, border);
  return cutLine(frame, end, sizes.at(-1)!);
}

/** Blank lines before a piece, and what is left of a fence that has no more code. */
function skipBlank(lines: SourceLine[], from: Cursor): Cursor {
  const { line, column } = from;
  if (column > 0 || from.resume !== undefined) return from;
  let at = line;
  while (at < lines.length && (lines[at]!.role === "blank" || lines[at]!.role === "close")) at += 1;
  if (lines[at]?.role !== "code") return { line: at, column: 0 };
  const code = nextCode(lines, at);
  return code < lines[at]!.end ? { line: at, column: 0 } : skipBlank(lines, { line: code, column: 0 });
}

/** The first line of a fence that is not blank code, or the end of the fence. */
function nextCode(lines: SourceLine[], from: number): number {
  const { end } = lines[from]!;
  let at = from;
  while (at < end && (lines[at]!.role === "close" || lines[at]!.text.trim() === "")) at += 1;
  return at;
}

/** Sizes of the piece with 0, 1, 2… lines, as long as it fits with its fence closed. */
function fill(frame: Frame): number[] {
  const { lines, at, limit, head } = frame;
  const sizes = [head.length === 0 ? 0 : head.join("\n").length];
  for (let index = at.line; index < lines.length; index += 1) {
    const before = sizes.at(-1)!;
    const isFirst = index === at.line && head.length === 0;
    const size = before + shown(frame, index).length + (isFirst ? 0 : 1);
    const close = closing(frame, index);
    if (size + (close === undefined ? 0 : close.length + 1) > limit) break;
    sizes.push(size);
  }
  return sizes;
}

/** The line to begin the next piece with; undefined when only bad borders are there. */
function bestBorder(frame: Frame, sizes: number[]): number | undefined {
  const { lines, at, limit } = frame;
  const end = at.line + sizes.length - 1;
  let best: { line: number; score: number } | undefined;
  for (let line = at.line + 1; line <= end; line += 1) {
    const isFull = sizes[line - at.line]! * 2 >= limit;
    const score = borderScore(lines, line) + (isFull ? 10 : 0);
    if (score > 0 && score % 10 > 0 && score >= (best?.score ?? 0)) best = { line, score };
  }
  return best === undefined ? undefined : keepWhole(frame, best.line);
}

/** A fence or table that fits one piece is not cut only because it began late in this one. */
function keepWhole({ lines, at, limit }: Frame, border: number): number {
  const { first, end } = lines[border]!;
  if (first <= at.line || first === border || end - first < 2) return border;
  let size = 0;
  for (let line = first; line < end; line += 1) size += lines[line]!.text.length + 1;
  return size <= limit && borderScore(lines, first) > 0 ? first : border;
}

/** 0 is no border; 4 the best one. */
function borderScore(lines: SourceLine[], line: number): number {
  const before = lines[line - 1]!;
  const after = lines[line]!;
  if (before.role === "open" || before.role === "head" || after.role === "close") return 0;
  if (isUnderHeading(lines, line)) return 0;
  if (after.role === "code" || after.role === "row") return 1;
  if (before.role === "blank" && after.role === "text" && /^\s/.test(after.text)) return 2;
  if (before.role === "blank" || after.role === "blank" || after.role === "heading") return 4;
  if (after.role === "open" || before.role === "close") return 3;
  return after.role === "item" && !/^\s/.test(after.text) ? 3 : after.role === "item" ? 2 : 1;
}

function isUnderHeading(lines: SourceLine[], line: number): boolean {
  let at = line - 1;
  while (at > 0 && at > line - 3 && lines[at]!.role === "blank") at -= 1;
  return lines[at]!.role === "heading" && lines[line]!.role !== "heading";
}

/** Room for a few characters of a long line is not worth a cut, if the piece has something to say without it. */
function shortRest({ lines, at, limit }: Frame, sizes: number[]): number | undefined {
  const end = at.line + sizes.length - 1;
  const isShort = limit - sizes.at(-1)! < limit / 4;
  return end > at.line && isShort && lines[end - 1]!.role !== "open" ? end : undefined;
}

/** The line at `end` is cut, because it does not fit even where nothing or only its heading stands before it. */
function cutLine(frame: Frame, end: number, size: number): Taken {
  const { at, head, limit } = frame;
  const [column, resume] = end === at.line ? [at.column, at.resume ?? ""] : [0, ""];
  const { text } = frame.lines[end]!;
  const close = closing(frame, end);
  const separator = end === at.line && head.length === 0 ? 0 : 1;
  const room = limit - size - resume.length - separator - (close === undefined ? 0 : close.length + 1);
  if (room < 2 && end > at.line) return sewLines(frame, end);
  const to = breakAt(text, column, Math.max(2, room));
  return sewPart(frame, end, resume + text.slice(column, to), to);
}
