/** A TCP proxy before Redis that can lose a reply with its connection, or set the server's clock ahead. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface RedisProxy {
  url: string;
  /** Instead of the next reply the connection breaks: the server did the work, the client cannot know. */
  loseNextReply(): void;
  lost(): number;
  close(): void;
}

export async function redisProxy(target: number, options: { secondsAhead?: number } = {}): Promise<RedisProxy> {
  let armed = false;
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    let asked = false;
    client.on("data", (data) => {
      asked ||= armed;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (!armed || !asked) return void client.write(ahead(data, options.secondsAhead ?? 0));
      armed = false;
      lost += 1;
      client.destroy();
    });
    tie(client, upstream);
    tie(upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    url: `redis://127.0.0.1:${address.port}`,
    loseNextReply() {
      armed = true;
    },
    lost: () => lost,
    close: () => void server.close(),
  };
}

function tie(one: Socket, other: Socket): void {
  one.on("error", () => other.destroy());
  one.on("close", () => other.destroy());
}

/** The reply to TIME is the only list of a 10-digit and a shorter number that the tests cause. */
function ahead(data: Buffer, seconds: number): Buffer {
  if (seconds === 0) return data;
  const moved = data
    .toString("latin1")
    .replace(/^\*2\r\n\$10\r\n(\d{10})\r\n\$[1-6]\r\n/, (reply, time: string) =>
      reply.replace(time, String(+time + seconds)),
    );
  return Buffer.from(moved, "latin1");
}
