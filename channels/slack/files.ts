/** Files both ways. The bot's token goes to Slack's own hosts only. */
import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { webApi } from "@slack/bolt";
import type { Address, Attachment, OutFile } from "../channel.ts";
import { ChannelError } from "../errors.ts";

export interface FileHost {
  client: webApi.WebClient;
  token: string;
  apiUrl: string;
}

const SLACK_HOST = /(^|\.)(slack\.com|slack-files\.com|slack-gov\.com)$/;
const MAX_REDIRECTS = 3;
const TRANSFER_MS = 60_000;
const SHARE_TRIES = 4;

const refused = (message: string) => new ChannelError({ code: "refused", message });

/** Slack's hosts over https, or the very host of `api_url` (a proxy, a test). */
export function slackUrl(source: string, apiUrl: string): URL {
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") throw refused("The file has no usable address.");
  if (url.origin === new URL(apiUrl).origin) return url;
  if (url.protocol === "https:" && url.port === "" && SLACK_HOST.test(url.hostname)) return url;
  throw refused(`The file is not on a Slack host but on ${url.hostname}.`);
}

async function request(url: URL | string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TRANSFER_MS) });
  } catch (cause) {
    throw new ChannelError({ code: "unavailable", message: "Slack's file host gave no answer.", cause });
  }
}

async function open(host: FileHost, source: string): Promise<Response> {
  let url = slackUrl(source, host.apiUrl);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await request(url, { headers: { authorization: `Bearer ${host.token}` } });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    url = slackUrl(new URL(location, url).href, host.apiUrl);
  }
  throw refused("The file's address redirects too often.");
}

function checked(response: Response, attachment: Attachment): void {
  if (response.status >= 500) {
    throw new ChannelError({ code: "unavailable", message: `Slack's file host answered HTTP ${response.status}.` });
  }
  if (!response.ok) throw refused(`Slack's file host answered HTTP ${response.status}.`);
  const type = response.headers.get("content-type") ?? "";
  // Without the scope Slack sends its sign-in page with status 200.
  if (type.startsWith("text/html") && !attachment.type.includes("html")) {
    throw refused("Slack sent its sign-in page instead of the file: the bot needs the scope files:read.");
  }
}

async function readCapped(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ChannelError({ code: "too_long", message: `The file is larger than ${maxBytes} bytes.` });
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

async function sourceOf(host: FileHost, attachment: Attachment): Promise<string> {
  if (!attachment.source.startsWith("slack-file:")) return attachment.source;
  const { file } = await host.client.files.info({ file: attachment.source.slice("slack-file:".length) });
  return file?.url_private_download ?? file?.url_private ?? "";
}

export async function download(host: FileHost, attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
  const response = await open(host, await sourceOf(host, attachment));
  try {
    checked(response, attachment);
    return await readCapped(response, maxBytes);
  } finally {
    await response.body?.cancel().catch(() => undefined); // already read or failed: nothing is left to free
  }
}

/** Slack shares the file a moment after it was completed; only then does it have a message. */
async function sharedAs(host: FileHost, file: string, chat: string): Promise<string | undefined> {
  for (let tries = 0; tries < SHARE_TRIES; tries += 1) {
    if (tries > 0) await sleep(250);
    const answer = await host.client.files.info({ file }).catch(() => undefined);
    const shares = answer?.file?.shares;
    const ts = (shares?.public?.[chat] ?? shares?.private?.[chat])?.[0]?.ts;
    if (ts) return ts;
  }
  return undefined;
}

/** Returns the id of the message that shows the file, or the file's own id when Slack does not tell. */
export async function upload(host: FileHost, to: Address, file: OutFile, comment: string | undefined): Promise<string> {
  const { size } = await stat(file.path);
  if (size === 0) throw refused(`${file.name} is empty; Slack takes no empty files.`);
  const place = await host.client.files.getUploadURLExternal({ filename: file.name, length: size });
  if (!place.file_id || !place.upload_url) throw refused("Slack gave no address for the upload.");
  const body = await openAsBlob(file.path, { type: file.type });
  const sent = await request(slackUrl(place.upload_url, host.apiUrl), { method: "POST", body });
  await sent.body?.cancel();
  if (!sent.ok) throw new ChannelError({ code: "unavailable", message: `The upload answered HTTP ${sent.status}.` });
  const files: [{ id: string; title: string }] = [{ id: place.file_id, title: file.name }];
  const text = comment === undefined ? {} : { initial_comment: comment };
  const where = to.thread === undefined ? { channel_id: to.chat } : { channel_id: to.chat, thread_ts: to.thread };
  await host.client.files.completeUploadExternal({ files, ...where, ...text });
  return (await sharedAs(host, place.file_id, to.chat)) ?? place.file_id;
}
