/** Small text rules that all tools share. */

/** What one tool result may hold; about 10,000 tokens. */
export const OUTPUT_LIMIT = 40_000;

export function capped(text: string, limit = OUTPUT_LIMIT): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}\n[cut: ${text.length - limit} more characters]`;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** 1500 -> "1.5 kB", as file managers count. */
export function readableSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A file whose beginning holds NUL bytes is no text. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, 8000).includes(0);
}
