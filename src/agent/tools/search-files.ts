/** Tools that look through many files: glob, grep, disk_usage. */
import { readdir } from "node:fs/promises";
import { matchesGlob, posix } from "node:path";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { readText } from "./files.ts";
import { codeOf, ensureDirs, locate, type Mounts, PathError, type Place, reason, segmentsOf } from "./mounts.ts";
import { capped, readableSize } from "./text.ts";
import { below, type Found, sizeOf, type WalkLimits, type Weight, walk, weigh } from "./walk.ts";

const WALK_ENTRIES = 20_000;
const WEIGH_ENTRIES = 400_000;
const MATCHES = 200;
const LINE = 300;

export function searchTools(mounts: Mounts, limits: { maxBytes: number }): StructuredToolInterface[] {
  return [globTool(mounts), grepTool(mounts, limits), diskUsageTool(mounts)];
}

const folder = z.string().optional().describe("Folder to look in; default: the working folder");

function globTool(mounts: Mounts): StructuredToolInterface {
  return tool(async ({ pattern, path }, config) => glob(mounts, pattern, path ?? ".", config.signal), {
    name: "glob",
    description: 'Find files by name pattern, e.g. "**/*.csv". A pattern without a slash matches at any depth.',
    schema: z.object({ pattern: z.string().min(1).max(500), path: folder }),
  });
}

async function glob(mounts: Mounts, pattern: string, path: string, signal?: AbortSignal): Promise<string> {
  await ensureDirs(mounts);
  const found: string[] = [];
  const limits = { entries: WALK_ENTRIES, signal };
  for (const place of await placesOf(mounts, pattern.startsWith("/") ? pattern : path)) {
    for await (const entry of walk(place, limits)) {
      if (!entry.folder && matches(entry, pattern)) found.push(entry.path);
      if (found.length > MATCHES)
        return `${found.slice(0, MATCHES).join("\n")}\n[more files match; narrow the pattern]`;
    }
  }
  return withNote(found, limits) || `No file matches ${pattern}.`;
}

function withNote(lines: string[], limits: WalkLimits): string {
  const note = limits.entries < 0 ? ["[too many files: only a part was looked at; name a smaller folder]"] : [];
  return capped([...lines, ...note].join("\n"));
}

/** `/` and patterns over it mean every mount; other paths one place. */
async function placesOf(mounts: Mounts, path: string): Promise<Place[]> {
  const [first] = segmentsOf(mounts, path);
  if (first === undefined || /[*?{[]/.test(first))
    return Promise.all(mounts.all.map((mount) => locate(mounts, `/${mount.name}`)));
  const whole = path.startsWith("/") && /[*?{[]/.test(path);
  return [await locate(mounts, whole ? `/${first}` : path)];
}

function matches(entry: Pick<Found, "path" | "within">, pattern: string): boolean {
  if (pattern.startsWith("/")) return matchesGlob(entry.path, pattern);
  return matchesGlob(pattern.includes("/") ? entry.within : posix.basename(entry.path), pattern);
}

function grepTool(mounts: Mounts, limits: { maxBytes: number }): StructuredToolInterface {
  return tool(async (input, config) => grep(mounts, limits.maxBytes, input, config.signal), {
    name: "grep",
    // Literal on purpose: a pattern language would let one call freeze the process.
    description: "Find lines that contain a text (literal, not a pattern) in a file or in all files of a folder.",
    schema: z.object({
      text: z.string().min(1).max(1000),
      path: folder,
      glob: z.string().max(500).optional().describe('Only files that match, e.g. "*.ts"'),
      ignore_case: z.boolean().optional(),
    }),
  });
}

interface Search {
  text: string;
  path?: string | undefined;
  glob?: string | undefined;
  ignore_case?: boolean | undefined;
}

async function grep(mounts: Mounts, maxBytes: number, search: Search, signal?: AbortSignal): Promise<string> {
  await ensureDirs(mounts);
  const lines: string[] = [];
  const limits = { entries: WALK_ENTRIES, signal };
  for (const place of await placesOf(mounts, search.path ?? ".")) {
    for await (const file of filesAt(place, limits)) {
      if (search.glob && !matches(file, search.glob)) continue;
      lines.push(...(await hits(file, search, maxBytes)));
      if (lines.length > MATCHES) return `${lines.slice(0, MATCHES).join("\n")}\n[more lines match; narrow the search]`;
    }
  }
  return withNote(lines, limits) || `No line contains ${JSON.stringify(search.text)}.`;
}

type FileAt = Pick<Found, "path" | "within"> & { place: Place };

async function* filesAt(place: Place, limits: WalkLimits): AsyncGenerator<FileAt> {
  const isFolder = await readdir(place.real).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "ENOTDIR") return false;
      throw new PathError(`${place.path}: ${reason(error)}.`);
    },
  );
  if (!isFolder) yield { place, path: place.path, within: posix.basename(place.path) };
  else
    for await (const found of walk(place, limits))
      if (!found.folder) yield { ...found, place: { ...place, real: found.real, path: found.path } };
}

async function hits(file: FileAt, search: Search, maxBytes: number): Promise<string[]> {
  const fold = (text: string): string => (search.ignore_case ? text.toLowerCase() : text);
  const wanted = fold(search.text);
  // Binary, unreadable or oversized files hold no lines for us.
  const text = await readText(file.place, maxBytes).catch(() => "");
  if (!fold(text).includes(wanted)) return [];
  return text
    .split(/\r?\n/)
    .flatMap((line, index) => (fold(line).includes(wanted) ? [`${file.path}:${index + 1}: ${capped(line, LINE)}`] : []))
    .slice(0, MATCHES + 1);
}

function diskUsageTool(mounts: Mounts): StructuredToolInterface {
  return tool(async ({ path }, config) => diskUsage(mounts, path ?? ".", config.signal), {
    name: "disk_usage",
    description: "Sizes of everything in a folder, subfolders with all they hold, largest first.",
    schema: z.object({ path: folder }),
  });
}

interface Weighed extends Weight {
  name: string;
}

async function diskUsage(mounts: Mounts, path: string, signal?: AbortSignal): Promise<string> {
  await ensureDirs(mounts);
  const budget = { entries: WEIGH_ENTRIES };
  const isRoot = segmentsOf(mounts, path).length === 0;
  const place = isRoot ? undefined : await locate(mounts, path);
  const items = place ? await insidesOf(place) : mounts.all.map(({ name, dir }) => ({ name: `${name}/`, real: dir }));
  const weighed: Weighed[] = [];
  for (const { name, real } of items) {
    const weight = name.endsWith("/") ? await weigh(real, budget, signal) : await weighFile(real);
    weighed.push({ name, ...weight });
  }
  return usageTable(place?.path ?? "/", weighed);
}

async function insidesOf(place: Place): Promise<{ name: string; real: string }[]> {
  const entries = await readdir(place.real, { withFileTypes: true }).catch((error: unknown) => {
    throw new PathError(`${place.path}: ${reason(error)}.`);
  });
  return entries.map((entry) => ({
    name: entry.isDirectory() ? `${entry.name}/` : entry.name,
    real: below({ real: place.real, path: "", within: "" }, entry).real,
  }));
}

async function weighFile(real: string): Promise<Weight> {
  return { bytes: await sizeOf(real), files: 1, complete: true };
}

function usageTable(path: string, weighed: Weighed[]): string {
  const sorted = weighed.sort((one, two) => two.bytes - one.bytes || (one.name < two.name ? -1 : 1));
  const total = sorted.reduce((sum, item) => sum + item.bytes, 0);
  const complete = sorted.every((item) => item.complete);
  const line = (item: Weighed): string =>
    `${item.complete ? "" : "at least "}${readableSize(item.bytes)}\t${item.name}${item.name.endsWith("/") ? `\t${item.files} files` : ""}`;
  const rest = sorted.length > MATCHES ? [`[${sorted.length - MATCHES} smaller entries]`] : [];
  const head = `${path}: ${complete ? "" : "at least "}${readableSize(total)} in ${sorted.length} entries, largest first`;
  return [head, ...sorted.slice(0, MATCHES).map(line), ...rest].join("\n");
}
