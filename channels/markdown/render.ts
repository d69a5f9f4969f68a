/** A Markdown tree written in the dialect of one chat. */
import type { BlockContent, Code, List, ListItem, PhrasingContent, Root, RootContent, Table } from "mdast";
import { clickable, type Dialect, fixedLines, type Line, languageOf, type Part, prefixLines } from "./dialect.ts";
import { parseMarkdown, type References, references } from "./parse.ts";
import { PLAIN } from "./plain-dialect.ts";
import { tableText } from "./table.ts";

/** Deeper nesting than any reader follows is shown as its source. */
const MAX_DEPTH = 40;

type Mark = "strong" | "emphasis" | "delete" | "link";

interface Context {
  dialect: Dialect;
  source: string;
  refs: References;
  depth: number;
  listDepth: number;
  marks: readonly Mark[];
}

export function renderMarkdown(source: string, dialect: Dialect): string {
  const root: Root = parseMarkdown(source);
  const context: Context = { dialect, source, refs: references(root), depth: 0, listDepth: 0, marks: [] };
  const lines = blocks(root.children, context);
  return lines.map((line) => line.text).join("\n");
}

type Block = RootContent | BlockContent | ListItem;

function blocks(nodes: Block[], context: Context): Line[] {
  const lines: Line[] = [];
  let previous: Block | undefined;
  for (const node of nodes) {
    const shown = block(node, context);
    if (shown.length === 0) continue;
    if (previous !== undefined && isApart(previous, node)) lines.push({ text: "", fixed: false });
    lines.push(...shown);
    previous = node;
  }
  return lines;
}

const isApart = (before: Block, after: Block): boolean =>
  (after.position?.start.line ?? 0) - (before.position?.end.line ?? 0) > 1;

const flow = (text: string): Line[] => text.split("\n").map((line) => ({ text: line, fixed: false }));

function block(node: Block, outer: Context): Line[] {
  const { dialect } = outer;
  if (outer.depth >= MAX_DEPTH) return flow(dialect.text(sourceOf(node, outer)));
  const context = { ...outer, depth: outer.depth + 1 };
  switch (node.type) {
    case "paragraph":
      return flow(inline(node.children, context)).map((line) => ({ ...line, text: dialect.line(line.text) }));
    case "heading":
      return heading(node, context);
    case "blockquote":
      return dialect.quote(blocks(node.children, context));
    case "list":
      return list(node, context);
    case "code":
      return fixedLines(dialect.fence(...codeOf(node)));
    case "table":
      return table(node, context);
    case "thematicBreak":
      return flow(dialect.rule);
    case "footnoteDefinition":
      return hang(`[${dialect.text(node.label ?? node.identifier)}] `, blocks(node.children, context));
    case "definition":
      // A reference to it shows the target; alone it is a line somebody wanted to be read.
      return context.refs.used.has(node.identifier) ? [] : flow(dialect.text(sourceOf(node, context)));
    default:
      return flow(dialect.text(sourceOf(node, context)));
  }
}

/** Code written on the line of the opening marks is no language; alone it is the code. */
function codeOf({ value, lang, meta }: Code): [value: string, language: string] {
  const language = languageOf(lang);
  const info = [lang, meta].filter(Boolean).join(" ");
  return value.trim() === "" && info !== language ? [info, ""] : [value, language];
}

function sourceOf(node: Block | PhrasingContent, context: Context): string {
  return context.source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

function heading(node: Extract<RootContent, { type: "heading" }>, context: Context): Line[] {
  const bold = context.dialect.boldHeading(node.depth);
  const text = inline(node.children, bold ? marked(context, "strong") : context);
  return text.trim() === "" ? [] : flow(context.dialect.heading(text, node.depth));
}

const marked = (context: Context, mark: Mark): Context => ({ ...context, marks: [...context.marks, mark] });

function list(node: List, context: Context): Line[] {
  const inner = { ...context, listDepth: context.listDepth + 1 };
  const first = node.start ?? 1;
  const lines: Line[] = [];
  for (const [index, item] of node.children.entries()) {
    const before = node.children[index - 1];
    if (before !== undefined && isApart(before, item)) lines.push({ text: "", fixed: false });
    lines.push(...hang(`${marker(node, item, first + index, context)} `, blocks(item.children, inner)));
  }
  return lines;
}

function marker(node: List, item: ListItem, value: number, { dialect, listDepth }: Context): string {
  const task = typeof item.checked === "boolean" ? (item.checked ? "☑" : "☐") : undefined;
  if (task !== undefined) return dialect === PLAIN || !dialect.bullet(0).startsWith("-") ? task : `- ${task}`;
  return node.ordered ? dialect.number(value) : dialect.bullet(listDepth);
}

/** The first line after the marker, the others below it. Code keeps its place, or its own indentation would change. */
function hang(start: string, lines: Line[]): Line[] {
  const [first, ...others] = lines;
  if (first === undefined || first.fixed) return [{ text: start.trimEnd(), fixed: false }, ...lines];
  const indent = " ".repeat(start.replaceAll("\\", "").length);
  const below = prefixLines(others, indent).map((line) => (line.text.trim() === "" ? { ...line, text: "" } : line));
  return [{ text: `${start}${first.text}`, fixed: false }, ...below];
}

function table(node: Table, context: Context): Line[] {
  const plain = { ...context, dialect: PLAIN };
  const rows = node.children.map((row) => row.children.map((cell) => inline(cell.children, plain)));
  return fixedLines(context.dialect.fence(tableText(rows, node.align ?? []), ""));
}

function inline(nodes: PhrasingContent[], outer: Context): string {
  const { dialect } = outer;
  if (outer.depth >= MAX_DEPTH) return dialect.text(nodes.map((node) => sourceOf(node, outer)).join(""));
  const context = { ...outer, depth: outer.depth + 1 };
  const parts = nodes.map((node, index) =>
    isDunder(node, nodes[index + 1], context) ? literal(node, context) : part(node, context),
  );
  return dialect.join(parts.filter((run) => run.text !== ""));
}

/** `__init__.py` and `__call__()` are names, though Markdown reads bold. */
function isDunder(node: PhrasingContent, next: PhrasingContent | undefined, context: Context): boolean {
  if (node.type !== "strong" || next?.type !== "text" || !/^(?:\.\w|\()/.test(next.value)) return false;
  return /^__\w+__$/.test(sourceOf(node, context));
}

const literal = (node: PhrasingContent, context: Context): Part => ({
  text: context.dialect.text(sourceOf(node, context)),
  marked: false,
});

function part(node: PhrasingContent, context: Context): Part {
  const { dialect, refs } = context;
  switch (node.type) {
    case "text":
      return { text: dialect.text(node.value), marked: false };
    case "inlineCode":
      return { text: dialect.code(node.value), marked: true };
    case "break":
      return { text: "\n", marked: false };
    case "strong":
    case "emphasis":
    case "delete":
      return mark(node, context);
    case "link":
      return link(node.url, node.children, context);
    case "linkReference":
      return link(refs.definitions.get(node.identifier)?.url ?? "", node.children, context);
    case "image":
      return link(node.url, [{ type: "text", value: node.alt || node.url }], context);
    case "imageReference": {
      const url = refs.definitions.get(node.identifier)?.url ?? "";
      return link(url, [{ type: "text", value: node.alt || url }], context);
    }
    case "footnoteReference":
      return { text: dialect.text(`[${node.label ?? node.identifier}]`), marked: false };
    default:
      return literal(node, context);
  }
}

const WRITERS = { strong: "strong", emphasis: "emphasis", delete: "strike" } as const;

function mark(node: Extract<PhrasingContent, { type: keyof typeof WRITERS }>, context: Context): Part {
  if (context.marks.includes(node.type)) return { text: inline(node.children, context), marked: false };
  const inner = inline(node.children, marked(context, node.type));
  if (inner.trim() === "") return { text: inner, marked: false };
  return { text: context.dialect[WRITERS[node.type]](inner), marked: true };
}

function link(target: string, children: PhrasingContent[], context: Context): Part {
  const [address = "", words] = slackLink(target, children);
  if (words !== undefined) return link(address, [{ type: "text", value: words }], context);
  const { dialect } = context;
  const plain = inline(children, { ...context, dialect: PLAIN, marks: [...context.marks, "link"] }).replaceAll(
    "\n",
    " ",
  );
  const label = inline(children, marked(context, "link"));
  if (context.marks.includes("link")) return { text: label, marked: false };
  const url = clickable(target);
  if (url !== undefined) return { text: dialect.link(url, label, plain), marked: false };
  if (target === "" || plain === target) return { text: label, marked: false };
  return { text: `${label}${dialect.text(` (${target})`)}`, marked: false };
}

/** Models that were told of Slack write its `<address|words>`, which Markdown takes for one address. */
function slackLink(target: string, [only, ...others]: PhrasingContent[]): string[] {
  const bar = target.indexOf("|");
  const isAddress = others.length === 0 && only?.type === "text" && only.value === target;
  return isAddress && bar > 0 && bar < target.length - 1
    ? [target.slice(0, bar), target.slice(bar + 1).replaceAll("|", " ")]
    : [];
}
