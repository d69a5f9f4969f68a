/** Reads a file with faults as far as possible, so that the checks behind the schema can speak in the same round. */

import { type Path, removeAt } from "./parse.ts";
import { type Config, config as schema } from "./schema.ts";

/** The config without what the schema refuses; undefined when nothing usable is left. */
export function salvage(data: Record<string, unknown>): Config | undefined {
  const copy = structuredClone(data);
  for (let round = 0; round < 10; round++) {
    const parsed = schema.safeParse(copy);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      if (issue.code === "unrecognized_keys") for (const key of issue.keys) removeAt(copy, [...issue.path, key]);
      else removeOrParent(copy, issue.path);
    }
  }
  return undefined;
}

// A key that is missing cannot be removed, so its owner goes.
function removeOrParent(data: unknown, path: Path): void {
  for (let length = path.length; length > 0; length--) {
    if (removeAt(data, path.slice(0, length))) return;
  }
}
