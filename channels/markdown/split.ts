/** Markdown in pieces that each fit one message and each read well alone. */
import type { Cursor } from "./frame.ts";
import { sourceLines } from "./lines.ts";
import { take } from "./piece.ts";
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
    let size = limit;
    let taken = take(lines, at, size);
    while (taken.piece.trim() !== "" && !fits(taken.piece, limit, options)) {
      size = smaller(taken.piece, size, limit, options);
      taken = take(lines, at, size);
    }
    if (taken.piece.trim() !== "") pieces.push(taken.piece);
    at = taken.next;
  }
  return pieces;
}

const identity = (piece: string): string => piece;
const units = (piece: string): number => piece.length;

function measured(piece: string, { measure = units, render = identity }: SplitOptions): number {
  return measure(render(piece));
}

function fits(piece: string, limit: number, options: SplitOptions): boolean {
  return measured(piece, options) <= limit && (options.fits?.(piece) ?? true);
}

/** A size for the source with which the rendered piece probably fits; always less than the last one. */
function smaller(piece: string, size: number, limit: number, options: SplitOptions): number {
  const excess = measured(piece, options) / limit;
  const guess = Math.floor(piece.length / (excess > 1 ? excess * 1.03 : 1.25));
  const next = Math.min(size - 1, guess, piece.length - 1);
  if (next >= 2) return next;
  if (size > 2) return 2;
  throw new RangeError(`One character does not fit a limit of ${limit}`);
}
