/**
 * `shell`: one command in the session's folder. It is no sandbox: the command has the rights of this process,
 * which is why the tool is off by default and every call waits for a person.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { OUTPUT_LIMIT } from "./text.ts";

export interface ShellOptions {
  dir: string;
  timeoutMs: number;
}

/** For output that is still in the pipes when the command is over. */
const DRAIN_MS = 500;

/** Nothing of our own environment: it holds tokens. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function shellTool(options: ShellOptions): StructuredToolInterface {
  return tool(async ({ command }, config) => run(command, options, config.signal), {
    name: "shell",
    description:
      "Run one shell command in this session's folder, which holds uploads/, workspace/ and outputs/. " +
      "Returns what it printed and its exit code. No input can be given.",
    schema: z.object({ command: z.string().min(1).max(20_000) }),
  });
}

async function run(command: string, options: ShellOptions, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  const child = spawn("/bin/sh", ["-c", command], {
    cwd: options.dir,
    env: { PATH, HOME: options.dir, LANG: "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that what the command starts ends with it.
    detached: true,
  });
  const output = collect(child);
  const end = await ending(child, options.timeoutMs, signal);
  signal?.throwIfAborted();
  return `${output()}${end}`;
}

function collect(child: ChildProcess): () => string {
  const parts: Buffer[] = [];
  let size = 0;
  const take = (part: Buffer): void => {
    if (size < OUTPUT_LIMIT) parts.push(part.subarray(0, OUTPUT_LIMIT - size));
    size += part.length;
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  return () => {
    const text = Buffer.concat(parts).toString("utf8").trimEnd();
    const cut = size > OUTPUT_LIMIT ? `\n[cut: ${size - OUTPUT_LIMIT} more bytes]` : "";
    return text + cut + (text === "" ? "" : "\n");
  };
}

/** Resolves when the command is over or was ended; its children are ended in any case. */
function ending(child: ChildProcess, timeoutMs: number, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let why = "";
    const end = (reason: string): void => {
      why ||= reason;
      killGroup(child);
    };
    const timer = setTimeout(() => end(`[ended after ${Math.round(timeoutMs / 1000)} s]`), timeoutMs);
    const stop = (): void => end("[stopped]");
    signal?.addEventListener("abort", stop, { once: true });
    child.once("exit", (code, killed) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      killGroup(child);
      const done = (): void => resolve(why || `[exit code ${code ?? killed}]`);
      child.once("close", done);
      // A child that left the group may hold the pipes open; it must not keep the run waiting.
      setTimeout(done, DRAIN_MS).unref();
    });
    child.once("error", reject);
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is gone already, which is what was wanted.
  }
}
