/** YAML text to plain data, with the line of every value. Refuses what YAML would change silently. */
import { type Document, isMap, isScalar, LineCounter, type ParsedNode, parseDocument, type Scalar, visit } from "yaml";

export interface Problem {
  /** Dotted path of the key, or empty when the file itself is meant. */
  path: string;
  message: string;
  line?: number | undefined;
}

export type Path = readonly PropertyKey[];

export interface ParsedFile {
  data: Record<string, unknown>;
  problems: Problem[];
  /** Line of the value at a path, or of its nearest parent that is written in the file. */
  lineOf(path: Path): number | undefined;
  /** The value as it is written, e.g. all digits of a number that YAML rounds. */
  writtenAt(path: Path): string | undefined;
}

/** Deletes what a path leads to; false when nothing is there. A list keeps its length, so that other paths stay true. */
export function removeAt(data: unknown, path: Path): boolean {
  const owner = path
    .slice(0, -1)
    .reduce<unknown>((it, key) => (it as Record<PropertyKey, unknown> | undefined)?.[key], data);
  const key = path.at(-1);
  if (typeof owner !== "object" || owner === null || key === undefined) return false;
  const had = (owner as Record<PropertyKey, unknown>)[key] !== undefined;
  delete (owner as Record<PropertyKey, unknown>)[key];
  return had;
}

type LineAt = (offset: number) => number;

export function parseFile(text: string): ParsedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const problems = [...syntaxProblems(document, lineAt), ...keyProblems(document, lineAt)];
  const data = problems.length > 0 ? {} : plain(document, problems);
  return {
    data,
    problems,
    lineOf: (path) => lineOf(document, path, lineAt),
    writtenAt: (path) => (document.getIn(path, true) as Partial<Scalar> | undefined)?.source,
  };
}

export function dotted(path: Path): string {
  return path.map(String).join(".");
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function syntaxProblems(document: Document.Parsed, lineAt: LineAt): Problem[] {
  return [...document.errors, ...document.warnings].map((error) => {
    return { path: "", line: lineAt(error.pos[0]), message: `this is not valid YAML: ${error.message}` };
  });
}

/** YAML reads a bare 123 as a number and rounds it past 16 digits, also when it is a key. */
function keyProblems(document: Document.Parsed, lineAt: LineAt): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map(_, map, ancestors) {
      const parents = ancestors.flatMap((it) => ("key" in it && isScalar(it.key) ? [String(it.key.value)] : []));
      const keys = map.items.map((it) => it.key as ParsedNode | null);
      const words = keys.map((key) => (isScalar(key) ? String(key.source ?? key.value) : "?"));
      for (const [index, key] of keys.entries()) {
        const message = keyMessage(key, words, index);
        const line = key?.range ? lineAt(key.range[0]) : undefined;
        if (message) problems.push({ path: dotted([...parents, words[index] as string]), line, message });
      }
    },
  });
  return problems;
}

function keyMessage(key: ParsedNode | null, words: readonly string[], index: number): string | undefined {
  const word = words[index] as string;
  if (!isScalar(key) || typeof key.value !== "string") return `must be text; put it in quotes: "${word}"`;
  return words.indexOf(word) < index ? "is written twice in the same place; keep one" : undefined;
}

function plain(document: Document.Parsed, problems: Problem[]): Record<string, unknown> {
  if (document.contents !== null && !isMap(document.contents) && !isEmpty(document.contents)) {
    problems.push({ path: "", message: "the file must hold keys and values, such as `channels:`" });
    return {};
  }
  try {
    return (document.toJS() as Record<string, unknown> | null) ?? {};
  } catch (error) {
    // The parser throws for aliases that point nowhere or grow without bounds.
    problems.push({ path: "", message: `this is not valid YAML: ${error instanceof Error ? error.message : error}` });
    return {};
  }
}

function isEmpty(node: ParsedNode): boolean {
  return isScalar(node) && node.value === null;
}

function lineOf(document: Document.Parsed, path: Path, lineAt: LineAt): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as Partial<ParsedNode> | undefined;
    if (node?.range) return lineAt(node.range[0]);
  }
  return undefined;
}
