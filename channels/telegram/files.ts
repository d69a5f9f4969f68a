/** Files both ways: what people sent, from the Bot API server only; what the agent made, from this machine. */
import { stat } from "node:fs/promises";
import type { Attachment, OutFile } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";
import { asHtmlOrPlain, markdownWords } from "./markup.ts";

const DOWNLOAD_MS = 120_000;
const MOST_PHOTO_BYTES = 10_000_000;

export async function sendFile(api: Api, target: object, file: OutFile, comment = ""): Promise<{ message_id: number }> {
  const media = { source: file.path, filename: file.name };
  const send = (method: "sendPhoto" | "sendDocument", field: object) =>
    asHtmlOrPlain(markdownWords(comment), (caption, mode) =>
      api.call<{ message_id: number }>(method, { ...target, ...field, ...(caption ? { caption, ...mode } : {}) }),
    );
  if (!(await isPhoto(file))) return send("sendDocument", { document: media });
  try {
    return await send("sendPhoto", { photo: media });
  } catch (error) {
    // Odd sizes and damaged images are refused as photos only.
    if (!(error instanceof ChannelError && error.code === "refused")) throw error;
    return send("sendDocument", { document: media });
  }
}

async function isPhoto(file: OutFile): Promise<boolean> {
  if (!/^image\/(jpeg|png)$/.test(file.type)) return false;
  const facts = await stat(file.path).catch(() => undefined);
  return facts !== undefined && facts.size <= MOST_PHOTO_BYTES;
}

export async function fetchFile(api: Api, attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
  if (attachment.size > maxBytes) throw tooLarge(maxBytes);
  const file = await api.call<{ file_path?: string; file_size?: number }>("getFile", { file_id: attachment.source });
  if ((file.file_size ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const path = file.file_path ?? "";
  if (!path || path.startsWith("/") || path.split("/").includes("..")) {
    throw new ChannelError({ code: "refused", message: "Telegram gave no path that can be downloaded" });
  }
  try {
    return await download(api.fileUrl(path), maxBytes);
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    // The original names the URL, and the URL holds the token.
    throw new ChannelError({ code: "unavailable", message: "Telegram file download: no connection" });
  }
}

async function download(url: URL, maxBytes: number): Promise<Uint8Array> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(DOWNLOAD_MS) });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    const code = response.status >= 500 ? "unavailable" : "refused";
    throw new ChannelError({ code, message: `Telegram file download: ${response.status}` });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): ChannelError {
  const limit = Math.floor(maxBytes / 1_000_000);
  return new ChannelError({
    code: "too_long",
    message: `the file is larger than the ${limit} MB that are allowed here`,
  });
}
