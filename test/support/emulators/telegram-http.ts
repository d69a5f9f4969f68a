/** Reads Bot API requests as telegraf and others send them: JSON, form or multipart. */
import type { IncomingMessage } from "node:http";
import type { Json } from "./telegram.ts";

export interface UploadedFile {
  name: string;
  type: string;
  bytes: Uint8Array;
}

export interface ApiRequest {
  token: string;
  method: string;
  payload: Json;
  files: Record<string, UploadedFile>;
}

export async function readRequest(request: IncomingMessage): Promise<ApiRequest | undefined> {
  const url = new URL(request.url ?? "/", "http://emulator");
  const match = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname);
  const body = await readBody(request);
  if (!match) return undefined;
  const payload: Json = Object.fromEntries(url.searchParams);
  const files: Record<string, UploadedFile> = {};
  const type = request.headers["content-type"] ?? "";
  if (type.includes("application/json") && body.length) Object.assign(payload, JSON.parse(body.toString("utf8")));
  else if (type.includes("form") && body.length) await readForm(type, body, payload, files);
  const { method: _, ...rest } = payload;
  return { token: decodeURIComponent(match[1] ?? ""), method: match[2] ?? "", payload: rest, files };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // A request without encoding yields buffers.
  return Buffer.concat(chunks);
}

async function readForm(type: string, body: Buffer, payload: Json, files: Record<string, UploadedFile>) {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  for (const [key, value] of form) {
    if (typeof value === "string") payload[key] = unquote(value);
    else files[key] = { name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) };
  }
}

/** Nested fields travel as JSON text inside a form. */
function unquote(value: string): unknown {
  if (!/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
