import { createLanes, type Lane } from "../../src/lanes.ts";
import { newRun } from "../../src/new-run.ts";
import { resolvePolicy } from "../../src/policy.ts";
import { settingsOf } from "../../src/settings.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";
import type { Store } from "../../src/state/store.ts";
import type { Run } from "../../src/types.ts";
import { silent, slackConfig } from "../support/bridge.ts";
import { inboundOf } from "../support/fake-channel.ts";

let store: Store;
beforeEach(() => {
  store = openSqliteState({ path: ":memory:", keepDays: 1, log: silent }).store;
});
afterEach(() => store.close());

const at = (chat: string) => ({ channel: "slack", account: "T1", chat }) as const;

async function queue(chat: string, text = "x"): Promise<Run> {
  const inbound = inboundOf(text, { at: at(chat) });
  const { context } = resolvePolicy(slackConfig(), settingsOf({}), { at: at(chat) });
  const session = `slack/T1/${chat}`;
  const run = newRun({ inbound, session, threadId: `${session}#0`, context, now: Date.now() });
  await store.accept(run);
  return run;
}

function open(work: (run: Run, lane: Lane) => Promise<void>, more: object = {}) {
  const options = { concurrency: 2, leaseMs: 300, sweepMs: 60_000, owner: "me", log: silent, now: Date.now };
  return createLanes({ store, renewed: async () => undefined, ...options, work, ...more });
}

const finish = (run: Run) => store.finish(run.session, run.id, "me", "done", Date.now());

describe("lanes", () => {
  it("work on as many sessions at once as allowed; the others hold no place and come next", async () => {
    const runs = await Promise.all(["A", "B", "C", "D"].map((chat) => queue(chat)));
    let now = 0;
    let most = 0;
    const lanes = open(async (run) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 20));
      now -= 1;
      await finish(run);
    });
    for (const run of runs) lanes.kick(run.session);
    await lanes.idle();
    expect(most).toBe(2);
    const statuses = await Promise.all(runs.map(async (run) => (await store.run(run.session, run.id))?.status));
    expect(statuses).toEqual(["done", "done", "done", "done"]);
    await lanes.close(0, new Error("end"));
  });

  it("find by the sweep what nobody was woken for", async () => {
    const run = await queue("A");
    const lanes = open(async (it) => void (await finish(it)), { sweepMs: 20 });
    await vi.waitFor(async () => expect((await store.run(run.session, run.id))?.status).toBe("done"));
    await lanes.close(0, new Error("end"));
  });

  it("keep their lease as long as a run takes, so that no second worker begins it", async () => {
    const run = await queue("A");
    const hold = Promise.withResolvers<void>();
    const lanes = open(async (it) => {
      await hold.promise;
      await finish(it);
    });
    lanes.kick(run.session);
    await vi.waitFor(async () => expect((await store.run(run.session, run.id))?.status).toBe("running"));
    const begun = Date.now();
    while (Date.now() - begun < 700) {
      expect((await store.begin(run.session, "other", 300, Date.now())).kind).toBe("busy");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    hold.resolve();
    await lanes.idle();
    await lanes.close(0, new Error("end"));
  });

  it("hand over at the end of the grace time, and another worker can begin at once", async () => {
    const run = await queue("A");
    const reasons: string[] = [];
    const lanes = open(async (_run, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      reasons.push(String(signal.reason));
    });
    lanes.kick(run.session);
    await vi.waitFor(async () => expect((await store.run(run.session, run.id))?.status).toBe("running"));
    await lanes.close(10, new Error("shutdown"));
    expect(reasons).toEqual(["Error: shutdown"]);
    const claim = await store.begin(run.session, "other", 300, Date.now());
    expect(claim.kind === "run" && claim.run.attempt).toBe(2);
  });

  it("look at the store after each renewal, so that a lost stop signal is noticed", async () => {
    const run = await queue("A");
    const seen: string[] = [];
    const hold = Promise.withResolvers<void>();
    const work = async (it: Run) => {
      await hold.promise;
      await finish(it);
    };
    const renewed = async (it: Run) => {
      seen.push(it.id);
      hold.resolve();
    };
    const lanes = open(work, { renewed });
    lanes.kick(run.session);
    await lanes.idle();
    expect(seen).toContain(run.id);
    await lanes.close(0, new Error("end"));
  });
});
