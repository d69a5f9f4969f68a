/** Turns what the schema refuses into sentences an operator can act on. */
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { dotted, isRecord, type ParsedFile, type Path, type Problem } from "./parse.ts";

type Issue = z.core.$ZodIssue;

const NOUNS: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a group of keys",
  record: "a group of keys",
};

export function explain(issues: readonly Issue[], schema: z.ZodType, file: ParsedFile, data: unknown): Problem[] {
  const shape = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  return issues.flatMap((issue) => problemsOf(issue, [], { shape, file, data }));
}

/** "; did you mean x?" when something known is close, else nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const best = closest(word, known);
  return distance(word, best) <= Math.max(2, word.length / 3) ? `; did you mean ${best}?` : "";
}

interface Context {
  shape: JsonSchema;
  file: ParsedFile;
  data: unknown;
}

function problemsOf(issue: Issue, parent: Path, context: Context): Problem[] {
  const path = [...parent, ...issue.path];
  if (issue.code === "unrecognized_keys") return unknownKeys(issue.keys, path, context);
  if (issue.code === "invalid_union" && isOwnWords(issue.message) === false && issue.errors.length > 0) {
    return unionProblems(issue.errors, path, context);
  }
  return [at(path, sentence(issue, path, context), context)];
}

function at(path: Path, message: string, { file }: Context): Problem {
  return { path: dotted(path), message, line: file.lineOf(path) };
}

function unknownKeys(keys: readonly string[], path: Path, context: Context): Problem[] {
  const known = keysAt(context.shape, path);
  return keys.map((key) => at([...path, key], `is not a known key${hint(key, known)}`, context));
}

function hint(key: string, known: string[]): string {
  return suggestion(key, known) || (known.length > 0 ? `; known here: ${known.join(", ")}` : "");
}

// The alternative that fits best speaks for the union: its key names are the ones the operator meant.
function unionProblems(alternatives: readonly Issue[][], path: Path, context: Context): Problem[] {
  const sameKind = alternatives.filter(
    (issues) => !issues.some((it) => it.path.length === 0 && it.code !== "unrecognized_keys"),
  );
  const best = sameKind.toSorted((a, b) => a.length - b.length)[0];
  if (best) return best.flatMap((issue) => problemsOf(issue, path, context));
  const wanted = alternatives.flatMap((issues) => issues.slice(0, 1)).map(expectation);
  return [at(path, `must be ${wanted.join(" or ")}`, context)];
}

function expectation(issue: Issue): string {
  if (issue.code === "invalid_value") return issue.values.map(String).join(" or ");
  return issue.code === "invalid_type" ? (NOUNS[issue.expected] ?? issue.expected) : issue.message;
}

function sentence(issue: Issue, path: Path, { file, data }: Context): string {
  const value = valueAt(data, path);
  if (value === undefined && issue.code !== "invalid_key") return `is missing; it must be ${expectation(issue)}`;
  if (isOwnWords(issue.message)) return ownWords(issue.message, value, file.writtenAt(path));
  switch (issue.code) {
    case "invalid_type":
      return `must be ${expectation(issue)}, not ${typeof value === "number" ? value : kindOf(value)}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}${suggestion(String(value), issue.values.map(String))}`;
    case "too_small":
      return issue.origin === "string"
        ? "must not be empty"
        : `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `must be ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`;
    case "invalid_format":
      return formatSentence(issue);
    case "invalid_key":
      return `is not allowed as a name: it ${issue.issues.map((it) => (it.code === "invalid_format" ? formatSentence(it) : it.message)).join(", ")}`;
    default:
      return issue.message;
  }
}

function formatSentence(issue: z.core.$ZodIssueInvalidStringFormat): string {
  if (issue.format === "url") return "must be a URL such as https://host.example/path";
  if (issue.format === "starts_with") return `must begin with ${(issue as z.core.$ZodIssueStringStartsWith).prefix}`;
  return `must match the pattern ${issue.pattern}`;
}

/** Messages written in the schema; zod's own begin with one of these words. */
function isOwnWords(message: string): boolean {
  return !/^(Invalid|Too|Unrecognized)\b/.test(message);
}

function ownWords(message: string, value: unknown, written: string | undefined): string {
  return typeof value === "number" && message.endsWith("in quotes") ? `${message}: "${written ?? value}"` : message;
}

function kindOf(value: unknown): string {
  if (value === null) return "empty; give it a value or remove the key";
  if (Array.isArray(value)) return NOUNS.array as string;
  return NOUNS[typeof value] ?? typeof value;
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isRecord(value) ? value[String(key)] : undefined;
  }, data);
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

function keysAt(shape: JsonSchema, path: Path): string[] {
  const nodes = path.reduce<JsonSchema[]>(
    (level, key) => level.flatMap((it) => childrenOf(it, key)),
    alternatives(shape),
  );
  return [...new Set(nodes.flatMap((it) => Object.keys(it.properties ?? {})))];
}

function childrenOf(node: JsonSchema, key: PropertyKey): JsonSchema[] {
  const child = typeof key === "number" ? node.items : (node.properties?.[String(key)] ?? node.additionalProperties);
  return typeof child === "object" ? alternatives(child) : [];
}

function alternatives(node: JsonSchema): JsonSchema[] {
  return node.anyOf ? node.anyOf.flatMap(alternatives) : [node];
}
