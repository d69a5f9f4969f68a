/** Emphasis, links and code that a cut inside of a paragraph would break. */
import type { Node, Parent } from "mdast";
import { parseMarkdown } from "./parse.ts";

export interface Seam {
  /** Where to cut instead. */
  at: number;
  /** Marks to add at the end of what stands before the cut… */
  close: string;
  /** …and before what follows. */
  reopen: string;
}

const MARKS = new Set(["strong", "emphasis", "delete"]);
const WHOLE = new Set(["link", "linkReference", "image", "imageReference", "inlineCode", "footnoteReference"]);

export const hasMarks = (source: string): boolean => /[*_~`[\\]/.test(source);

/** How to cut `source` at `at` so that both sides keep their formatting. */
export function seam(source: string, at: number): Seam {
  const place = source[at - 1] === "\\" ? at - 1 : at;
  return seamIn(parseMarkdown(source), source, place);
}

function seamIn(node: Node, source: string, at: number): Seam {
  const [start, end] = span(node);
  if (WHOLE.has(node.type)) return { at: start, close: "", reopen: "" };
  const child = childAround(node, at);
  const inner = child === undefined ? { at, close: "", reopen: "" } : seamIn(child, source, at);
  if (!MARKS.has(node.type)) return inner;
  const [first, last] = content(node as Parent);
  if (inner.at <= first) return { at: start, close: "", reopen: "" };
  if (inner.at >= last) return { at: end, close: "", reopen: "" };
  const close = inner.close + source.slice(last, end);
  return { at: inner.at, close, reopen: source.slice(start, first) + inner.reopen };
}

const span = ({ position }: Node): [number, number] => [position?.start.offset ?? 0, position?.end.offset ?? 0];

const content = ({ children }: Parent): [number, number] => [
  children[0]?.position?.start.offset ?? 0,
  children.at(-1)?.position?.end.offset ?? 0,
];

function childAround(node: Node, at: number): Node | undefined {
  const children = "children" in node ? (node as Parent).children : [];
  return children.find((child) => {
    const [start, end] = span(child);
    return start < at && at < end;
  });
}
