/** Discord's markup in a person's message as readable text. Pure. */
import type { RawBody, RawComponent, RawMention } from "./raw.ts";

export interface Names {
  /** Ours: the bot's user id, and the roles that mean us. */
  selfId: string;
  selfRoles: readonly string[];
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

const TEXT_DISPLAY = 10;

export function readable(body: RawBody, names: Names): string {
  const text = withoutUs(body.content ?? "", names);
  const people = new Map((body.mentions ?? []).map((user) => [user.id, nameOf(user)]));
  return text
    .replace(/<@!?(\d+)>/g, (raw, id: string) => at("@", people.get(id)) ?? raw)
    .replace(/<@&(\d+)>/g, (raw, id: string) => at("@", names.role(id)) ?? raw)
    .replace(/<#(\d+)>/g, (raw, id: string) => at("#", names.channel(id)) ?? raw)
    .replace(/<a?(:\w+:)\d+>/g, "$1")
    .replace(/<(\/[^:<>]+):\d+>/g, "$1")
    .replace(/<t:(-?\d{1,12})(?::\w)?>/g, (_, seconds: string) => time(Number(seconds)))
    .trim();
}

/** Without the mention of us, wherever it stands, and without the comma or colon after one at the beginning. */
function withoutUs(text: string, { selfId, selfRoles }: Names): string {
  const us = `<@(?:!?${selfId}${selfRoles.map((id) => `|&${id}`).join("")})>`;
  return text
    .replace(new RegExp(`^\\s*(?:${us}\\s*)+[,:]?[ \\t]*`), "")
    .replace(new RegExp(`([^\\S\\n]*)${us}([^\\S\\n]*)`, "g"), (_, before: string, after: string) =>
      before || after ? " " : "",
    )
    .replace(/^ (?=\S)| $/gm, "");
}

export function nameOf(user: RawMention): string {
  return user.member?.nick || user.global_name || user.username || user.id;
}

function at(sign: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : sign + name.replace(/\s+/g, " ").toWellFormed();
}

function time(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}

/** Our boards have their words in components. */
export function wordsOf(body: RawBody, names: Names): string {
  const text = readable(body, names);
  return text === "" ? displays(body.components ?? []).join("\n") : text;
}

function displays(components: RawComponent[]): string[] {
  return components.flatMap(({ type, content, components: inner }) =>
    type === TEXT_DISPLAY && content ? [content] : displays(inner ?? []),
  );
}
