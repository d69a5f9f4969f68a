/** Contract: one worker per session, and no message is ever lost between two of them. */
import type { Store } from "../../src/state/store.ts";
import { aChat, approval, LEASE, parked, question, running, T0, take } from "./store-fixtures.ts";

export function lanesContract(store: () => Store): void {
  const isWaiting = async (session: string) => (await store().waiting(10_000)).includes(session);

  describe("a lane", () => {
    it("belongs to one of many workers", async () => {
      const chat = aChat();
      await store().accept(chat.run());
      await store().accept(chat.run());
      const owners = Array.from({ length: 8 }, (_, index) => `w${index}`);
      const claims = await Promise.all(owners.map((owner) => store().begin(chat.session, owner, LEASE, T0)));
      expect(claims.map(({ kind }) => kind).toSorted()).toEqual([...Array(7).fill("busy"), "run"]);
    });

    it("works through the queue in order with one owner, then is free", async () => {
      const chat = aChat();
      const runs = [chat.run("1"), chat.run("2"), chat.run("3")];
      for (const run of runs) await store().accept(run);
      for (const run of runs) {
        expect(await take(store(), chat.session)).toMatchObject({ id: run.id, status: "running", attempt: 1 });
        expect(await store().finish(chat.session, run.id, "w1", "done", T0 + 9)).toBe("finished");
        expect(await store().run(chat.session, run.id)).toMatchObject({ status: "done", endedAt: T0 + 9 });
      }
      expect(await store().begin(chat.session, "w1", LEASE, T0)).toEqual({ kind: "idle" });
      expect(await isWaiting(chat.session)).toBe(false);
      expect((await store().lookup(chat.session)).active).toBeUndefined();
      expect(await store().renew(chat.session, "w1", LEASE, T0)).toBe(false);
    });

    it("never forgets a message that arrives between finish and begin", async () => {
      const { session, run, chat } = await running(store());
      await store().finish(session, run.id, "w1", "done", T0);
      const next = chat.run();
      await store().accept(next);
      expect(await store().begin(session, "w2", LEASE, T0)).toEqual({ kind: "busy" });
      expect((await take(store(), session)).id).toBe(next.id);
    });

    it("never forgets messages that arrive while it is given back", async () => {
      const chat = aChat();
      const runs = Array.from({ length: 30 }, () => chat.run());
      const done: string[] = [];
      const work = async (owner: string) => {
        for (;;) {
          const claim = await store().begin(chat.session, owner, LEASE, T0);
          if (claim.kind !== "run") return;
          await store().finish(chat.session, claim.run.id, owner, "done", T0);
          done.push(claim.run.id);
        }
      };
      // Each message brings its own worker; one that finds the lane busy must be able to leave.
      await Promise.all(
        runs.map((run) =>
          store()
            .accept(run)
            .then(() => work(run.id)),
        ),
      );
      expect(done.toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
    });

    it("whose worker died is taken over when the lease ends, and the attempt is counted", async () => {
      const { session, run } = await running(store());
      expect(await store().begin(session, "w2", LEASE, T0 + LEASE - 1)).toEqual({ kind: "busy" });
      expect(await take(store(), session, "w2", T0 + LEASE)).toMatchObject({ id: run.id, attempt: 2 });
      expect(await take(store(), session, "w3", T0 + 2 * LEASE)).toMatchObject({ id: run.id, attempt: 3 });
    });

    it("is kept by renewing", async () => {
      const { session } = await running(store());
      expect(await store().renew(session, "w1", LEASE, T0 + 10_000)).toBe(true);
      expect(await store().begin(session, "w2", LEASE, T0 + LEASE)).toEqual({ kind: "busy" });
      expect(await store().renew(session, "w2", LEASE, T0)).toBe(false);
    });

    it("that was lost cannot be damaged by its former owner", async () => {
      const { session, run } = await running(store(), "w1");
      await take(store(), session, "w2", T0 + LEASE);
      expect(await store().renew(session, "w1", LEASE, T0 + LEASE)).toBe(false);
      expect(await store().finish(session, run.id, "w1", "failed", T0)).toBe("lease_lost");
      expect(await store().park(session, run.id, "w1", question)).toBe(false);
      await store().release(session, "w1");
      expect(await store().begin(session, "w3", LEASE, T0 + LEASE)).toEqual({ kind: "busy" });
      expect(await store().run(session, run.id)).toMatchObject({ status: "running", attempt: 2 });
      expect(await store().finish(session, run.id, "w2", "done", T0)).toBe("finished");
    });

    it("given back at shutdown leaves the run for another worker at once", async () => {
      const { session, run } = await running(store());
      await store().release(session, "w1");
      expect(await isWaiting(session)).toBe(true);
      expect(await take(store(), session, "w2")).toMatchObject({ id: run.id, attempt: 2 });
    });

    it("given back after its last run leaves the waiting list", async () => {
      const { session, run } = await running(store());
      await store().finish(session, run.id, "w1", "done", T0);
      await store().release(session, "w1");
      expect(await isWaiting(session)).toBe(false);
    });
  });

  describe("the waiting list", () => {
    it("names sessions with work that no worker holds, oldest first", async () => {
      const [first, second] = [aChat(), aChat()];
      const early = second.run();
      await store().accept({ ...early, queuedAt: T0 - 1_000_000 });
      await store().accept({ ...first.run(), queuedAt: T0 - 2_000_000 });
      const list = await store().waiting(10_000);
      expect(list.indexOf(first.session)).toBeLessThan(list.indexOf(second.session));
      expect((await store().waiting(1)).length).toBe(1);
      await store().begin(first.session, "w1", LEASE, Date.now());
      expect(await isWaiting(first.session)).toBe(false);
      await store().begin(second.session, "w1", 1, T0 - LEASE);
      expect(await isWaiting(second.session)).toBe(true);
    });
  });

  describe("finishing", () => {
    it("twice is the same as once", async () => {
      const { session, run } = await running(store());
      expect(await store().finish(session, run.id, "w1", "done", T0)).toBe("finished");
      expect(await store().finish(session, run.id, "w1", "done", T0)).toBe("finished");
      expect(await store().finish(session, run.id, "w1", "failed", T0)).toBe("lease_lost");
      expect(await store().finish(session, "rnone", "w1", "done", T0)).toBe("lease_lost");
    });
  });

  describe("saving", () => {
    it("replaces single fields whole, in parallel, and undefined removes", async () => {
      const { session, run } = await running(store());
      const save = (patch: Parameters<Store["saveRun"]>[2]) => store().saveRun(session, run.id, patch);
      const board = { ref: { at: run.inbound.at, id: "b1" }, revision: 1, shown: "x" };
      const usage = { inputTokens: 2 ** 40, outputTokens: 1, modelCalls: 1 };
      await Promise.all([save({ board }), save({ usage }), save({ todos: [] }), save({ posting: ["n1"] })]);
      await save({ posting: undefined, delivered: [] });
      await save({});
      expect(await store().run(session, run.id)).toMatchObject({ board, usage, todos: [], delivered: [], attempt: 1 });
      expect(await store().run(session, run.id)).not.toHaveProperty("posting");
    });

    it("does not bring back a run that is gone", async () => {
      const { session } = aChat();
      await store().saveRun(session, "rgone", { posting: ["n1"] });
      expect(await store().run(session, "rgone")).toBeUndefined();
    });
  });

  describe("parking", () => {
    it("frees the lane and waits; queued messages stay behind it", async () => {
      const { session, run, chat } = await running(store());
      const next = chat.run();
      await store().accept(next);
      expect(await store().park(session, run.id, "w1", question)).toBe(true);
      expect(await store().park(session, run.id, "w1", question)).toBe(true);
      expect(await isWaiting(session)).toBe(false);
      expect(await store().begin(session, "w2", LEASE, T0)).toEqual({ kind: "idle" });
      expect(await store().queue(session)).toEqual([next.id]);
      await store().answer(session, run.id, "a1", approval);
      expect((await take(store(), session, "w2")).id).toBe(run.id);
      await store().finish(session, run.id, "w2", "done", T0);
      expect((await take(store(), session, "w2")).id).toBe(next.id);
    });

    it("asks again after an answer", async () => {
      const { session, run } = await parked(store());
      await store().answer(session, run.id, "a1", approval);
      await take(store(), session);
      expect(await store().park(session, run.id, "w1", { ...question, id: "q2" })).toBe(true);
      expect((await store().run(session, run.id))?.answer).toBeUndefined();
      expect(await store().answer(session, run.id, "a2", approval)).toBe("closed");
      expect(await store().answer(session, run.id, "a3", { ...approval, questionId: "q2" })).toBe("taken");
    });
  });

  describe("dropping", () => {
    it("ends queued and waiting runs, nothing else", async () => {
      const { session, run, chat } = await running(store());
      const [second, third] = [chat.run(), chat.run()];
      await store().accept(second);
      await store().accept(third);
      expect(await store().drop(session, run.id, "stopped", T0)).toBe(false);
      expect(await store().drop(session, second.id, "stopped", T0 + 3)).toBe(true);
      expect(await store().drop(session, second.id, "stopped", T0)).toBe(false);
      expect(await store().drop(session, "rnone", "stopped", T0)).toBe(false);
      expect(await store().queue(session)).toEqual([third.id]);
      expect(await store().run(session, second.id)).toMatchObject({ status: "stopped", endedAt: T0 + 3 });
    });

    it("a waiting run lets the queue go on", async () => {
      const { session, run, chat } = await parked(store());
      const next = chat.run();
      await store().accept(next);
      expect(await store().drop(session, run.id, "lost", T0)).toBe(true);
      expect(await isWaiting(session)).toBe(true);
      expect((await take(store(), session, "w2")).id).toBe(next.id);
      const alone = await parked(store());
      await store().drop(alone.session, alone.run.id, "lost", T0);
      expect(await isWaiting(alone.session)).toBe(false);
      expect((await store().lookup(alone.session)).active).toBeUndefined();
    });
  });

  it("lists what is running or waiting", async () => {
    const busy = await running(store());
    const waits = await parked(store());
    const ended = await running(store());
    await store().finish(ended.session, ended.run.id, "w1", "done", T0);
    const listed = new Map((await store().activeRuns(10_000)).map((run) => [run.id, run.status]));
    expect(listed.get(busy.run.id)).toBe("running");
    expect(listed.get(waits.run.id)).toBe("waiting");
    expect(listed.has(ended.run.id)).toBe(false);
    expect(await store().activeRuns(1)).toHaveLength(1);
  });
}
