/** Content as the bodies Slack takes. The first is the best; each next one is for when Slack refused the one before. */
import type { types } from "@slack/bolt";
import type { Button, Content } from "../channel.ts";
import { splitMarkdown } from "../markdown/split.ts";
import { actions, boardText, capLines, clip, EDIT_BYTES, planBlocks, sectionBlocks } from "./board.ts";
import { toMrkdwn } from "./format.ts";
import { escapeText } from "./text.ts";

export interface Body {
  text: string;
  blocks: types.KnownBlock[];
}

export type Shown = Exclude<Content, { kind: "file" }>;

const SECTION_CHARS = 3000;
/** Blocks of more than about 12,000 characters in all are refused, without a documented limit. */
const MAX_SECTIONS = 3;
/** Markdown that converts to more than its share even when it is this short is sent as it is. */
const SMALLEST = 100;

/** Every piece fits a section, a post and an edit once it is converted. */
export function splitForSlack(markdown: string, limit = SECTION_CHARS): string[] {
  return splitMarkdown(markdown, limit).flatMap((piece) => {
    const share = shareThatFits(toMrkdwn(piece));
    const smaller = Math.floor(Math.min(limit, piece.length) * share * 0.95);
    return share >= 1 || smaller < SMALLEST ? [piece] : splitForSlack(piece, smaller);
  });
}

const shareThatFits = (text: string): number =>
  Math.min(SECTION_CHARS / Math.max(1, text.length), EDIT_BYTES / Math.max(1, Buffer.byteLength(text)));

export function fitsEdit(content: Content): boolean {
  if (content.kind === "file") return false;
  if (content.kind === "board") return true;
  const text = toMrkdwn(content.text);
  if (content.kind === "question") return text.length <= SECTION_CHARS * MAX_SECTIONS;
  return Buffer.byteLength(text) <= EDIT_BYTES;
}

function sections(pieces: string[]): types.SectionBlock[] {
  return pieces.map((text) => ({ type: "section", text: { type: "mrkdwn", text }, expand: true }));
}

/** Without buttons the options are words. */
function inWords(text: string, buttons: Button[]): string {
  const words = buttons.map((button) => `• ${escapeText(clip(button.label, 75))}`).join("\n");
  const room = EDIT_BYTES - Buffer.byteLength(words) - 1;
  const shown = capLines(text.split("\n"), (part) => Buffer.byteLength(part) <= room);
  return words === "" ? shown : `${shown}\n${words}`;
}

function question(content: Extract<Shown, { kind: "question" }>): Body[] {
  const pieces = splitForSlack(content.text).map(toMrkdwn);
  const [text = "…"] = pieces;
  const cut = pieces.length > MAX_SECTIONS ? ["…"] : [];
  const shown = sections([...pieces.slice(0, MAX_SECTIONS), ...cut]);
  return [
    { text, blocks: [...shown, ...actions(content.buttons)] },
    { text: inWords(text, content.buttons), blocks: [] },
  ];
}

export function bodies(content: Shown, stamp: string): Body[] {
  switch (content.kind) {
    case "markdown":
    case "notice":
      return [{ text: toMrkdwn(content.text), blocks: [] }];
    case "question":
      return question(content);
    case "board": {
      const { board } = content;
      const text = boardText(board);
      return [
        { text, blocks: planBlocks(board, stamp) },
        { text, blocks: sectionBlocks(board) },
        { text: inWords(text, board.buttons), blocks: [] },
      ];
    }
  }
}
