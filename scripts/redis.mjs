// The Redis the tests run against: the one named by REDIS_URL, or a private one that lives as long as the tests.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fail, say } from "./setup.mjs";

const HOW = `The tests need a Redis server. Do one of these and run the tests again:
  - install Debian's package:  sudo apt-get install -y redis-server
  - or name a Redis that is free for tests:  REDIS_URL=redis://127.0.0.1:6379/15 npm test`;

/** `{ url, stop }`; `stop` may be called more than once. */
export async function redisForTests() {
  const given = process.env.REDIS_URL;
  if (given) return (await answers(given)) ? { url: given, stop() {} } : fail(`No Redis answers at REDIS_URL.\n${HOW}`);
  if (!hasServer()) installServer();
  return startPrivate();
}

function hasServer() {
  return spawnSync("redis-server", ["--version"]).status === 0;
}

function installServer() {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) fail(HOW);
  say("Installing redis-server (apt-get) …");
  if (!aptInstall()) {
    apt(["update"]);
    aptInstall();
  }
  if (!hasServer()) fail(HOW);
}

function aptInstall() {
  return apt(["install", "-y", "--no-install-recommends", "redis-server"]);
}

// RUNLEVEL=1 keeps the package from starting a server of its own.
function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  return spawnSync("apt-get", ["-qq", ...args], { env, stdio: ["ignore", 2, 2] }).status === 0;
}

async function startPrivate() {
  const dir = mkdtempSync(path.join(tmpdir(), "planbridge-redis-"));
  const port = await freePort();
  const flags = { port, bind: "127.0.0.1", save: "", appendonly: "no", dir, loglevel: "warning" };
  const child = spawn(
    "redis-server",
    Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  };
  const url = `redis://127.0.0.1:${port}`;
  if (await becomesReady(url, child)) return { url, stop };
  stop();
  fail("redis-server did not start; its message is above.");
}

async function becomesReady(url, child) {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    if (await answers(url)) return true;
    await sleep(50);
  }
  return false;
}

/** Whether something that speaks Redis listens; a server that asks for a password counts. */
async function answers(url) {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port || 6379), hostname);
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(3000) });
    socket.write("PING\r\n");
    const [reply] = await once(socket, "data", { signal: AbortSignal.timeout(3000) });
    return /^(\+PONG|-NOAUTH)/.test(String(reply));
  } catch {
    return false; // refused or silent: the caller tries again or tells the person
  } finally {
    socket.destroy();
  }
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
