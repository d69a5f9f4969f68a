/** `present_files`: the one way a file leaves for the chat, and only from outputs/. */
import { posix } from "node:path";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import type { AgentEvent } from "../../types.ts";
import { safeFileName } from "../../workspace.ts";
import { locate, type Mounts, openFile, PathError } from "./mounts.ts";

export interface PresentOptions {
  maxBytes: number;
  emit(event: AgentEvent): void;
}

type FileEvent = Extract<AgentEvent, { type: "file" }>;

const TYPES: Record<string, string> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".zip": "application/zip",
};

export function presentFilesTool(mounts: Mounts, options: PresentOptions): StructuredToolInterface {
  return tool(
    async ({ paths, comment }) => {
      // All are checked before the first is sent: half a delivery is hard to repair.
      const files = await Promise.all(paths.map((path) => fileEvent(mounts, path, options.maxBytes)));
      for (const [index, file] of files.entries()) options.emit(comment && index === 0 ? { ...file, comment } : file);
      return `Handed over: ${files.map((file) => file.name).join(", ")}.`;
    },
    {
      name: "present_files",
      description: "Send finished files from /outputs/ to the person in the chat.",
      schema: z.object({
        paths: z.array(z.string()).min(1).max(10).describe("Paths such as /outputs/report.md"),
        comment: z.string().max(500).optional(),
      }),
    },
  );
}

async function fileEvent(mounts: Mounts, path: string, maxBytes: number): Promise<FileEvent> {
  const place = await locate(mounts, path);
  if (place.mount.name !== "outputs") throw new PathError(`${place.path}: only files in /outputs/ can be sent.`);
  const { file } = await openFile(place, maxBytes);
  await file.close();
  const extension = posix.extname(place.path).toLowerCase();
  const mime = TYPES[extension] ?? "application/octet-stream";
  return { type: "file", path: place.real, name: safeFileName(posix.basename(place.path)), mime };
}
