/** Contract: sessions, settings, limits, small values and signals. */
import type { Signal, Store } from "../../src/state/store.ts";
import { aChat, running, T0 } from "./store-fixtures.ts";

/** `other` is a second instance on the same state, where there can be one. */
export function valuesContract(store: () => Store, other: () => Store): void {
  const name = () => `key/${aChat().session}`;

  describe("a session", () => {
    it("begins anew with each renewal", async () => {
      const { session } = await running(store());
      expect(await store().renewSession(session, T0 + 50)).toMatchObject({ epoch: 1, threadId: `${session}#1` });
      expect((await store().lookup(session)).session).toMatchObject({ epoch: 1, usedAt: T0 + 50 });
    });

    it("loses none of twenty overrides set at once", async () => {
      const { session } = aChat();
      const names = Array.from({ length: 20 }, (_, index) => `key_${index}`);
      await Promise.all(names.map((key) => store().overrideSession(session, { [key]: key }, T0)));
      const overrides = (await store().lookup(session)).session?.overrides;
      expect(overrides).toEqual(Object.fromEntries(names.map((key) => [key, key])));
    });

    it("creates itself with its first override, and undefined removes one", async () => {
      const { session } = aChat();
      const made = await store().overrideSession(session, { is_plan_mode: "auto", model_name: "big" }, T0);
      expect(made).toMatchObject({ key: session, epoch: 0, overrides: { is_plan_mode: "auto", model_name: "big" } });
      const changed = await store().overrideSession(session, { model_name: undefined, is_plan_mode: false }, T0);
      expect(changed.overrides).toEqual({ is_plan_mode: false });
    });

    it("is listed, last used first", async () => {
      const [older, newer] = [aChat(), aChat()];
      await store().renewSession(older.session, T0 + 1_000_000);
      await store().renewSession(newer.session, T0 + 2_000_000);
      const keys = (await store().sessions(10_000)).map(({ key }) => key);
      expect(keys.indexOf(newer.session)).toBeLessThan(keys.indexOf(older.session));
      expect(await store().sessions(1)).toHaveLength(1);
    });
  });

  describe("a setting", () => {
    const entry = (what: string) => ({ at: T0, who: "U1", where: "cli", what });

    it("is set and removed with its audit entry, and the old value comes back", async () => {
      const key = name();
      expect(await store().setSetting(key, { list: [] }, entry("set"))).toBeUndefined();
      expect(await other().setSetting(key, true, entry("change"))).toEqual({ list: [] });
      expect((await store().settings())[key]).toBe(true);
      expect(await store().setSetting(key, undefined, entry("unset"))).toBe(true);
      expect(await store().settings()).not.toHaveProperty([key]);
      expect(await store().audits(3)).toEqual([
        { ...entry("unset"), old: true },
        { ...entry("change"), old: { list: [] }, new: true },
        { ...entry("set"), new: { list: [] } },
      ]);
    });

    it("loses none of twenty made at once, nor their audit entries", async () => {
      const keys = Array.from({ length: 20 }, () => name());
      await Promise.all(keys.map((key) => store().setSetting(key, [], entry(key))));
      const settings = await store().settings();
      for (const key of keys) expect(settings[key]).toEqual([]);
      expect((await store().audits(20)).map(({ what }) => what).toSorted()).toEqual(keys.toSorted());
    });

    it("may bring its own words for the audit, and other events are noted as well", async () => {
      await store().setSetting(name(), 1, { ...entry("x"), old: "hidden", new: "also hidden" });
      await store().audit(entry("approve"));
      expect(await store().audits(2)).toEqual([entry("approve"), { ...entry("x"), old: "hidden", new: "also hidden" }]);
    });
  });

  describe("a limit", () => {
    it("lets a burst pass and then spreads what follows", async () => {
      const key = name();
      const take = (now: number) => store().take(key, 3, 3_000, now);
      expect([await take(T0), await take(T0), await take(T0)]).toEqual([0, 0, 0]);
      expect(await take(T0)).toBe(1_000);
      expect(await take(T0 + 400)).toBe(600);
      expect(await take(T0 + 1_000)).toBe(0);
      expect(await take(T0 + 1_000)).toBe(1_000);
    });

    it("is shared by all, and gives out every place of an odd burst", async () => {
      const key = name();
      const takes = Array.from({ length: 20 }, (_, index) => (index % 2 ? other() : store()).take(key, 7, 1_000, T0));
      const waits = await Promise.all(takes);
      expect(waits.filter((wait) => wait === 0)).toHaveLength(7);
    });

    it("leaves places free for those who must not wait", async () => {
      const key = name();
      const take = (reserve: number) => store().take(key, 4, 4_000, T0, reserve);
      expect([await take(2), await take(2), await take(2)]).toEqual([0, 0, 1_000]);
      expect([await take(0), await take(0), await take(0)]).toEqual([0, 0, 1_000]);
      expect(await store().take(name(), 1, 1_000, T0, 1)).toBe(0);
    });
  });

  describe("a small value", () => {
    it("lives for its time", async () => {
      const [key, short] = [name(), name()];
      await store().put(key, { a: [1, null] }, 60_000);
      await store().put(short, 1, 1);
      expect(await other().get(key)).toEqual({ a: [1, null] });
      await expect.poll(() => store().get(short), { interval: 5 }).toBeUndefined();
      await store().remove(key);
      expect(await store().get(key)).toBeUndefined();
    });

    it("happens once within its time", async () => {
      const [key, short] = [name(), name()];
      const first = await Promise.all([store(), other(), store(), other()].map((it) => it.once(key, 60_000)));
      expect(first.filter(Boolean)).toHaveLength(1);
      await store().once(short, 1);
      await expect.poll(() => store().once(short, 60_000), { interval: 5 }).toBe(true);
    });

    it("is counted without losing any", async () => {
      const [key, short] = [name(), name()];
      expect(await store().count(key, 0, 60_000)).toBe(0);
      await Promise.all(Array.from({ length: 20 }, () => store().count(key, 3, 60_000)));
      expect(await other().count(key, 0, 60_000)).toBe(60);
      await store().count(short, 5, 1);
      await expect.poll(() => store().count(short, 0, 60_000), { interval: 5 }).toBe(0);
      expect(await store().count(short, 2, 60_000)).toBe(2);
    });
  });

  describe("signals", () => {
    const heard = (from: Store) => {
      const signals: Signal[] = [];
      const stop = from.subscribe((signal) => signals.push(signal));
      return { signals, stop };
    };

    it("tell other workers of new work, steers, stops and settings", async () => {
      const { signals, stop } = heard(other());
      const { session, run } = await running(store());
      await store().steer(session, run.id, { id: `${run.id}s`, text: "also", speaker: { id: "U1", name: "Ann" } });
      await store().requestStop(session, run.id, { by: { id: "U1", name: "Ann" }, at: T0 });
      await store().signal({ kind: "settings" });
      await expect
        .poll(() => signals)
        .toEqual(
          expect.arrayContaining([
            { kind: "wake", session },
            { kind: "steer", run: run.id },
            { kind: "stop", run: run.id },
            { kind: "settings" },
          ]),
        );
      stop();
    });

    it("reach every listener but those that left, even if one throws", async () => {
      const gone = heard(store());
      gone.stop();
      const stopBad = store().subscribe(() => {
        throw new Error("bad listener");
      });
      const { signals, stop } = heard(store());
      await store().signal({ kind: "stop", run: "r1" });
      await expect.poll(() => signals).toContainEqual({ kind: "stop", run: "r1" });
      expect(gone.signals).toEqual([]);
      stopBad();
      stop();
    });
  });

  it("answers a ping", async () => {
    await expect(store().ping()).resolves.toBeUndefined();
  });
}
