// `npm start`: set up if needed, then become the bridge. package.json starts this with `exec`, because npm sends signals
// to its shell, and a shell in between would die alone and leave the bridge running.
import { spawn } from "node:child_process";
import path from "node:path";
import { root, setUp } from "./setup.mjs";

const node = setUp();
// Compiled code is kept between starts: a fifth of the waiting.
process.env.NODE_COMPILE_CACHE ??= path.join(root, "node_modules", ".cache", "compiled");
const args = [path.join(root, "src", "main.ts"), ...process.argv.slice(2)];

// Becoming the bridge keeps one process for signals, exit code and terminal; Node 20 and Windows have no execve.
if (process.execve && process.platform !== "win32") process.execve(node, [node, ...args], process.env);
else runBelow();

function runBelow() {
  const child = spawn(node, args, { stdio: "inherit" });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  // A terminal sends Ctrl-C to the whole group, so the bridge has it already.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  child.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
