/** How the emulated Slack hands events to the app: Socket Mode, or signed HTTP requests when `eventsUrl` is set. */
import { createHmac, randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export interface Delivery {
  type: "events_api" | "interactive" | "slash_commands";
  payload: Record<string, unknown>;
  /** Times it was sent. */
  attempts: number;
  acked: boolean;
  /** What the app answered with. */
  response?: unknown;
}

export interface DeliveryOptions {
  /** Slack waits 3 s, then sends again. */
  redeliverAfterMs: number;
  maxAttempts: number;
  signingSecret: string;
}

export interface Post {
  deliver(type: Delivery["type"], payload: Record<string, unknown>): Delivery;
  deliveries: Delivery[];
  /** Set it and events go there as signed requests instead of the socket. */
  eventsUrl: string | undefined;
  connections(): number;
  /** Every connection the app ever opened. */
  opened(): number;
  drop(): void;
  refresh(): void;
  /** Half-open connections: nothing is read or answered any more, pings included. */
  freeze(): void;
  close(): void;
}

export function sign(secret: string, body: string, timestamp = Math.floor(Date.now() / 1000)): Record<string, string> {
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
  return { "x-slack-signature": signature, "x-slack-request-timestamp": String(timestamp) };
}

export function createDelivery(server: Server, options: DeliveryOptions): Post {
  const sockets = new Set<WebSocket>();
  const waiting = new Map<string, Delivery>();
  const timers = new Set<NodeJS.Timeout>();
  const wss = new WebSocketServer({ noServer: true });
  let opened = 0;

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    wss.handleUpgrade(request, socket, head, (ws) => connected(ws));
  });

  function connected(ws: WebSocket): void {
    opened += 1;
    sockets.add(ws);
    ws.on("close", () => sockets.delete(ws));
    ws.on("message", (data) => acked(JSON.parse(String(data)) as { envelope_id: string; payload?: unknown }));
    ws.send(JSON.stringify({ type: "hello", num_connections: sockets.size, connection_info: { app_id: "A0APP" } }));
  }

  function acked(message: { envelope_id: string; payload?: unknown }): void {
    const delivery = waiting.get(message.envelope_id);
    if (delivery === undefined) return;
    waiting.delete(message.envelope_id);
    Object.assign(delivery, { acked: true, response: message.payload });
  }

  function later(ms: number, job: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      job();
    }, ms);
    timers.add(timer);
  }

  function send(id: string, delivery: Delivery): void {
    if (delivery.acked) return;
    delivery.attempts += 1;
    if (post.eventsUrl !== undefined) void overHttp(post.eventsUrl, delivery);
    else overSocket(id, delivery);
    // People's clicks and slash commands are sent once only.
    if (delivery.type !== "events_api" || delivery.attempts >= options.maxAttempts) return;
    later(options.redeliverAfterMs, () => send(id, delivery));
  }

  function overSocket(id: string, delivery: Delivery): void {
    const socket = [...sockets].at(-1);
    if (socket === undefined) {
      delivery.attempts -= 1;
      if (delivery.type !== "events_api") later(20, () => send(id, delivery));
      return;
    }
    waiting.set(id, delivery);
    const retry = { retry_attempt: delivery.attempts - 1, retry_reason: delivery.attempts > 1 ? "timeout" : "" };
    const { type, payload } = delivery;
    socket.send(JSON.stringify({ envelope_id: id, type, payload, accepts_response_payload: false, ...retry }));
  }

  async function overHttp(url: string, delivery: Delivery): Promise<void> {
    const json = delivery.type === "events_api";
    const form: Record<string, string> =
      delivery.type === "interactive"
        ? { payload: JSON.stringify(delivery.payload) }
        : (delivery.payload as Record<string, string>); // slash commands hold strings only
    const body = json ? JSON.stringify(delivery.payload) : new URLSearchParams(form).toString();
    const type = json ? "application/json" : "application/x-www-form-urlencoded";
    const headers = { "content-type": type, ...sign(options.signingSecret, body) };
    try {
      const response = await fetch(url, { method: "POST", headers, body });
      if (response.ok) Object.assign(delivery, { acked: true, response: await response.text() });
    } catch {
      // The app is not there: delivered again like any unacknowledged event.
    }
  }

  const post: Post = {
    deliveries: [],
    eventsUrl: undefined,
    deliver(type, payload) {
      const delivery: Delivery = { type, payload, attempts: 0, acked: false };
      post.deliveries.push(delivery);
      send(randomUUID(), delivery);
      return delivery;
    },
    connections: () => sockets.size,
    opened: () => opened,
    drop: () => {
      for (const socket of sockets) socket.terminate();
    },
    refresh: () => {
      for (const socket of sockets) socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
    },
    freeze: () => {
      for (const socket of sockets) socket.pause();
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.terminate();
      wss.close();
    },
  };
  return post;
}
