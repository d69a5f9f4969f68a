/** Files people sent: downloaded through the channel into the thread's uploads/ before the run begins. */

import { constants } from "node:fs";
import { lstat, mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Attachment, Channel } from "../channels/channel.ts";
import { ChannelError } from "../channels/errors.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import type { Store } from "./state/store.ts";
import type { InputFile, Run } from "./types.ts";
import { words } from "./words.ts";
import { safeFileName, workspaceDir } from "./workspace.ts";

export interface Uploads {
  /** One for each that was sent. What could not be taken says why, and the person is told once. */
  take(run: Run): Promise<InputFile[]>;
}

export interface UploadsDeps {
  root: string;
  dir: string;
  channel(at: Address): Channel;
  /** Bytes per file for this place. */
  maxBytes(at: Address): number;
  outbox: Pick<Outbox, "post">;
  store: Pick<Store, "once">;
  log: Log;
}

const RETRY_MS = [500, 2_000];
const TOLD_MS = 2 * 24 * 60 * 60_000;

export function createUploads(deps: UploadsDeps): Uploads {
  async function takeOne(run: Run, attachment: Attachment, index: number): Promise<InputFile> {
    const folder = join(workspaceDir(deps.root, deps.dir, run.threadId), "uploads");
    const name = safeFileName(attachment.name);
    const stored = `${run.id.slice(1, 6)}-${index + 1}-${name}`;
    const file = { name, type: attachment.type, path: join(folder, stored) };
    try {
      // A run that goes on has its files already; the platform may not have them any more.
      if (await isFile(file.path)) return file;
      const bytes = await download(attachment, run.inbound.at);
      await mkdir(folder, { recursive: true });
      await writeNew(file.path, bytes);
      return file;
    } catch (error) {
      deps.log.warn({ run: run.id, file: stored, error: messageOf(error) }, "attachment not taken");
      return { ...file, problem: problemOf(error, deps.maxBytes(run.inbound.at)) };
    }
  }

  async function download(attachment: Attachment, at: Address): Promise<Uint8Array> {
    const max = deps.maxBytes(at);
    if (attachment.size > max) throw new ChannelError({ code: "too_long", message: `larger than ${max} bytes` });
    for (let tries = 0; ; tries++) {
      try {
        const bytes = await deps.channel(at).fetch?.(attachment, at, max);
        if (bytes) return bytes;
        throw new ChannelError({ code: "refused", message: "this channel receives no files" });
      } catch (error) {
        const wait = RETRY_MS[tries];
        if (!(error instanceof ChannelError && error.code === "unavailable") || wait === undefined) throw error;
        await sleep(wait);
      }
    }
  }

  async function tell(run: Run, missing: InputFile[]): Promise<void> {
    if (missing.length === 0 || !(await deps.store.once(`uploads/${run.id}`, TOLD_MS))) return;
    const text = words.filesNotTaken(missing);
    await deps.outbox
      .post(run.inbound.at, () => ({ kind: "notice", text }))
      .catch((error) => {
        deps.log.warn({ run: run.id, error: messageOf(error) }, "missing files could not be told");
      });
  }

  return {
    async take(run) {
      const files = await Promise.all(run.inbound.attachments.map((item, index) => takeOne(run, item, index)));
      await tell(
        run,
        files.filter(({ problem }) => problem !== undefined),
      );
      return files;
    },
  };
}

function problemOf(error: unknown, maxBytes: number): string {
  if (!(error instanceof ChannelError)) return words.fileNotStored;
  return error.code === "too_long" ? words.fileTooLarge(maxBytes) : words.fileNotFetched;
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() ?? false;
}

/** Appears whole or not at all, and never through a link. */
async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const part = `${path}.part`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(part, flags, 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
  await rename(part, path);
}
