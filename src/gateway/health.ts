/** `GET /healthz` (the process lives) and `GET /readyz` (state and channels are up), for probes and people. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { App } from "../app.ts";
import type { Log } from "../log.ts";

export interface Health {
  close(): Promise<void>;
}

export async function serveHealth(app: App, log: Log): Promise<Health> {
  const { enabled, host, port } = app.config().health;
  if (!enabled) return { close: async () => undefined };
  const server = serve({ fetch: healthRoutes(app).fetch, hostname: host, port });
  log.info({ host, port }, "health is served");
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}

export function healthRoutes(app: Pick<App, "statuses" | "state" | "lanes">): Hono {
  const routes = new Hono();
  routes.get("/healthz", (c) => c.json({ status: "ok" }));
  routes.get("/readyz", async (c) => {
    const channels = app.statuses();
    const state = await app.state.store.ping().then(
      () => "up",
      () => "down",
    );
    const ready = state === "up" && Object.values(channels).some(({ state: it }) => it === "up");
    return c.json(
      { status: ready ? "ready" : "not ready", state, channels, busy: app.lanes.size() },
      ready ? 200 : 503,
    );
  });
  return routes;
}
