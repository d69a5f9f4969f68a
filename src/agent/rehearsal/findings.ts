/** What a tool's result says about a task: computed from the result, never made up. Pure. */

import type { Task } from "./request.ts";
import { countOf } from "./words.ts";

export interface Seen {
  content: string;
  failed: boolean;
}

export function finding(task: Task, seen: Seen | undefined): string {
  if (task.kind === "none") return "nothing to look up; a real model would do this.";
  if (!seen) return "the tool for this is not available here.";
  if (seen.failed) return `it did not work: ${firstLine(seen.content)}`;
  switch (task.kind) {
    case "read":
      return describe(task.path, seen.content);
    case "dependencies":
      return dependencies(task.path, seen.content);
    case "lines":
      return `${task.path} has ${countOf(linesOf(seen.content), "line")}.`;
    case "largest":
      return largest(seen.content);
    case "list":
    case "find":
      return found(seen.content);
    case "search":
      return `"${task.text}": ${firstLine(seen.content)}`;
  }
}

function describe(path: string, content: string): string {
  const json = parse(content);
  const name = typeof json?.name === "string" ? ` of ${json.name}` : "";
  const keys = json ? `, a JSON object${name} with ${countOf(Object.keys(json).length, "key")}` : "";
  return `${path} has ${countOf(linesOf(content), "line")}${keys}.`;
}

function dependencies(path: string, content: string): string {
  const json = parse(content);
  if (!json) return `${path} is not a JSON object, so I cannot count dependencies in it.`;
  const [needed, dev] = [sizeOf(json.dependencies), sizeOf(json.devDependencies)];
  const more = dev > 0 ? ` and ${countOf(dev, "development dependency", "development dependencies")}` : "";
  return `${path} names ${countOf(needed, "dependency", "dependencies")}${more}.`;
}

/** Rows of disk_usage: size, name (folders end in a slash), number of files; largest first. */
function largest(content: string): string {
  const rows = content.split("\n").map((line) => line.split("\t"));
  const folder = rows.find(([, name]) => name?.endsWith("/"));
  if (!folder) return "there is no folder here.";
  const [size, name = ""] = folder;
  return `the largest folder is ${name.replace(/\/$/, "")} (${size}).`;
}

function found(content: string): string {
  const names = content.split("\n").flatMap((line) => line.split("\t")[0]?.trim() || []);
  const shown = names.slice(0, 8).join(", ");
  return `${shown}${names.length > 8 ? ` and ${names.length - 8} more` : ""}.`;
}

function parse(content: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function sizeOf(value: unknown): number {
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function linesOf(content: string): number {
  const lines = content.split("\n");
  const more = /^\[lines \d+ to \d+ of (\d+);/.exec(lines.at(-1) ?? "");
  return more ? Number(more[1]) : lines.length;
}

function firstLine(content: string): string {
  const line = content.trim().split("\n")[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line;
}
