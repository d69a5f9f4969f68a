/** Where a thread's files live: one folder per thread, named so that no id can leave the root. */
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";

export function workspaceDir(root: string, dir: string, threadId: string): string {
  const readable = threadId
    .replace(/[^A-Za-z0-9._-]+/g, "_")
    .replace(/^\.+/, "")
    .slice(0, 80);
  const digest = createHash("sha256").update(threadId).digest("hex").slice(0, 12);
  return join(resolve(root, dir), `${readable}-${digest}`);
}

/** A name a person or a platform gave, made harmless: no path, no leading dot, no control characters, never empty. */
export function safeFileName(name: string): string {
  const base = name.replaceAll("\\", "/").split("/").at(-1) ?? "";
  const clean = base
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, "")
    .toWellFormed()
    .replace(/^[.\s]+/, "")
    .trim();
  return truncateName(clean) || "file";
}

function truncateName(name: string): string {
  if (name.length <= 120) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : "";
  return name.slice(0, 120 - extension.length).toWellFormed() + extension;
}
