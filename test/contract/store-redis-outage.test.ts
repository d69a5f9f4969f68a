/** A Redis that goes away: the process lives, commands fail with one clear sentence in time, and all comes back. */
import { Redis } from "ioredis";
import { OperatorError } from "../../src/errors.ts";
import { createLog } from "../../src/log.ts";
import { openRedisState } from "../../src/state/redis.ts";
import type { State } from "../../src/state/state.ts";
import type { Signal } from "../../src/state/store.ts";
import { freshPrefix, type PrivateRedis, privateRedis } from "../support/redis.ts";
import { aChat, T0 } from "./store-fixtures.ts";

const log = createLog({ level: "silent" });
/** A message at the door is told "not stored" within this. */
const DOOR_MS = 3_000;

function open(url: string): Promise<State> {
  return openRedisState({ url, cluster: [], prefix: freshPrefix(), keepDays: 30, log });
}

describe("a Redis that goes away", () => {
  let server: PrivateRedis;
  let state: State;

  beforeAll(async () => {
    server = await privateRedis();
    state = await open(server.url);
  });
  afterAll(async () => {
    await state.store.close();
    await server.dispose();
  });

  async function failure(work: Promise<unknown>): Promise<Error> {
    const began = Date.now();
    const error = await work.then(
      () => new Error("it did not fail"),
      (reason: Error) => reason,
    );
    expect(Date.now() - began).toBeLessThan(DOOR_MS + 1_000);
    return error;
  }

  it("fails commands in time while it is down, and serves again when it is back", async () => {
    const signals: Signal[] = [];
    state.store.subscribe((signal) => signals.push(signal));
    await server.kill();
    const [error, ping] = await Promise.all([failure(state.store.accept(aChat().run())), failure(state.store.ping())]);
    expect(error).toBeInstanceOf(OperatorError);
    expect(error.message).toMatch(/^Redis at 127\.0\.0\.1:\d+ cannot be reached \(connect ECONNREFUSED .*\)\.$/);
    expect(ping.message).toBe(error.message);
    await server.start();
    await expect.poll(() => state.store.ping().then(() => "up", String), { timeout: 5_000 }).toBe("up");
    // Settings may have changed meanwhile.
    await expect.poll(() => signals, { timeout: 5_000 }).toContainEqual({ kind: "settings" });
    const run = aChat().run();
    await state.store.accept(run);
    await expect.poll(() => signals).toContainEqual({ kind: "wake", session: run.session });
  });

  it("is waited for when it is only gone for a moment", async () => {
    await server.kill();
    const accepted = state.store.accept(aChat().run());
    await server.start();
    expect(await accepted).toEqual({ kind: "queued", position: 1 });
  });

  it("that hangs fails commands in time as well", async () => {
    server.freeze();
    const error = await failure(state.store.lookup(aChat().session));
    server.thaw();
    expect(error.message).toMatch(/cannot be reached \(no reply in time\)\.$/);
    await expect.poll(() => state.store.ping().then(() => "up", String), { timeout: 5_000 }).toBe("up");
  });

  it("that became a replica is left, and the command is sent to the new primary", async () => {
    const admin = new Redis(server.url);
    await admin.replicaof("127.0.0.1", "1");
    const accepted = state.store.accept(aChat().run());
    const promoted = setTimeout(() => void admin.replicaof("NO", "ONE"), 300);
    expect(await accepted).toMatchObject({ kind: "queued" });
    clearTimeout(promoted);
    await admin.replicaof("127.0.0.1", "1");
    const error = await failure(state.store.renewSession(aChat().session, T0));
    expect(error.message).toMatch(/cannot be reached \(READONLY /);
    await admin.replicaof("NO", "ONE");
    await state.store.renewSession(aChat().session, T0);
    admin.disconnect();
  });

  it("refuses the start with one sentence", async () => {
    const gone = await privateRedis();
    await gone.dispose();
    const error = await failure(open(`redis://user:s3cret-word@127.0.0.1:${gone.port}/3`));
    expect(error).toBeInstanceOf(OperatorError);
    expect(error.message).toMatch(/^Redis at 127\.0\.0\.1:\d+\/3 cannot be reached \(connect ECONNREFUSED .*\)\.$/);
  });

  it("refuses the start when the password is wrong, without telling it", async () => {
    const locked = await privateRedis(["--requirepass", "right-word"]);
    const address = `127.0.0.1:${locked.port}`;
    const wrong = await failure(open(`redis://:s3cret-word@${address}`));
    expect(wrong.message).toMatch(/^Redis at 127\.0\.0\.1:\d+ .*WRONGPASS/);
    expect(wrong.message).not.toContain("s3cret-word");
    expect((await failure(open(`redis://${address}`))).message).toMatch(/NOAUTH/);
    const { store } = await open(`redis://:right-word@${address}`);
    await store.close();
    await locked.dispose();
  });
});
