/** Removes credentials from text that leaves the process: logs, error texts, notices. Never used on tool input or history. */

const PATTERNS: [RegExp, string][] = [
  [/\bxox[a-z](?:\.[a-z0-9]+)?-[A-Za-z0-9-]{6,}/g, "<redacted>"],
  [/\bxapp-[A-Za-z0-9-]{6,}/g, "<redacted>"],
  [/\/bot\d{5,}:[A-Za-z0-9_-]{20,}/g, "/bot<redacted>"],
  [/\b\d{6,}:[A-Za-z0-9_-]{30,}/g, "<redacted>"],
  [/\b[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}/g, "<redacted>"],
  [/\bsk-[A-Za-z0-9_-]{16,}/g, "<redacted>"],
  [/\b(Bearer|Basic|Bot) [A-Za-z0-9._~+/=-]{12,}/gi, "$1 <redacted>"],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"]+@/gi, "$1<redacted>@"],
  [/\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}/g, "<redacted>"],
  [/\bAKIA[0-9A-Z]{16}\b/g, "<redacted>"],
];

/** `secrets`: exact values to remove as well; shorter than 6 characters are ignored, they would hit ordinary words. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret.length >= 6).reduce((t, s) => t.replaceAll(s, "<redacted>"), text);
  return PATTERNS.reduce((t, [pattern, by]) => t.replace(pattern, by), known);
}
