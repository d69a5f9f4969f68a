/** Cutting plain text: on lines, then words, then whole characters as people see them. Lengths are UTF-16 units. */

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });
/** More than any emoji family or flag needs; longer clusters are cut between code points. */
const MAX_CLUSTER = 64;

/** A surrogate pair is two units, so one unit cannot always move on. */
export function assertLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 2)
    throw new RangeError(`A piece needs a limit of at least 2, got ${limit}`);
}

export const utf8Bytes = (text: string): number => Buffer.byteLength(text, "utf8");

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** The last place at or before `at` where `text` can be cut without harm to a character; after `from`. */
export function wholeCharacters(text: string, from: number, at: number): number {
  if (at >= text.length) return text.length;
  const start = clusterStart(text, from, at);
  if (start > from) return start;
  const inPair = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
  return inPair && at - 1 > from ? at - 1 : at;
}

function clusterStart(text: string, from: number, at: number): number {
  let window = Math.max(from, at - MAX_CLUSTER);
  if (window > from && isLow(text.charCodeAt(window))) window -= 1;
  const cluster = GRAPHEMES.segment(text.slice(window, at + MAX_CLUSTER)).containing(at - window);
  return window + (cluster?.index ?? at - window);
}

/** The text up to `limit` units, with "…" as its last one when something is missing. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < 1) return "";
  return `${text.slice(0, clusterStart(text, 0, limit - 1)).trimEnd()}…`;
}

const SPACE = /\s/;
const CJK_STOP = /[。！？；，、：）」』】》…]/;

/** Where to end a piece of at most `room` units that begins at `from`; spaces at the cut stay in the piece. */
export function breakAt(text: string, from: number, room: number): number {
  const end = from + room;
  if (end >= text.length) return text.length;
  const half = from + Math.floor(room / 2);
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (line > half) return line;
  const word = lastAfter(text, from, end, SPACE);
  if (word > half || (word > from && hasSpace(text, word, room))) return word;
  const stop = lastAfter(text, half, end, CJK_STOP);
  return stop > half ? stop : wholeCharacters(text, from, end);
}

/** Not counting a blank beginning: a piece of nothing but spaces is no piece. */
function lastAfter(text: string, from: number, end: number, stop: RegExp): number {
  for (let at = end; at > from; at -= 1) {
    if (stop.test(text[at - 1]!)) return text.slice(from, at).trim() === "" ? from : at;
  }
  return from;
}

/** Whether the word at `from` ends within `room`, so that a cut before it keeps it whole. */
function hasSpace(text: string, from: number, room: number): boolean {
  const rest = text.slice(from, from + room + 1);
  return from + room >= text.length || SPACE.test(rest);
}

/** Plain text in pieces. Joined they are the text again, but for pieces that would be blank. */
export function splitText(text: string, limit: number): string[] {
  assertLimit(limit);
  const source = text.toWellFormed();
  const pieces: string[] = [];
  for (let from = 0; from < source.length; ) {
    const end = breakAt(source, from, limit);
    const piece = source.slice(from, end);
    if (piece.trim() !== "") pieces.push(piece);
    from = end;
  }
  return pieces;
}
