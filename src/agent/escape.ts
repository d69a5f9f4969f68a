/** Text of people, skills, agents and web pages becomes data: it cannot open or close a tag of ours. */

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** `<name key="value">\nbody\n</name>`, all of it escaped; blank bodies leave nothing behind. */
export function tagged(name: string, body: string, attributes: Record<string, string> = {}): string {
  if (body.trim() === "") return "";
  return block(name, escapeText(body.trim()), attributes);
}

/** As {@link tagged}, for a body that is made of escaped parts already. */
export function block(name: string, markup: string, attributes: Record<string, string> = {}): string {
  if (markup.trim() === "") return "";
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  return `<${name}${written.join("")}>\n${markup}\n</${name}>`;
}
