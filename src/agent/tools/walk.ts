/** Walks through folders without following links; big and endless trees end at a limit. */
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "./mounts.ts";

export interface Found {
  real: string;
  /** Virtual path. */
  path: string;
  /** Below the place the walk began at, with `/`. */
  within: string;
  folder: boolean;
}

export interface WalkLimits {
  /** Counted down; below zero the walk was cut short. */
  entries: number;
  signal?: AbortSignal | undefined;
}

/** Names are bytes on disk; the order is by code point so that two runs say the same. */
const byName = (one: Dirent, two: Dirent): number => (one.name < two.name ? -1 : one.name > two.name ? 1 : 0);

async function entriesOf(dir: string): Promise<Dirent[]> {
  // An unreadable folder is skipped: one of them must not spoil the search of all others.
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() || entry.isDirectory()).sort(byName);
}

/** Files and folders below a place, parents first, hidden ones left out. */
export async function* walk(place: Place, limits: WalkLimits): AsyncGenerator<Found> {
  const folders: Found[] = [{ real: place.real, path: place.path, within: "", folder: true }];
  for (let at = folders.pop(); at; at = folders.pop()) {
    const inner: Found[] = [];
    for (const entry of await entriesOf(at.real)) {
      limits.signal?.throwIfAborted();
      if (place.mount.hidden?.(entry.name)) continue;
      if (--limits.entries < 0) return;
      const found = below(at, entry);
      yield found;
      if (found.folder) inner.push(found);
    }
    folders.push(...inner.reverse());
  }
}

export function below(at: Pick<Found, "real" | "path" | "within">, entry: Dirent): Found {
  return {
    real: join(at.real, entry.name),
    path: `${at.path}/${entry.name}`,
    within: at.within === "" ? entry.name : `${at.within}/${entry.name}`,
    folder: entry.isDirectory(),
  };
}

export interface Weight {
  bytes: number;
  files: number;
  /** False: the limit was reached, so it is at least this. */
  complete: boolean;
}

/** All bytes below a path; links count as themselves, hidden folders count too. */
export async function weigh(real: string, budget: { entries: number }, signal?: AbortSignal): Promise<Weight> {
  const sum: Weight = { bytes: 0, files: 0, complete: true };
  const folders = [real];
  for (let dir = folders.pop(); dir !== undefined; dir = folders.pop()) {
    signal?.throwIfAborted();
    const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
    budget.entries -= entries.length;
    if (budget.entries < 0) return { ...sum, complete: false };
    const parent = dir;
    folders.push(...entries.filter((entry) => entry.isDirectory()).map((entry) => join(parent, entry.name)));
    const files = entries.filter((entry) => !entry.isDirectory());
    const sizes = await Promise.all(files.map((entry) => sizeOf(join(parent, entry.name))));
    sum.bytes += sizes.reduce((total, size) => total + size, 0);
    sum.files += files.length;
  }
  return sum;
}

export async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.size ?? 0;
}
