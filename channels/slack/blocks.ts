/** Content as the bodies Slack takes. The first is the best; each next one is for when Slack refused the one before. */
import type { types } from "@slack/bolt";
import type { Content } from "../channel.ts";
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

/** Every piece fits a section, a post and an edit once it is converted. */
export const splitForSlack = (markdown: string): string[] => splitMarkdown(markdown, SECTION_CHARS, { fits });

function fits(markdown: string): boolean {
  const text = toMrkdwn(markdown);
  return text.length <= SECTION_CHARS && Buffer.byteLength(text) <= EDIT_BYTES;
}

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

function question(content: Extract<Shown, { kind: "question" }>): Body[] {
  const pieces = splitForSlack(content.text).map(toMrkdwn);
  const [text = "…"] = pieces;
  const cut = pieces.length > MAX_SECTIONS ? ["…"] : [];
  const shown = sections([...pieces.slice(0, MAX_SECTIONS), ...cut]);
  const words = content.buttons.map((button) => `• ${escapeText(clip(button.label, 75))}`);
  const plain = capLines([...words.toReversed(), ...text.split("\n").toReversed()].toReversed(), (t) => {
    return Buffer.byteLength(t) <= EDIT_BYTES;
  });
  return [
    { text, blocks: [...shown, ...actions(content.buttons)] },
    { text: plain, blocks: [] },
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
      const words = board.buttons.map((button) => `• ${escapeText(clip(button.label, 75))}`);
      const plain = capLines([...text.split("\n"), ...words], (t) => Buffer.byteLength(t) <= EDIT_BYTES);
      return [
        { text, blocks: planBlocks(board, stamp) },
        { text, blocks: sectionBlocks(board) },
        { text: plain, blocks: [] },
      ];
    }
  }
}
