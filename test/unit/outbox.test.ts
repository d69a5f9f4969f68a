import type { Content } from "../../channels/channel.ts";
import { createOutbox } from "../../src/outbox.ts";
import { settingsOf } from "../../src/settings.ts";
import { createFakeChannel, type FakeChannel } from "../support/fake-channel.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const at = { channel: "slack", account: "T1", chat: "C1" } as const;
const text = (t: string): Content => ({ kind: "notice", text: t });

function setUp(channel: FakeChannel, options: { patienceMs?: number; onAuthFailure?: () => void } = {}) {
  return createOutbox({
    channel: () => channel,
    store: { take: async () => 0 },
    settings: settingsOf({}),
    log: silent,
    now: Date.now,
    ...options,
  });
}

describe("the outbox", () => {
  it("evaluates the content when the request goes out, so a waited-for edit shows the newest", async () => {
    const channel = createFakeChannel();
    const outbox = setUp(channel);
    const ref = await outbox.post(at, () => text("0"));
    channel.refuse("edit", { code: "rate_limited", message: "wait", retryAfterMs: 50 });
    let newest = "old";
    const edit = outbox.edit(ref, () => text(newest));
    newest = "new";
    await edit;
    expect(channel.texts()).toEqual(["new"]);
  });

  it("sends nothing else to a chat while the platform asks to wait", async () => {
    const channel = createFakeChannel();
    channel.pacing = [{ key: "k", burst: 100, perMs: 1 }];
    const outbox = setUp(channel);
    channel.refuse("post", { code: "rate_limited", message: "wait", retryAfterMs: 80 });
    const begun = Date.now();
    const first = outbox.post(at, () => text("a"));
    await new Promise(setImmediate);
    await Promise.all([first, outbox.post(at, () => text("b"))]);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(75);
    expect(channel.messages).toHaveLength(2);
  });

  it("tries again when the platform cannot be reached, and gives up after its patience", async () => {
    const channel = createFakeChannel();
    channel.refuse("post", { code: "unavailable", message: "503" });
    await setUp(channel).post(at, () => text("a"));
    expect(channel.texts()).toEqual(["a"]);
    channel.refuse("post", { code: "unavailable", message: "503" }, 9);
    await expect(setUp(channel, { patienceMs: 100 }).post(at, () => text("b"))).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("does not repeat what was refused for good", async () => {
    const channel = createFakeChannel();
    channel.refuse("post", { code: "chat_gone", message: "kicked" });
    await expect(setUp(channel).post(at, () => text("a"))).rejects.toMatchObject({ code: "chat_gone" });
    expect(channel.messages).toEqual([]);
  });

  it("takes an edit that changes nothing for a success", async () => {
    const channel = createFakeChannel();
    const outbox = setUp(channel);
    const ref = await outbox.post(at, () => text("a"));
    channel.refuse("edit", { code: "unchanged", message: "same" });
    await expect(outbox.edit(ref, () => text("a"))).resolves.toBeUndefined();
  });

  it("tells that a token was refused", async () => {
    const channel = createFakeChannel();
    const failed = vi.fn();
    channel.refuse("post", { code: "auth", message: "invalid_auth" });
    await expect(setUp(channel, { onAuthFailure: failed }).post(at, () => text("a"))).rejects.toMatchObject({
      code: "auth",
    });
    expect(failed).toHaveBeenCalledOnce();
  });

  it("lets an answer pass the progress that waits", async () => {
    const channel = createFakeChannel();
    channel.slow(20);
    const outbox = setUp(channel);
    const answer = outbox.post(at, () => text("answer"));
    const progress = outbox.post(at, () => text("progress"), { urgency: "progress" });
    await Promise.all([answer, progress]);
    expect(channel.texts()).toEqual(["answer", "progress"]);
  });

  it("stops waiting when told to", async () => {
    const channel = createFakeChannel();
    channel.refuse("post", { code: "rate_limited", message: "wait", retryAfterMs: 60_000 });
    const control = new AbortController();
    const post = setUp(channel).post(at, () => text("a"), { signal: control.signal });
    await new Promise(setImmediate);
    control.abort(new Error("enough"));
    await expect(post).rejects.toThrow("enough");
  });

  it("sends to where a migrated chat lives now", async () => {
    const channel = createFakeChannel();
    const alias = { from: "C1", to: "C2", fromKey: "slack/T1/C1" };
    const outbox = createOutbox({
      channel: () => channel,
      store: { take: async () => 0 },
      settings: settingsOf({ "alias:slack/T1/C2": alias }),
      log: silent,
      now: Date.now,
    });
    const ref = await outbox.post(at, () => text("a"));
    expect(ref.at.chat).toBe("C2");
  });
});
