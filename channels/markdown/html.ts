/** Telegram HTML in pieces, each with its tags closed. Never cuts a tag or an entity. */
import { assertLimit, wholeCharacters } from "./text.ts";

interface Open {
  name: string;
  /** Empty for a tag that leaves no room for text: then the words go out without it. */
  tag: string;
  close: string;
  /** What takes the place of a link that was left out. */
  target: string;
}

interface State {
  limit: number;
  pieces: string[];
  piece: string;
  hasText: boolean;
  open: Open[];
}

const TOKENS = /<[^<>]*>|&[a-zA-Z#0-9]{1,10};|[^<&\s]+|\s|[<&]/g;

export function splitHtml(html: string, limit: number): string[] {
  assertLimit(limit);
  const state: State = { limit, pieces: [], piece: "", hasText: false, open: [] };
  for (const [token] of html.toWellFormed().matchAll(TOKENS)) {
    if (token.startsWith("</")) closeTag(state, token);
    else if (token.startsWith("<") && token.endsWith(">") && token.length > 2) openTag(state, token);
    else addText(state, token);
  }
  if (state.hasText) state.pieces.push(state.piece + closers(state));
  return state.pieces;
}

const closers = (state: State): string => state.open.map(({ close }) => close).reduceRight((all, one) => all + one, "");
const openers = (state: State): string => state.open.map(({ tag }) => tag).join("");

function openTag(state: State, tag: string): void {
  const name = /^<([a-zA-Z-]*)/.exec(tag)?.[1] ?? "";
  const close = `</${name}>`;
  const overhead = openers(state).length + closers(state).length + tag.length + close.length;
  if (overhead * 2 > state.limit) {
    const target = /\shref="([^"]*)"/.exec(tag)?.[1] ?? "";
    state.open.push({ name, tag: "", close: "", target });
    return;
  }
  if (state.piece.length + tag.length + close.length + closers(state).length >= state.limit) flush(state);
  state.open.push({ name, tag, close, target: "" });
  state.piece += tag;
}

function closeTag(state: State, token: string): void {
  const last = state.open.at(-1);
  if (last === undefined || `</${last.name}>` !== token) return;
  state.open.pop();
  state.piece += last.close;
  if (last.target === "") return;
  for (const [part] of ` (${last.target})`.matchAll(TOKENS)) addText(state, part);
}

function flush(state: State): void {
  if (state.hasText) state.pieces.push(state.piece + closers(state));
  state.piece = openers(state);
  state.hasText = false;
}

function addText(state: State, token: string): void {
  const room = () => state.limit - state.piece.length - closers(state).length;
  if (token.length > room()) {
    flush(state);
    if (token.trim() === "" && !state.open.some(({ name }) => name === "pre")) return;
  }
  let rest = token;
  while (rest.length > room()) {
    if (rest.startsWith("&") || room() < 2)
      throw new RangeError(`One character does not fit a limit of ${state.limit}`);
    const end = wholeCharacters(rest, 0, room());
    state.piece += rest.slice(0, end);
    state.hasText = true;
    flush(state);
    rest = rest.slice(end);
  }
  state.piece += rest;
  state.hasText ||= rest.trim() !== "";
}
