/** The file tools: list, read, write, edit. Every path goes through mounts.ts. */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import {
  ensureDirs,
  locate,
  locateForWriting,
  type Mounts,
  mountList,
  openFile,
  PathError,
  type Place,
  reason,
  segmentsOf,
} from "./mounts.ts";
import { capped, isText, OUTPUT_LIMIT, readableSize } from "./text.ts";
import { below, sizeOf } from "./walk.ts";

export interface FileLimits {
  maxBytes: number;
}

const LIST_LIMIT = 500;
const DEFAULT_LINES = 2000;

export function fileTools(mounts: Mounts, limits: FileLimits): StructuredToolInterface[] {
  return [lsTool(mounts), readTool(mounts, limits), writeTool(mounts, limits), editTool(mounts, limits)];
}

const path = z.string().describe("Path such as /workspace/notes.md");

function lsTool(mounts: Mounts): StructuredToolInterface {
  return tool(async ({ path: at }) => list(mounts, at ?? "."), {
    name: "ls",
    description: `List a folder, with sizes of files. The folders at the top are ${mountList(mounts)}.`,
    schema: z.object({ path: z.string().optional().describe("Folder; default: the working folder") }),
  });
}

async function list(mounts: Mounts, at: string): Promise<string> {
  await ensureDirs(mounts);
  if (segmentsOf(mounts, at).length === 0) return mounts.all.map((mount) => `/${mount.name}/`).join("\n");
  const place = await locate(mounts, at);
  const entries = await readdir(place.real, { withFileTypes: true }).catch((error: unknown) => {
    throw new PathError(`${place.path}: ${reason(error)}.`);
  });
  const shown = entries
    .filter((entry) => !place.mount.hidden?.(entry.name))
    .sort((one, two) => (one.name < two.name ? -1 : 1));
  const lines = await Promise.all(
    shown.slice(0, LIST_LIMIT).map(async (entry) => {
      const found = below({ real: place.real, path: place.path, within: "" }, entry);
      return found.folder ? `${found.path}/` : `${found.path}\t${readableSize(await sizeOf(found.real))}`;
    }),
  );
  if (shown.length > LIST_LIMIT) lines.push(`[${shown.length - LIST_LIMIT} more entries]`);
  return lines.join("\n") || `${place.path} is empty.`;
}

export function readTool(mounts: Mounts, limits: FileLimits): StructuredToolInterface {
  return tool(async (input) => read(mounts, limits, input), {
    name: "read_file",
    description: "Read a text file. Long files: page with offset (lines to skip) and limit (lines to return).",
    schema: z.object({
      path,
      offset: z.int().min(0).optional().describe("Lines to skip"),
      limit: z.int().min(1).optional().describe(`Lines to return; default ${DEFAULT_LINES}`),
    }),
  });
}

interface Reading {
  path: string;
  offset?: number | undefined;
  limit?: number | undefined;
}

async function read(mounts: Mounts, limits: FileLimits, input: Reading): Promise<string> {
  const place = await locate(mounts, input.path);
  const lines = (await readText(place, limits.maxBytes)).replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const from = input.offset ?? 0;
  if (lines.length === 0) return `${place.path} is empty.`;
  if (from >= lines.length) throw new PathError(`${place.path}: has ${lines.length} lines, offset ${from} is behind.`);
  return page(lines, from, input.limit ?? DEFAULT_LINES);
}

/** Whole lines as far as they fit; says how to read on. */
function page(lines: string[], from: number, limit: number): string {
  const taken: string[] = [];
  let room = OUTPUT_LIMIT;
  for (const line of lines.slice(from, from + limit)) {
    if (line.length + 1 > room && taken.length > 0) break;
    taken.push(capped(line));
    room -= line.length + 1;
  }
  const next = from + taken.length;
  if (next >= lines.length) return taken.join("\n");
  return `${taken.join("\n")}\n[lines ${from + 1} to ${next} of ${lines.length}; go on with offset ${next}]`;
}

export async function readText(place: Place, maxBytes: number): Promise<string> {
  const { file } = await openFile(place, maxBytes);
  try {
    const bytes = await file.readFile();
    if (!isText(bytes)) throw new PathError(`${place.path}: is not a text file (${readableSize(bytes.length)}).`);
    return bytes.toString("utf8");
  } finally {
    await file.close();
  }
}

function writeTool(mounts: Mounts, limits: FileLimits): StructuredToolInterface {
  return tool(
    async ({ path: at, content }) => {
      const place = await locateForWriting(mounts, at);
      await replaceFile(place, content, limits.maxBytes);
      return `Written: ${place.path} (${readableSize(Buffer.byteLength(content))}).`;
    },
    {
      name: "write_file",
      description:
        "Write a text file, replacing what was there. Results for the person belong in /outputs/, drafts in /workspace/.",
      schema: z.object({ path, content: z.string() }),
    },
  );
}

/** By a new file and a rename: never through a link, and never half written. */
async function replaceFile(place: Place, content: string, maxBytes: number): Promise<void> {
  const size = Buffer.byteLength(content);
  if (size > maxBytes) throw new PathError(`${place.path}: ${size} bytes, more than ${maxBytes}.`);
  const draft = join(dirname(place.real), `.${randomUUID()}.part`);
  try {
    if ((await stat(place.real).catch(() => undefined))?.isDirectory())
      throw new PathError(`${place.path}: is a folder.`);
    await mkdir(dirname(place.real), { recursive: true, mode: 0o700 });
    const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    await file.writeFile(content).finally(() => file.close());
    await rename(draft, place.real);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // The first error is the one to tell.
    throw error instanceof PathError ? error : new PathError(`${place.path}: ${reason(error)}.`);
  }
}

function editTool(mounts: Mounts, limits: FileLimits): StructuredToolInterface {
  return tool(async (input) => edit(mounts, limits, input), {
    name: "edit_file",
    description: "Replace text in a file. old_string must occur exactly once unless replace_all is true.",
    schema: z.object({
      path,
      old_string: z.string().min(1),
      new_string: z.string(),
      replace_all: z.boolean().optional(),
    }),
  });
}

interface Editing {
  path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}

async function edit(mounts: Mounts, limits: FileLimits, input: Editing): Promise<string> {
  const place = await locateForWriting(mounts, input.path);
  const before = await readText(place, limits.maxBytes);
  // read_file shows plain line ends, so that is what old_string holds; the file keeps its own kind.
  const ending = before.includes("\r\n") ? "\r\n" : "\n";
  const asInFile = (text: string): string => text.replaceAll(/\r?\n/g, ending);
  const pieces = before.split(asInFile(input.old_string));
  const times = pieces.length - 1;
  if (times === 0) throw new PathError(`${place.path}: old_string does not occur.`);
  if (times > 1 && !input.replace_all)
    throw new PathError(`${place.path}: old_string occurs ${times} times; give more of it, or set replace_all.`);
  await replaceFile(place, pieces.join(asInFile(input.new_string)), limits.maxBytes);
  return `Edited: ${place.path} (${times} ${times === 1 ? "place" : "places"}).`;
}
