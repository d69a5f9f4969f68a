/** Downloads from Discord's own file hosts, without the bot's token: their addresses are signed. */
import { ChannelError } from "../errors.ts";

const HOSTS = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
const TRANSFER_MS = 60_000;

const refused = (message: string) => new ChannelError({ code: "refused", message });

/** Discord's file hosts over https, or the very host of `api_url` (a proxy, a test). */
export function fileUrl(source: string, apiUrl: string): URL {
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") throw refused("The file has no usable address.");
  if (url.origin === new URL(apiUrl).origin) return url;
  if (url.protocol === "https:" && url.port === "" && HOSTS.has(url.hostname)) return url;
  throw refused(`The file is not on a Discord host but on ${url.hostname}.`);
}

export async function download(source: string, apiUrl: string, maxBytes: number): Promise<Uint8Array> {
  const response = await request(fileUrl(source, apiUrl));
  try {
    return await readCapped(response, maxBytes);
  } catch (cause) {
    if (cause instanceof ChannelError) throw cause;
    throw new ChannelError({ code: "unavailable", message: "Discord's file host broke off.", cause });
  } finally {
    await response.body?.cancel().catch(() => undefined); // already read or failed: nothing is left to free
  }
}

async function request(url: URL): Promise<Response> {
  let response: Response;
  try {
    // A redirect could lead anywhere; Discord's file hosts do not need one.
    response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TRANSFER_MS) });
  } catch (cause) {
    throw new ChannelError({ code: "unavailable", message: "Discord's file host gave no answer.", cause });
  }
  if (response.ok) return response;
  await response.body?.cancel();
  const message = `Discord's file host answered HTTP ${response.status}.`;
  throw response.status >= 500 ? new ChannelError({ code: "unavailable", message }) : refused(message);
}

async function readCapped(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new ChannelError({ code: "too_long", message: `The file is larger than ${maxBytes} bytes.` });
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
