/**
 * A running bridge on a local file holds that file alone, so the operator's commands reach it through a socket beside
 * it: same machine, same user (mode 0600), no port. With Redis the commands open the state themselves.
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";

export interface OperatorCall {
  kind: "pair" | "audit" | "settings";
  code?: string | undefined;
}

/** Socket paths are limited to about 100 bytes, so the file's path goes in as a digest. */
export function socketPath(root: string, stateUrl: string): string | undefined {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(stateUrl)?.[1];
  if (!file || file === ":memory:") return undefined;
  const digest = createHash("sha256").update(resolve(root, file)).digest("hex").slice(0, 16);
  return join(tmpdir(), `planbridge-${process.getuid?.() ?? "user"}-${digest}.sock`);
}

export interface Control {
  close(): Promise<void>;
}

export async function serveControl(
  path: string | undefined,
  answer: (call: OperatorCall) => Promise<unknown>,
  log: Log,
): Promise<Control> {
  if (path === undefined) return { close: async () => undefined };
  await rm(path, { force: true });
  const server = createServer((incoming, outgoing) => {
    readCall(incoming)
      .then(answer)
      .then(
        (result) => outgoing.end(JSON.stringify({ result })),
        (error) => outgoing.writeHead(400).end(JSON.stringify({ error: messageOf(error) })),
      );
  });
  await listen(server, path);
  log.debug({}, "operator commands are heard");
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await rm(path, { force: true });
    },
  };
}

/** Nobody else may connect, not even for the moment between creation and chmod. */
async function listen(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    server.listen(path);
    await once(server, "listening");
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
}

const MOST_BYTES = 10_000;

async function readCall(incoming: NodeJS.ReadableStream): Promise<OperatorCall> {
  let text = "";
  for await (const chunk of incoming) {
    text += chunk;
    if (text.length > MOST_BYTES) throw new Error("too long");
  }
  return JSON.parse(text) as OperatorCall; // Only this program writes here; the answerer checks `kind`.
}

/** Rejects when no bridge listens there, or with what it answered. */
export async function callControl(path: string, call: OperatorCall): Promise<unknown> {
  const outgoing = request({ socketPath: path, method: "POST", path: "/" });
  outgoing.end(JSON.stringify(call));
  const [incoming] = await once(outgoing, "response");
  let text = "";
  for await (const chunk of incoming) text += chunk;
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: string };
  if (error !== undefined) throw new Error(error);
  return result;
}
