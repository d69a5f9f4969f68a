/** Markdown as a tree: CommonMark with GFM, friendly to CJK text and to the labels that models write. */
import type { Definition, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly";
import { gfmStrikethroughCjkFriendly } from "micromark-extension-cjk-friendly-gfm-strikethrough";
import { gfm } from "micromark-extension-gfm";

type Extension = ReturnType<typeof cjkFriendlyExtension>;
type Entry = NonNullable<NonNullable<Extension["text"]>[string]>;
type Construct = Exclude<Entry, unknown[]>;
type Tokenize = Construct["tokenize"];

const LABEL_END = /[:.!?;,%)\]]/;
const WORD = /[\p{L}\p{N}]/u;

/**
 * CommonMark does not close `**Label:**text`, because punctuation stands inside and a letter outside. Models write
 * it all the time and mean bold, so there the stars may also close.
 */
function closingLabels(construct: Construct): Construct {
  const tokenize: Tokenize = function (effects, ok, nok) {
    const before = this.previous;
    return construct.tokenize.call(
      this,
      effects,
      (code) => {
        const token = this.events.at(-1)?.[1];
        if (token !== undefined && isLabelEnd(before, token.end.offset - token.start.offset, code)) token._close = true;
        return ok(code);
      },
      nok,
    );
  };
  return { ...construct, tokenize };
}

function isLabelEnd(before: number | null, stars: number, after: number | null): boolean {
  if (before === null || after === null || before < 0 || after < 0 || stars < 2) return false;
  return LABEL_END.test(String.fromCharCode(before)) && WORD.test(String.fromCharCode(after));
}

const STAR = 42;

function emphasis(): Extension {
  const extension = cjkFriendlyExtension();
  const star = extension.text?.[STAR];
  if (star === undefined || Array.isArray(star)) return extension;
  return { ...extension, text: { ...extension.text, [STAR]: closingLabels(star) } };
}

const SYNTAX: Extension[] = [
  // One tilde is "about" in people's text: ~5 to ~10.
  gfm({ singleTilde: false }),
  emphasis(),
  gfmStrikethroughCjkFriendly({ singleTilde: false }),
  // No chat shows HTML, so it is text; Markdown around and inside it still counts.
  { disable: { null: ["htmlFlow", "htmlText"] } },
];

export function parseMarkdown(text: string): Root {
  const source = text.toWellFormed();
  try {
    return fromMarkdown(source, { extensions: SYNTAX, mdastExtensions: [gfmFromMarkdown()] });
  } catch (error) {
    // Thousands of nested quotes or stars exhaust the parser's stack; the reader still gets the words.
    if (error instanceof RangeError) return asText(source);
    throw error;
  }
}

function asText(value: string): Root {
  return { type: "root", children: [{ type: "paragraph", children: [{ type: "text", value }] }] };
}

/** The link definitions of a document, and which of them its text uses. */
export interface References {
  definitions: Map<string, Definition>;
  used: Set<string>;
}

export function references(root: Root): References {
  const found: References = { definitions: new Map(), used: new Set() };
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop() as { type: string; identifier?: string; children?: unknown[] };
    if (node.type === "definition") {
      const definition = node as unknown as Definition;
      found.definitions.set(definition.identifier, found.definitions.get(definition.identifier) ?? definition);
    } else if (node.identifier !== undefined) found.used.add(node.identifier);
    if (node.children !== undefined) open.push(...node.children);
  }
  return found;
}
