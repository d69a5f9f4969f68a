/** Downloads what people sent, from the Bot API server only. */
import type { Attachment } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";

const DOWNLOAD_MS = 120_000;

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
    code: "refused",
    message: `the file is larger than the ${limit} MB that are allowed here`,
  });
}
