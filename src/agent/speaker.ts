/** How a person's message reaches the model: whose it is, what it quotes, which files came with it. All of it data. */
import { basename } from "node:path";
import type { AgentRequest, InputFile, User } from "../types.ts";
import { block, escapeText, tagged } from "./escape.ts";
import { oneLine } from "./todos.ts";

const MAX_NAME = 80;

/** A name people chose themselves: one line, nothing that could be taken for our markup. */
export function displayName(name: string): string {
  const plain = oneLine(
    name.replaceAll("[", "(").replaceAll("]", ")").replaceAll("<", "‹").replaceAll(">", "›"),
    MAX_NAME,
  );
  return plain === "" ? "someone" : plain;
}

const PREFIX = /^\[from: [^\]\n]*\]\n/;

/** `[from: Ann]` and her words. Lines in her words that look like that are defused, so there is exactly one. */
export function spoken(speaker: User, text: string): string {
  return `[from: ${displayName(speaker.name)}]\n${text.replace(/^\[from: /gim, "(from: ")}`;
}

/** At the console there is one person, who needs no name. */
const ALONE = new Set(["terminal"]);

export function humanText(channel: string, input: AgentRequest["input"]): string {
  const { speaker, text, quoted = "", files } = input;
  const words = ALONE.has(channel) ? text : spoken(speaker, text);
  return [words, tagged("quoted_message", quoted), uploads(files)].filter((part) => part !== "").join("\n\n");
}

function uploads(files: InputFile[]): string {
  return block("uploaded_files", files.map(fileLine).join("\n"));
}

function fileLine({ name, path, type, problem }: InputFile): string {
  if (problem !== undefined) return `- ${escapeText(oneLine(name))} was sent but is not here: ${escapeText(problem)}`;
  return `- /uploads/${escapeText(oneLine(basename(path)))} (${escapeText(oneLine(type, 80))})`;
}

/** The person's own words, without what was put around them. */
export function withoutSpeaker(text: string): string {
  return text.replace(PREFIX, "").replace(/\n\n<(?:quoted_message|uploaded_files)>[\s\S]*$/, "");
}
