/** The built bridge as a process of its own, to be killed at will. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { packageRoot } from "../../config/load.ts";

const CODE_CACHE = join(tmpdir(), "planbridge-code-cache");

export interface Program {
  child: ChildProcess;
  output(): string;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  /** SIGKILL, as a power cut would. */
  kill(): Promise<void>;
  /** SIGTERM, as an operator would. */
  stop(): Promise<number | NodeJS.Signals | null>;
}

export interface Folder {
  path: string;
  config(content: object): string;
  remove(): void;
}

export function tempFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "planbridge-"));
  return {
    path,
    config(content) {
      const file = join(path, "config.yaml");
      writeFileSync(file, stringify(content));
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function startProgram(args: string[], env: Record<string, string> = {}, input?: string): Program {
  const main = join(packageRoot(), "dist", "src", "main.js");
  if (!existsSync(main)) throw new Error("There is no build to start: npm run build, or npm test, makes it.");
  const child = spawn(process.execPath, [main, ...args], {
    cwd: packageRoot(),
    // The code cache saves a fifth of each start, and these tests start the program some fifty times.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: CODE_CACHE, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (data) => {
    output += data;
  });
  child.stderr?.on("data", (data) => {
    output += data;
  });
  if (input !== undefined) child.stdin?.end(input);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on("close", (code, signal) => resolve(signal ?? code));
  });
  return {
    child,
    output: () => output,
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
