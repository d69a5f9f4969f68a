/** Real Redis servers for tests: the shared one of the run, and private ones that a test may kill. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

/** The Redis of this test run; `npm test` starts it. Tests share it and keep apart by prefix. */
export function sharedRedisUrl(): string {
  const url = process.env.REDIS_URL;
  if (!url) throw new Error("REDIS_URL is not set: run the tests with `npm test`, or start a Redis and set it.");
  return url;
}

export function freshPrefix(): string {
  return `test-${randomUUID().slice(0, 8)}`;
}

export interface PrivateRedis {
  url: string;
  port: number;
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** On the same port, empty. */
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  dispose(): Promise<void>;
}

export async function privateRedis(extra: string[] = []): Promise<PrivateRedis> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), "planbridge-redis-"));
  let child: ChildProcess | undefined;
  const stop = async () => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  };
  const start = async () => {
    const quiet = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--dir", dir];
    child = spawn("redis-server", ["--port", String(port), ...quiet, ...extra], { stdio: "ignore" });
    await answering(port);
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    kill: stop,
    start,
    async dispose() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Three primaries that share the slots; the URL of each. */
export async function privateCluster(): Promise<{ urls: string[]; dispose(): Promise<void> }> {
  const extra = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-config-file", "nodes.conf"];
  const nodes = await Promise.all([0, 1, 2].map(() => privateRedis(extra)));
  const clients = nodes.map((node) => new Redis(node.url));
  const [first] = nodes;
  await Promise.all(
    clients.map(async (client, index) => {
      await client.cluster("ADDSLOTSRANGE", Math.ceil((index * 16384) / 3), Math.ceil(((index + 1) * 16384) / 3) - 1);
      // Epochs must differ, or the nodes argue about their slots for a while.
      await client.call("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
      if (index > 0) await client.cluster("MEET", "127.0.0.1", String(first?.port));
    }),
  );
  await vi.waitFor(() => Promise.all(clients.map(isComplete)), { timeout: 15_000, interval: 50 });
  for (const client of clients) client.disconnect();
  return {
    urls: nodes.map(({ url }) => url),
    dispose: async () => void (await Promise.all(nodes.map((node) => node.dispose()))),
  };
}

async function isComplete(client: Redis): Promise<void> {
  const info = await client.cluster("INFO");
  if (!/cluster_state:ok/.test(info) || !/cluster_size:3/.test(info)) throw new Error("cluster not formed yet");
}

async function answering(port: number): Promise<void> {
  const client = new Redis({ port, host: "127.0.0.1", retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  // A server that asks for a password answers as well.
  await client.ping().catch(() => undefined);
  client.disconnect();
}

async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    server.close();
    await once(server, "close");
    // A cluster node's bus listens 10000 ports higher.
    if (address && typeof address === "object" && address.port < 55_000) return address.port;
  }
}
