/** The rules of docs/architecture.md as functions over source texts, so that they can be shown to catch what they forbid. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";

/** Path from the root, with forward slashes, to source text. */
export type Sources = Record<string, string>;

interface Facts {
  file: string;
  /** Sources this file names, type-only imports included. */
  inside: string[];
  /** Packages this file names. */
  packages: string[];
  /** What is left of `.post(` and `.edit(`. */
  senders: string[];
  readsEnvironment: boolean;
  hasDefaultExport: boolean;
  lines: number;
}

const FLOORS = ["config", "channels", "src"];
/** Chat platforms, alike in their file names. */
const ALIKE = ["slack", "discord", "telegram"];
const PLATFORMS = [...ALIKE, "terminal", "web"];
const SAME_NAMES = ["adapter.ts", "errors.ts", "format.ts", "inbound.ts"];
const MOST_LINES = 300;

/** Who may import a package: its name, then the paths that may. */
const OWNERS: [RegExp, RegExp, string][] = [
  [/^@slack\//, /^channels\/slack\//, "channels/slack/"],
  [/^(discord\.js|@discordjs\/|discord-api-types)/, /^channels\/discord\//, "channels/discord/"],
  [/^(telegraf|typegram)/, /^channels\/telegram\//, "channels/telegram/"],
  [
    /^(@langchain\/|langchain$|langchain\/|deepagents)/,
    /^src\/(agent\/|state\/checkpoints)/,
    "src/agent/, src/state/checkpoints*",
  ],
  [/^ioredis/, /^src\/state\//, "src/state/"],
];

export function readSources(root: string): Sources {
  const sources: Sources = {};
  for (const floor of FLOORS) {
    for (const entry of readdirSync(path.join(root, floor), { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile() && file.endsWith(".ts"))
        sources[path.relative(root, file).replaceAll("\\", "/")] = readFileSync(file, "utf8");
    }
  }
  return sources;
}

/** One line for each broken rule; empty when all hold. */
export function violations(sources: Sources): string[] {
  const facts = Object.entries(sources).map(([file, text]) => factsOf(file, text));
  return [...facts.flatMap(brokenRules), ...cycles(facts), ...missingNames(Object.keys(sources))];
}

function brokenRules(it: Facts): string[] {
  return [
    ...it.inside.filter((to) => !mayImport(it.file, to)).map((to) => `${it.file} must not import ${to}`),
    ...it.packages.flatMap((name) => wrongOwner(it.file, name)),
    ...(it.readsEnvironment && it.file !== "config/load.ts"
      ? [`${it.file} reads process.env; only config/load.ts may`]
      : []),
    ...it.senders
      .filter((name) => !maySend(it.file, name))
      .map((name) => `${it.file} sends by ${name}; only src/outbox.ts may`),
    ...(it.hasDefaultExport ? [`${it.file} has a default export`] : []),
    ...(it.lines > MOST_LINES ? [`${it.file} has ${it.lines} lines, more than ${MOST_LINES}`] : []),
  ];
}

function mayImport(from: string, to: string): boolean {
  const [floor = "", room = ""] = from.split("/");
  const [toFloor = "", toRoom = ""] = to.split("/");
  if (FLOORS.indexOf(toFloor) > FLOORS.indexOf(floor) || !FLOORS.includes(toFloor)) return false;
  if (floor === "src" && toFloor === "src") return !isPair(room, toRoom, "agent", "state");
  const betweenPlatforms = floor === "channels" && PLATFORMS.includes(room) && PLATFORMS.includes(toRoom);
  return !betweenPlatforms || room === toRoom;
}

function isPair(a: string, b: string, one: string, other: string): boolean {
  return (a === one && b === other) || (a === other && b === one);
}

function wrongOwner(file: string, name: string): string[] {
  return OWNERS.filter(([packages, owners]) => packages.test(name) && !owners.test(file)).map(
    ([, , where]) => `${file} must not import ${name}; only ${where} may`,
  );
}

/** The store records edits of people; `app.post("/runs", …)` is a route of the HTTP server. */
function maySend(file: string, sender: string): boolean {
  if (!file.startsWith("src/") || file === "src/outbox.ts") return true;
  return /(outbox|store)$/i.test(sender) || (file.startsWith("src/gateway/") && /^(app|routes)$/.test(sender));
}

function missingNames(files: string[]): string[] {
  return ALIKE.flatMap((platform) => {
    const missing = SAME_NAMES.filter((name) => !files.includes(`channels/${platform}/${name}`));
    return missing.map((name) => `channels/${platform}/${name} is missing; each platform has ${SAME_NAMES.join(", ")}`);
  });
}

/** Each circle once, named from its first file in the alphabet. */
function cycles(facts: Facts[]): string[] {
  const next = new Map(facts.map((it) => [it.file, it.inside]));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, trail: string[]) => {
    const start = trail.indexOf(file);
    if (start >= 0) found.push(`import cycle: ${[...trail.slice(start), file].join(" -> ")}`);
    if (start >= 0 || done.has(file)) return;
    for (const to of next.get(file) ?? []) walk(to, [...trail, file]);
    done.add(file);
  };
  for (const file of [...next.keys()].sort()) walk(file, []);
  return found;
}

function factsOf(file: string, text: string): Facts {
  const { module, program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const imports = [...module.staticImports.map((it) => it.moduleRequest.value), ...reexports(module)];
  const facts: Facts = {
    file,
    inside: [],
    packages: [],
    senders: [],
    readsEnvironment: imports.some((it) => /^(node:)?process$/.test(it)),
    hasDefaultExport: module.staticExports.some((it) =>
      it.entries.some((entry) => entry.exportName.kind === "Default"),
    ),
    lines: text.trimEnd().split("\n").length,
  };
  visit(program, text, facts, imports);
  for (const name of new Set(imports)) {
    if (name.startsWith(".")) facts.inside.push(path.posix.join(path.posix.dirname(file), name));
    else facts.packages.push(name);
  }
  return facts;
}

function reexports({ staticExports }: ReturnType<typeof parseSync>["module"]): string[] {
  return staticExports.flatMap((it) => it.entries.flatMap((entry) => entry.moduleRequest?.value ?? []));
}

function visit(program: ESTree.Program, text: string, facts: Facts, imports: string[]): void {
  const named = (source: ESTree.Node) => {
    if (source.type === "Literal" && typeof source.value === "string") imports.push(source.value);
  };
  new Visitor({
    ImportExpression: ({ source }) => named(source),
    TSImportType: ({ source }) => named(source),
    MemberExpression({ object, property }) {
      const name = property.type === "Identifier" ? property.name : property.type === "Literal" ? property.value : "";
      if (name === "env" && text.slice(object.start, object.end) === "process") facts.readsEnvironment = true;
    },
    VariableDeclarator({ id, init }) {
      const fromProcess = id.type === "ObjectPattern" && init?.type === "Identifier" && init.name === "process";
      if (fromProcess && /\benv\b/.test(text.slice(id.start, id.end))) facts.readsEnvironment = true;
    },
    CallExpression({ callee }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (!/^(post|edit)$/.test(callee.property.name)) return;
      facts.senders.push(text.slice(callee.object.start, callee.object.end));
    },
  }).visit(program);
}
