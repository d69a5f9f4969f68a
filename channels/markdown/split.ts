/** Markdown in pieces that each fit one message and each read well alone. */
import type { Cursor } from "./frame.ts";
import { type SourceLine, sourceLines } from "./lines.ts";
import { take } from "./piece.ts";
import type { Taken } from "./sew.ts";
import { assertLimit } from "./text.ts";

export interface SplitOptions {
  /** How long a rendered piece is for the platform. Without it: UTF-16 units. */
  measure?: ((rendered: string) => number) | undefined;
  /** What is sent for a piece; this is what has to fit. Without it: the piece itself. */
  render?: ((piece: string) => string) | undefined;
  /** One more condition on a piece of source, for platforms with several limits. */
  fits?: ((piece: string) => boolean) | undefined;
}

/**
 * Cuts at block borders, then lines, then words, then characters. A fence is closed and opened again, a table gets
 * its head again. No piece is blank. Throws RangeError when the limit is too small for one character.
 */
export function splitMarkdown(text: string, limit: number, options: SplitOptions = {}): string[] {
  assertLimit(limit);
  const lines = sourceLines(text.toWellFormed());
  const pieces: string[] = [];
  let at: Cursor | undefined = { line: 0, column: 0 };
  while (at !== undefined) {
    const taken = takeFitting(lines, at, limit, options);
    if (taken.piece.trim() !== "") pieces.push(taken.piece);
    at = taken.next;
  }
  return pieces;
}

function takeFitting(lines: SourceLine[], at: Cursor, limit: number, options: SplitOptions): Taken {
  for (let size = limit; ; ) {
    const taken = take(lines, at, size);
    const excess = excessOf(taken.piece, limit, options);
    if (excess <= 1) return taken;
    size = smaller(taken.piece, size, excess);
    if (size < 2) throw new RangeError(`One character does not fit a limit of ${limit}`);
  }
}

/** How many times its limit a piece is; up to 1 it fits. */
function excessOf(piece: string, limit: number, { measure, render, fits }: SplitOptions): number {
  if (piece.trim() === "") return 0;
  const rendered = render === undefined ? piece : render(piece);
  const excess = (measure === undefined ? rendered.length : measure(rendered)) / limit;
  return excess <= 1 && fits?.(piece) === false ? UNKNOWN_EXCESS : excess;
}

/** A condition says only no, not by how much. */
const UNKNOWN_EXCESS = 1.25;

/** A size for the source with which the rendered piece probably fits; always less than the last one. */
function smaller(piece: string, size: number, excess: number): number {
  const guess = Math.floor(piece.length / (excess * 1.02));
  const next = Math.min(size - 1, guess, piece.length - 1);
  return next < 2 && size > 2 ? 2 : next;
}
