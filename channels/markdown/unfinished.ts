import { sourceLines } from "./lines.ts";

/** Text still being written, fit to be shown: an open code block is closed, and a sign says that more will come. */
export function unfinished(text: string): string {
  const last = sourceLines(text).at(-1);
  const { fence, role } = last ?? {};
  if (fence && role !== "close") return `${text}\n${fence.prefix.replace(/[^\t >]/g, " ")}${fence.mark}\n\n…`;
  // Behind the end of a block the sign would become part of it.
  return role === "close" || role === "row" || role === "head" ? `${text}\n\n…` : `${text.trimEnd()} …`;
}
