/**
 * The folders an agent sees, as virtual paths: `/uploads/a.csv` is a file in this session's uploads/.
 * Nothing outside a mounted folder can be named, and host paths never appear in what a tool says.
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, posix, relative, sep } from "node:path";

export interface Mount {
  /** First segment of its virtual paths. */
  name: string;
  /** Absolute folder on this machine. */
  dir: string;
  writable: boolean;
  /** Entries that are neither read, listed nor searched. Their sizes still count. */
  hidden?(name: string): boolean;
}

export interface Mounts {
  all: Mount[];
  /** Readable as well, but not shown as folders of the conversation. Their names may hold a slash. */
  more?: Mount[] | undefined;
  /** Where relative paths begin. */
  home: Mount;
  /** Where relative paths are written, and looked up before `home`. */
  work: Mount;
}

export interface Place {
  mount: Mount;
  /** Symlinks resolved. */
  real: string;
  /** As shown to the agent. */
  path: string;
}

/** What the model is told when a path or file is not for it. */
export class PathError extends Error {
  override name = "PathError";
}

/** Segments of a virtual path, its mount first. Empty: the root, which holds the mounts. */
export function segmentsOf(mounts: Mounts, path: string, home = mounts.home): string[] {
  if (path.includes("\0")) throw new PathError("The path holds a NUL character.");
  const segments = path.split(/[/\\]/).filter((part) => part !== "" && part !== ".");
  if (segments.includes("..")) throw new PathError(`${path}: ".." is not allowed; name the path from the top.`);
  if (isAbsolute(path)) return segments;
  const named = mounts.all.some((mount) => mount.name === segments[0]);
  return named ? segments : [home.name, ...segments];
}

/** A place to read. What the agent wrote under a relative path comes before a file of that name in `home`. */
export async function locate(mounts: Mounts, path: string): Promise<Place> {
  if (mounts.home !== mounts.work && segmentsOf(mounts, path).length > 1) {
    const own = await locateIn(mounts, path, mounts.work);
    if (await lstat(own.real).catch(() => undefined)) return own;
  }
  return locateIn(mounts, path, mounts.home);
}

/** A place to write: the file may be missing, its mount must be writable. */
export async function locateForWriting(mounts: Mounts, path: string): Promise<Place> {
  const place = await locateIn(mounts, path, mounts.work);
  if (!place.mount.writable) throw new PathError(`${place.path}: /${place.mount.name} is read-only.`);
  if (place.path === `/${place.mount.name}`) throw new PathError(`${place.path}: is a folder.`);
  return place;
}

async function locateIn(mounts: Mounts, path: string, home: Mount): Promise<Place> {
  const segments = segmentsOf(mounts, path, home);
  const mount = [...mounts.all, ...(mounts.more ?? [])].find((entry) => begins(segments, entry.name));
  if (!mount) throw new PathError(`${path}: no such folder. Paths begin with ${mountList(mounts)}.`);
  const rest = segments.slice(mount.name.split("/").length);
  const hidden = rest.find((part) => mount.hidden?.(part));
  if (hidden !== undefined) throw new PathError(`${path}: ${hidden} is not readable here.`);
  const shown = `/${posix.join(mount.name, ...rest)}`;
  const wanted = join(mount.dir, ...rest);
  const real = await realDeep(wanted);
  const root = await realDeep(mount.dir);
  if (!isInside(root, real)) throw new PathError(`${shown}: leads out of /${mount.name}.`);
  // A link inside the folder must not reach what is hidden either.
  const behind = relative(root, real)
    .split(sep)
    .find((part) => mount.hidden?.(part));
  if (behind !== undefined) throw new PathError(`${shown}: ${behind} is not readable here.`);
  return { mount, real, path: shown };
}

function begins(segments: string[], name: string): boolean {
  return name.split("/").every((part, index) => segments[index] === part);
}

export function mountList(mounts: Mounts): string {
  return mounts.all.map((mount) => `/${mount.name}/`).join(", ");
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** `realpath` of the part that exists, with the missing rest behind it. A dangling link counts as leading out. */
async function realDeep(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    const link = await lstat(path).catch(() => undefined);
    if (link) throw new PathError("The path is a link to nothing.");
    const parent = dirname(path);
    return parent === path ? path : join(await realDeep(parent), relative(parent, path));
  }
}

/** Opens a plain file for reading. Pipes, devices and second names of files elsewhere are refused. */
export async function openFile(place: Place, maxBytes: number): Promise<{ file: FileHandle; stats: Stats }> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(place.real, flags).catch((error: unknown) => {
    throw new PathError(`${place.path}: ${reason(error)}.`);
  });
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new PathError(`${place.path}: is a folder; use ls.`);
    if (!stats.isFile()) throw new PathError(`${place.path}: is not a plain file.`);
    if (place.mount.writable && stats.nlink > 1) throw new PathError(`${place.path}: is a hard link.`);
    if (stats.size > maxBytes) throw new PathError(`${place.path}: ${stats.size} bytes, more than ${maxBytes}.`);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The session's own folders, made on first use. */
export async function ensureDirs(mounts: Mounts): Promise<void> {
  const own = mounts.all.filter((mount) => mount.writable);
  await Promise.all(own.map((mount) => mkdir(mount.dir, { recursive: true, mode: 0o700 })));
}

export function reason(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOENT":
      return "no such file or folder";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "ENOTDIR":
      return "a part of the path is not a folder";
    case "EISDIR":
      return "is a folder";
    case "ELOOP":
      return "is a link";
    case "ENAMETOOLONG":
      return "the name is too long";
    case "ENOSPC":
      return "the disk is full";
    default:
      return "cannot be used";
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
