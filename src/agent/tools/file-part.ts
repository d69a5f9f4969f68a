/** The file tools of a run, with what the prompt and the board say about them. */
import { escapeText } from "../escape.ts";
import type { PartContext, Parts } from "../parts.ts";
import type { Prompts } from "../prompt/files.ts";
import { fileTools } from "./files.ts";
import type { Mount, Mounts } from "./mounts.ts";
import { presentFilesTool } from "./present-files.ts";
import { searchTools } from "./search-files.ts";

export interface FilePart {
  mounts: Mounts;
  maxBytes: number;
  prompts: Prompts;
}

const PURPOSE: Record<string, string> = {
  project: "the folder the person works in; read-only",
  uploads: "files the person sent",
  workspace: "your drafts and notes",
  outputs: "finished files for the person",
};

export function filePart({ mounts, maxBytes, prompts }: FilePart, context: PartContext): Partial<Parts> {
  const limits = { maxBytes };
  const present = presentFilesTool(mounts, { maxBytes, emit: context.emit });
  const folders = mounts.all.map((mount) => `- /${mount.name}/: ${escapeText(purposeOf(mount))}`).join("\n");
  return {
    tools: [...fileTools(mounts, limits), ...searchTools(mounts, limits), present],
    prompt: { working_directory: prompts.fill("working-directory", { folders, home: `/${mounts.home.name}/` }) },
    hidden: ["present_files"],
    lines: {
      ls: (args) => `Looking into ${word(args.path, "the folder")}`,
      read_file: (args) => `Reading ${word(args.path, "a file")}`,
      write_file: (args) => `Writing ${word(args.path, "a file")}`,
      edit_file: (args) => `Editing ${word(args.path, "a file")}`,
      glob: (args) => `Looking for files ${word(args.pattern)}`,
      grep: (args) => `Searching for ${word(args.text)}`,
      disk_usage: (args) => `Measuring ${word(args.path, "the folder")}`,
    },
  };
}

function purposeOf(mount: Mount): string {
  return PURPOSE[mount.name] ?? (mount.writable ? "files" : "files; read-only");
}

/** An argument of the model, short enough for one line of a board. */
export function word(value: unknown, otherwise = ""): string {
  const text = typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
  if (text === "" || text === ".") return otherwise;
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text;
}
