/** No markup at all: for table cells, link labels and platforms that refused our formatting. */
import { concat, type Dialect, prefixLines, roundBullet } from "./dialect.ts";

const same = (text: string): string => text;

export const PLAIN: Dialect = {
  text: same,
  code: same,
  fence: same,
  strong: same,
  emphasis: same,
  strike: same,
  link: (url, _label, plain) => (isSameTarget(url, plain) ? plain : `${plain || url} (${url})`),
  heading: same,
  quote: (lines) => prefixLines(lines, "> "),
  join: concat,
  line: same,
  bullet: roundBullet,
  number: (value) => `${value}.`,
  rule: "———",
  boldHeading: () => false,
};

/** A bare address needs no label. */
export function isSameTarget(url: string, plain: string): boolean {
  return plain === "" || plain === url || [`http://${plain}`, `https://${plain}`, `mailto:${plain}`].includes(url);
}
