/** What the rehearsal says. */

export const HOW_TO_GET_A_MODEL =
  "_This is a rehearsal: a built-in script answers, no model. " +
  "To use a real one, set `models` in config/local.yaml (see config/default.yaml)._";

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const GERUNDS: Record<string, string> = { say: "Saying", tell: "Telling", find: "Finding" };

/** "read package.json" -> "Reading package.json"; words that are no plain verb stay as they are. */
export function activeForm(step: string): string | undefined {
  const [, verb = "", rest = ""] = /^([A-Za-z]{2,14})(\s.*)?$/s.exec(step) ?? [];
  if (verb === "") return undefined;
  const lower = verb.toLowerCase();
  return `${GERUNDS[lower] ?? gerund(lower)}${rest}`;
}

function gerund(verb: string): string {
  const stem = /[^aeiou]e$/.test(verb)
    ? verb.slice(0, -1)
    : /^[^aeiou]*[aeiou][bdglmnprt]$/.test(verb)
      ? verb + verb.at(-1)
      : verb;
  return `${stem.charAt(0).toUpperCase()}${stem.slice(1)}ing`;
}

export function smallTalk(text: string): string {
  if (text.trim() === "") return "I got an empty message.";
  if (/\b(thanks|thank you|cheers)\b|谢谢|多谢/i.test(text)) return "You are welcome.";
  if (/^\s*(hi|hello|hey|good (morning|evening|afternoon))\b|你好|您好|こんにちは|안녕/i.test(text)) return "Hello!";
  return "I have no script for this.";
}
