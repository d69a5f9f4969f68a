/** Tables as monospaced text, padded by what a terminal shows: a Han character is two columns wide. */
import type { AlignType } from "mdast";
import stringWidth from "string-width";

/** A longer cell sticks out instead of widening every row. */
const MAX_COLUMN = 60;

function widths(rows: string[][]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) => {
    const widest = Math.max(0, ...rows.map((row) => stringWidth(row[column] ?? "")));
    return Math.min(MAX_COLUMN, widest);
  });
}

function pad(text: string, width: number, align: AlignType): string {
  const gap = Math.max(0, width - stringWidth(text));
  const before = align === "right" ? gap : align === "center" ? Math.floor(gap / 2) : 0;
  return `${" ".repeat(before)}${text}${" ".repeat(gap - before)}`;
}

/** The first row is the head. */
export function tableText(rows: string[][], align: (AlignType | undefined)[]): string {
  const clean = rows.map((row) => row.map((cell) => cell.replace(/\s+/g, " ").trim()));
  const wide = widths(clean);
  const written = clean.map((row) =>
    wide
      .map((width, column) => pad(row[column] ?? "", width, align[column] ?? null))
      .join(" | ")
      .trimEnd(),
  );
  const line = wide.map((width) => "-".repeat(Math.max(1, width))).join("-+-");
  return [written[0] ?? "", line, ...written.slice(1)].join("\n");
}
