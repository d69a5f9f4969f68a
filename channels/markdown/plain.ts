import { PLAIN } from "./plain-dialect.ts";
import { renderMarkdown } from "./render.ts";

/** What people read when a platform refuses our formatting: made from the source, so no escapes show. */
export const plainText = (markdown: string): string => renderMarkdown(markdown, PLAIN);
