/** Contract: what messages, answers, edits, steers and stops do. */
import type { Store } from "../../src/state/store.ts";
import { aChat, approval, parked, question, running, T0, take } from "./store-fixtures.ts";

export function inboundContract(store: () => Store): void {
  describe("a message", () => {
    it("leaves no trace of a chat that was only looked up", async () => {
      const { session } = aChat();
      expect(await store().lookup(session)).toEqual({ session: undefined, active: undefined, queued: 0 });
      expect(await store().queue(session)).toEqual([]);
      expect(await store().run(session, "rnone")).toBeUndefined();
    });

    it("is queued in order, creates the session, and is read back unchanged", async () => {
      const chat = aChat("100.1");
      const first = chat.run("one", { attachments: [], text: '{"n":12345678901234567890} "ü" 🎉' });
      const second = chat.run("two");
      expect(await store().accept(first)).toEqual({ kind: "queued", position: 1 });
      expect(await store().accept(second)).toEqual({ kind: "queued", position: 2 });
      expect(await store().queue(chat.session)).toEqual([first.id, second.id]);
      expect(await store().run(chat.session, first.id)).toEqual(JSON.parse(JSON.stringify(first)));
      const { session, active, queued } = await store().lookup(chat.session);
      expect({ active, queued }).toEqual({ active: undefined, queued: 2 });
      expect(session).toEqual({
        key: chat.session,
        epoch: 0,
        threadId: `${chat.session}#0`,
        overrides: {},
        createdAt: first.queuedAt,
        usedAt: second.queuedAt,
      });
    });

    it("acts once however often it is delivered", async () => {
      const chat = aChat();
      const run = chat.run();
      const results = await Promise.all(Array.from({ length: 10 }, () => store().accept(run)));
      expect(results.filter(({ kind }) => kind === "queued")).toHaveLength(1);
      expect(await store().queue(chat.session)).toEqual([run.id]);
      await store().finish(chat.session, (await take(store(), chat.session)).id, "w1", "done", T0);
      expect(await store().accept(run)).toEqual({ kind: "duplicate" });
      expect(await store().accept({ ...run, id: "rother" })).toEqual({ kind: "duplicate" });
    });

    it("with the same id in another chat is another message", async () => {
      const [here, there] = [aChat(), aChat()];
      const run = here.run();
      await store().accept(run);
      expect(await store().accept({ ...run, session: there.session })).toMatchObject({ kind: "queued" });
    });

    it("that replies to one of ours finds the session of that one", async () => {
      const chat = aChat("5");
      const run = chat.run();
      await store().accept(run);
      const other = `${chat.session.split("/").slice(0, 3).join("/")}/6`;
      const ref = { at: run.inbound.at, id: "m77" };
      await store().remember(ref, chat.session);
      expect((await store().lookup(other, ref)).session?.key).toBe(chat.session);
      expect((await store().lookup(other, { ...ref, at: { ...ref.at, thread: "6" } })).queued).toBe(1);
      expect((await store().lookup(other, { ...ref, id: "m78" })).session).toBeUndefined();
      expect((await store().lookup(other)).session).toBeUndefined();
    });

    it("sees who asked and what is open in an active run", async () => {
      const { session, run } = await parked(store());
      expect((await store().lookup(session)).active).toEqual({
        id: run.id,
        status: "waiting",
        askedBy: "U1",
        question,
      });
    });
  });

  describe("an answer", () => {
    it("is taken once and makes the run go on", async () => {
      const { session, run } = await parked(store());
      const answers = ["a1", "a1", "a2"].map((id) => store().answer(session, run.id, id, approval));
      expect((await Promise.all(answers)).toSorted()).toEqual(["closed", "duplicate", "taken"]);
      expect(await store().waiting(10_000)).toContain(session);
      expect(await take(store(), session)).toMatchObject({
        id: run.id,
        status: "running",
        answer: approval,
        attempt: 1,
      });
    });

    it("to another question, or when nothing waits, is closed and may become a message", async () => {
      const { session, run, chat } = await parked(store());
      const message = chat.run();
      const late = { ...approval, questionId: "q0" };
      expect(await store().answer(session, run.id, message.inbound.id, late)).toBe("closed");
      expect(await store().answer(session, "rnone", message.inbound.id, approval)).toBe("closed");
      expect(await store().accept(message)).toMatchObject({ kind: "queued" });
      const busy = await running(store());
      expect(await store().answer(busy.session, busy.run.id, "a3", approval)).toBe("closed");
    });

    it("is not accepted again as a message", async () => {
      const { session, run, chat } = await parked(store());
      const message = chat.run();
      await store().answer(session, run.id, message.inbound.id, approval);
      expect(await store().accept(message)).toEqual({ kind: "duplicate" });
    });
  });

  describe("an edit", () => {
    const edit = (text: string, editedAt: number) => ({ text, editedAt }) as Parameters<Store["edit"]>[2];

    it("changes a queued message; the newest wins in any order", async () => {
      const chat = aChat();
      const run = chat.run("first");
      await store().accept(run);
      expect(await store().edit(chat.session, run.id, edit("third", 30))).toBe("edited");
      expect(await store().edit(chat.session, run.id, edit("second", 20))).toBe("edited");
      expect((await store().run(chat.session, run.id))?.inbound.text).toBe("third");
      expect((await take(store(), chat.session)).inbound).toEqual({ ...run.inbound, text: "third" });
    });

    it("comes too late for a run that began, and is unknown without one", async () => {
      const { session, run } = await running(store());
      expect(await store().edit(session, run.id, edit("late", 30))).toBe("too_late");
      expect(await store().edit(session, "rnone", edit("?", 30))).toBe("unknown");
      expect((await store().run(session, run.id))?.inbound.text).toBe("hello");
      expect(await store().run(session, "rnone")).toBeUndefined();
    });
  });

  describe("a steer", () => {
    const steer = (id: string) => ({ id, text: `text of ${id}`, speaker: { id: "U2", name: "Bob" } });

    it("is handed out in order until it is acknowledged", async () => {
      const { session, run } = await running(store());
      for (const id of ["s1", "s2", "s3"]) expect(await store().steer(session, run.id, steer(id))).toBe("taken");
      expect(await store().steer(session, run.id, steer("s2"))).toBe("duplicate");
      expect(await store().steers(session, run.id)).toEqual([steer("s1"), steer("s2"), steer("s3")]);
      await store().ackSteers(session, run.id, ["s1", "s3"]);
      await store().ackSteers(session, run.id, []);
      await store().steer(session, run.id, steer("s4"));
      expect(await store().steers(session, run.id)).toEqual([steer("s2"), steer("s4")]);
    });

    it("joins a queued run, and is closed where nothing can take it", async () => {
      const chat = aChat();
      const run = chat.run();
      await store().accept(run);
      expect(await store().steer(chat.session, run.id, steer("s1"))).toBe("taken");
      await take(store(), chat.session);
      expect(await store().steers(chat.session, run.id)).toHaveLength(1);
      const waiting = await parked(store());
      expect(await store().steer(waiting.session, waiting.run.id, steer("s1"))).toBe("closed");
      expect(await store().steer(waiting.session, "rnone", steer("s1"))).toBe("closed");
    });

    it("keeps a run from finishing until it is dealt with", async () => {
      const { session, run, chat } = await running(store());
      const late = chat.run("and this");
      await store().steer(session, run.id, steer(late.inbound.id));
      expect(await store().finish(session, run.id, "w1", "done", T0)).toBe("steered");
      expect((await store().run(session, run.id))?.status).toBe("running");
      expect(await store().accept(late)).toEqual({ kind: "duplicate" });
      await store().ackSteers(session, run.id, [late.inbound.id]);
      expect(await store().finish(session, run.id, "w1", "done", T0)).toBe("finished");
    });
  });

  describe("a stop", () => {
    const by = { by: { id: "U9", name: "Eve" }, at: T0 };

    it("marks a run that is not over, once", async () => {
      const { session, run } = await running(store());
      await store().requestStop(session, run.id, by);
      await store().requestStop(session, run.id, { ...by, at: T0 + 5 });
      expect((await store().run(session, run.id))?.stop).toEqual(by);
      await store().finish(session, run.id, "w1", "stopped", T0);
      const other = await running(store());
      await store().finish(other.session, other.run.id, "w1", "done", T0);
      await store().requestStop(other.session, other.run.id, by);
      expect((await store().run(other.session, other.run.id))?.stop).toBeUndefined();
      await store().requestStop(session, "rnone", by);
      expect(await store().run(session, "rnone")).toBeUndefined();
    });

    it("of a waiting run is carried out by the next lane, should the caller die", async () => {
      const { session, run } = await parked(store());
      await store().requestStop(session, run.id, by);
      expect(await store().waiting(10_000)).toContain(session);
      expect(await take(store(), session)).toMatchObject({ id: run.id, stop: by, attempt: 1 });
    });

    it("that came just before a run parks is not forgotten", async () => {
      const { session, run } = await running(store());
      await store().requestStop(session, run.id, by);
      await store().park(session, run.id, "w1", question);
      expect(await store().waiting(10_000)).toContain(session);
      expect((await take(store(), session, "w2")).stop).toEqual(by);
    });
  });
}
