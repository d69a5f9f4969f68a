/** Text as people meant it: our own mention taken out, hidden link targets made visible. */
import type { TgEntity, TgMessage } from "./wire.ts";

export interface Self {
  id: string;
  username: string;
  /** Names of our commands; absent = not known, every command counts. */
  commands?: ReadonlySet<string> | undefined;
}

export interface Words {
  text: string;
  /** We are named by @username, by a text mention or by `/command@username`. */
  mentioned: boolean;
  /** The message begins with `/command@` of another bot. */
  forOther: boolean;
  /** The message begins with a command that names no bot. */
  bareCommand: boolean;
}

interface Cut {
  from: number;
  to: number;
  by: string;
}

export function readWords(message: TgMessage, self: Self): Words {
  const source = message.text ?? message.caption ?? "";
  const entities = (message.text === undefined ? message.caption_entities : message.entities) ?? [];
  const words: Words = { text: source, mentioned: false, forOther: false, bareCommand: false };
  const cuts: Cut[] = [];
  for (const entity of entities) {
    const part = source.slice(entity.offset, entity.offset + entity.length);
    if (entity.type === "bot_command") readCommand(entity, part, source, self, words, cuts);
    else if (isOwnMention(entity, part, self)) {
      words.mentioned = true;
      cuts.push(mentionCut(source, entity));
    } else if (entity.type === "text_link" && entity.url && entity.url !== part) {
      const end = entity.offset + entity.length;
      cuts.push({ from: end, to: end, by: ` (${entity.url})` });
    }
  }
  return { ...words, text: apply(source, cuts).trim() };
}

function isOwnMention(entity: TgEntity, part: string, self: Self): boolean {
  if (entity.type === "text_mention") return String(entity.user?.id) === self.id;
  return entity.type === "mention" && part.toLowerCase() === `@${self.username.toLowerCase()}`;
}

function readCommand(entity: TgEntity, part: string, source: string, self: Self, words: Words, cuts: Cut[]): void {
  const [name = "", bot] = part.split("@");
  const own = bot !== undefined && bot.toLowerCase() === self.username.toLowerCase();
  if (own) {
    words.mentioned = true;
    cuts.push({ from: entity.offset + name.length, to: entity.offset + part.length, by: "" });
  }
  if (entity.offset !== 0) return;
  if (bot !== undefined) words.forOther = !own;
  // "/mnt/data" holds the entity "/mnt": a path, no command.
  else if (/^(\s|$)/.test(source.slice(part.length))) words.bareCommand = isOurs(name.slice(1), self);
}

function isOurs(name: string, { commands }: Self): boolean {
  return commands?.has(name.toLowerCase()) ?? true;
}

/** Takes one neighbouring space along, so that no double space stays behind. */
function mentionCut(source: string, { offset, length }: TgEntity): Cut {
  const end = offset + length;
  if (source[end] === " " || (offset === 0 && /[,:]/.test(source[end] ?? "")))
    return { from: offset, to: end + 1, by: "" };
  return { from: source[offset - 1] === " " ? offset - 1 : offset, to: end, by: "" };
}

function apply(source: string, cuts: Cut[]): string {
  const ordered = cuts.toSorted((a, b) => b.from - a.from || b.to - a.to);
  return ordered.reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
}
