import { splitMarkdown } from "./split.ts";
import { assertLimit } from "./text.ts";

/** The beginning of a Markdown text, cut where its markup stays whole, with "…" for what is missing. */
export function truncateMarkdown(text: string, limit: number): string {
  assertLimit(limit - 1);
  if (text.length <= limit) return text;
  const [piece = ""] = splitMarkdown(text, limit - 1);
  return piece.length < text.trim().length ? `${piece.trimEnd()}…` : piece;
}
