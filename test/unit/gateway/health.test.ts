import type { ChannelStatus } from "../../../channels/channel.ts";
import { healthRoutes } from "../../../src/gateway/health.ts";
import { openSqliteState } from "../../../src/state/sqlite.ts";
import { silent } from "../../support/bridge.ts";

const lanes = { kick() {}, close: async () => undefined, size: () => 2, idle: async () => undefined };

function routes(status: ChannelStatus) {
  const state = openSqliteState({ path: ":memory:", keepDays: 1, log: silent });
  return { state, app: healthRoutes({ statuses: () => ({ slack: status }), state, lanes }) };
}

describe("health", () => {
  it("is ready while the state and one channel are up, and says how busy it is", async () => {
    const { app, state } = routes({ state: "up" });
    const response = await app.request("/readyz");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: "ready",
      state: "up",
      busy: 2,
      channels: { slack: { state: "up" } },
    });
    await state.store.close();
  });

  it("is not ready when no channel is up, and tells why", async () => {
    const { app, state } = routes({ state: "reconnecting", detail: "socket closed" });
    const response = await app.request("/readyz");
    expect(response.status).toBe(503);
    expect(JSON.stringify(await response.json())).toContain("socket closed");
    await state.store.close();
  });

  it("is not ready without its state, but alive", async () => {
    const { app, state } = routes({ state: "up" });
    await state.store.close();
    expect((await app.request("/readyz")).status).toBe(503);
    expect((await app.request("/healthz")).status).toBe(200);
  });
});
