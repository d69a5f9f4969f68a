/** Files people sent: downloaded through the channel into the thread's uploads/ before the run begins. */

import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Address, Attachment, Channel } from "../channels/channel.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import type { InputFile, Run } from "./types.ts";
import { safeFileName, workspaceDir } from "./workspace.ts";

export interface Uploads {
  /** A file that cannot be taken is left out and named in the log; the run goes on without it. */
  take(run: Run): Promise<InputFile[]>;
}

export interface UploadsDeps {
  root: string;
  dir: string;
  channel(at: Address): Channel;
  /** Bytes per file for this place. */
  maxBytes(at: Address): number;
  log: Log;
}

export function createUploads(deps: UploadsDeps): Uploads {
  async function takeOne(run: Run, attachment: Attachment, index: number): Promise<InputFile | undefined> {
    const { at } = run.inbound;
    const folder = join(workspaceDir(deps.root, deps.dir, run.threadId), "uploads");
    const name = `${run.id.slice(1, 6)}-${index + 1}-${safeFileName(attachment.name)}`;
    const path = join(folder, name);
    try {
      const bytes = await deps.channel(at).fetch?.(attachment, at, deps.maxBytes(at));
      if (!bytes) return undefined;
      await mkdir(folder, { recursive: true });
      await writeNew(path, bytes);
      return { name, type: attachment.type, path };
    } catch (error) {
      deps.log.warn({ run: run.id, file: name, error: messageOf(error) }, "attachment not taken");
      return undefined;
    }
  }

  return {
    async take(run) {
      const taken = await Promise.all(run.inbound.attachments.map((item, index) => takeOne(run, item, index)));
      return taken.filter((file) => file !== undefined);
    },
  };
}

/** Replaces what an interrupted download left, never through a link. */
async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}
