import type { Address } from "../../channels/channel.ts";
import { addressOf, chatKey, runId, sessionKey, userKey } from "../../src/sessions.ts";

const slack = (chat: string, thread?: string): Address => ({ channel: "slack", account: "T1", chat, thread });

describe("session keys", () => {
  it("keeps equal ids of different workspaces, chats and threads apart", () => {
    const keys = [
      sessionKey(slack("C1", "1.1"), "thread", "U1"),
      sessionKey(slack("C1", "1.2"), "thread", "U1"),
      sessionKey(slack("C2", "1.1"), "thread", "U1"),
      sessionKey({ ...slack("C1", "1.1"), account: "T2" }, "thread", "U1"),
      sessionKey({ ...slack("C1", "1.1"), bot: "second" }, "thread", "U1"),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("cannot be forged by separators inside an id", () => {
    expect(sessionKey(slack("a/b", "c"), "thread", "U")).not.toBe(sessionKey(slack("a", "b/c"), "thread", "U"));
    expect(chatKey(slack("a:b"))).not.toContain(":");
  });

  it("follows the scope", () => {
    const at = slack("C1", "1.1");
    expect(sessionKey(at, "chat", "U1")).toBe("slack/T1/C1");
    expect(sessionKey(at, "thread", "U1")).toBe("slack/T1/C1/1.1");
    expect(sessionKey(at, "user", "U1")).not.toBe(sessionKey(at, "user", "U2"));
  });

  it("gives the chat back", () => {
    const at: Address = { channel: "telegram", account: "9", chat: "-100/ä:1", bot: "b~x" };
    expect(addressOf(chatKey(at))).toEqual(at);
  });
});

describe("run ids", () => {
  it("are the same for a redelivery and fit a button token", () => {
    expect(runId("slack/T1/C1/1.1")).toBe(runId("slack/T1/C1/1.1"));
    expect(runId("slack/T1/C1/1.1")).not.toBe(runId("slack/T1/C1/1.2"));
    expect(runId("x")).toMatch(/^r[a-z0-9]{15}$/);
  });
});

it("does not share a user key between platforms", () => {
  expect(userKey(slack("C1"), "1")).not.toBe(userKey({ channel: "telegram", account: "1", chat: "1" }, "1"));
});
