import type { Inbound } from "../../../channels/channel.ts";
import { openBridge, type TestBridge } from "../../support/bridge.ts";
import { inboundOf } from "../../support/fake-channel.ts";
import { answers, gate } from "../../support/scripted-agent.ts";

let bridge: TestBridge;
afterEach(() => bridge.close());

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 3_000, interval: 5 });
const admin: Partial<Inbound> = { user: { id: "UADMIN", name: "Boss" } };
const open = (slack: object = {}) => openBridge({ slack, rest: { admins: { slack: ["UADMIN"] } } });

/** What the command says; runs under way may add their own messages, so those are left to end first. */
async function tell(text: string, more: Partial<Inbound> = {}): Promise<string> {
  const before = bridge.channel.messages.length;
  await bridge.channel.say(text, more);
  const replies = bridge.channel.messages.slice(before).flatMap(({ history: [content] }) => {
    return content?.kind === "notice" ? [content.text] : [];
  });
  expect(replies.length).toBeGreaterThan(0);
  return replies.at(-1) ?? "";
}

describe("authority", () => {
  it("refuses everybody but admins, politely and on record", async () => {
    bridge = await open();
    expect(await tell("/admin pause all")).toBe("That is for admins only.");
    expect(await tell("/admin grant U1", { user: { id: "U1", name: "UADMIN" } })).toBe("That is for admins only.");
    const audits = await bridge.store.audits(5);
    expect(audits[0]).toMatchObject({ who: "U1", what: "refused: /admin grant" });
    expect(await bridge.store.settings()).toEqual({});
  });

  it("is granted and revoked at run time, but owners stay", async () => {
    bridge = await open();
    expect(await tell("/admin grant U1", admin)).toContain("is an admin");
    expect(await tell("/admin revoke UADMIN")).toContain("owner by the config file");
    expect(await tell("/admin revoke U1")).toContain("no longer an admin");
    expect(await tell("/admin runs")).toBe("That is for admins only.");
  });

  it("refuses ids of another platform", async () => {
    bridge = await open();
    expect(await tell("/admin grant 123456789012345678", admin)).toContain("user id of slack");
    expect(await tell("/admin policy set -1001234 respond all", admin)).toContain(
      "neither a policy key nor a chat id of slack",
    );
  });

  it("reads ids through invisible characters", async () => {
    bridge = await open();
    await tell("/admin grant \u200bU1\u200d", admin);
    expect(bridge.core.settings.isAdmin("slack", "U1")).toBe(true);
  });

  it("works only where the config lets it", async () => {
    bridge = await open({ admin_commands: "dm" });
    expect(await tell("/admin runs", admin)).toContain("do not work in this chat");
    expect(await tell("/admin runs", { ...admin, kind: "dm" })).toBe("Nothing is running.");
  });

  it("is not given by forwarded or quoted text, nor by an edit", async () => {
    bridge = await open();
    const inbound = await bridge.channel.say("look at this", { ...admin, quoted: "/admin pause all" });
    await bridge.core.door.edited({
      at: inbound.at,
      messageId: inbound.messageId,
      inboundId: inbound.id,
      user: inbound.user,
      text: "/admin pause all",
      editedAt: 9,
    });
    await bridge.core.lanes.idle();
    expect(await bridge.store.settings()).toEqual({});
  });
});

describe("policy at run time", () => {
  it("is set, shown with its layer, applied to the next message, and removed", async () => {
    bridge = await open();
    expect(await tell("/admin policy set is_plan_mode true", admin)).toContain("unset → true");
    expect(await tell("/admin policy show", admin)).toContain("session.context.is_plan_mode = true (admin)");
    await bridge.channel.say("do it");
    await until(() => expect(bridge.agent.requests[0]?.context.is_plan_mode).toBe(true));
    expect(await tell("/admin policy unset is_plan_mode", admin)).toContain("true → unset");
    expect(await tell("/policy")).toContain("session.context.is_plan_mode = false (built-in)");
  });

  it("is validated with the config's own schema", async () => {
    bridge = await open();
    expect(await tell("/admin policy set is_plan_mode maybe", admin)).toContain("must be true, false or auto");
    expect(await tell("/admin policy set respnd all", admin)).toMatch(/neither a policy key|Name a key/);
    expect(await tell("/admin policy set respond", admin)).toContain("a value is missing");
    expect(await bridge.store.settings()).toEqual({});
  });

  it("takes one id for a list of one, and smart quotes", async () => {
    bridge = await open();
    expect(await tell("/admin policy set allowed_users U1", admin)).toContain('["U1"]');
    expect(await tell("/admin policy set allowed_users “[U1, U2]”", admin)).toContain('["U1","U2"]');
  });

  it("can be set for another chat by its id", async () => {
    bridge = await open();
    await tell("/admin policy set C0777 respond all", admin);
    await bridge.channel.say("no mention", {
      addressed: false,
      at: { channel: "slack", account: "T1", chat: "C0777", thread: "5.5" },
    });
    await until(() => expect(bridge.agent.requests).toHaveLength(1));
    expect(await tell("/admin policy export", admin)).toContain("C0777");
  });

  it("tells both admins when they change the same key within a minute; the last one counts", async () => {
    bridge = await open();
    await tell("/admin grant U2", admin);
    await tell("/admin policy set respond all", admin);
    const elsewhere = { channel: "slack", account: "T1", chat: "C2", thread: "7.7" } as const;
    expect(await tell("/admin policy set C1 respond never", { user: { id: "U2", name: "" }, at: elsewhere })).toContain(
      "UADMIN set a moment ago",
    );
    const told = bridge.channel.messages.filter((message) => message.ref.at.chat === "C1").at(-1)?.history[0];
    expect(told && "text" in told ? told.text : "").toContain("U2 has just changed respond");
    expect(bridge.core.settings.policy("slack/T1/C1")).toEqual({ respond: "never" });
  });

  it("says where settings contradict each other", async () => {
    bridge = await open();
    await tell("/admin policy set tools.deny [shell]", admin);
    expect(await tell("/admin policy set tools.allow [shell, ls]", admin)).toContain("both allowed and denied");
  });
});

describe("access at run time", () => {
  it("lets one person in, or out, here or everywhere", async () => {
    bridge = await open({ allowed_users: ["U2"] });
    await tell("/admin allow U1", admin);
    await bridge.channel.say("hi");
    await until(() => expect(bridge.agent.requests).toHaveLength(1));
    await tell("/admin deny U2 everywhere", admin);
    await bridge.channel.say("hi", { user: { id: "U2", name: "" } });
    await bridge.core.lanes.idle();
    expect(bridge.agent.requests).toHaveLength(1);
    expect(await tell("/admin list", admin)).toMatch(/U1: allow[\s\S]*U2: deny|U2: deny[\s\S]*U1: allow/);
  });

  it("pairs a stranger by a one-time code", async () => {
    bridge = await open({ allowed_users: [], pairing: "code" });
    const hello = await tell("hi", { kind: "dm" });
    const code = /\/admin pair ([A-Z0-9]{8})/.exec(hello)?.[1] ?? "";
    expect(await tell(`/admin pair ${code.toLowerCase()}`, admin)).toContain("U1 may talk to me");
    expect(await tell(`/admin pair ${code}`, admin)).toContain("unknown or older");
    await bridge.channel.say("hi again", { kind: "dm" });
    await until(() => expect(bridge.agent.requests).toHaveLength(1));
  });
});

describe("runs from afar", () => {
  it("are listed and stopped by an admin from another chat", async () => {
    bridge = await open();
    const work = gate();
    bridge.agent.script(work.script);
    await bridge.channel.say("long work");
    await work.begun;
    const elsewhere = { ...admin, at: { channel: "slack", account: "T1", chat: "C2", thread: "7.7" } as const };
    const id = /`(r[a-z0-9]+)`/.exec(await tell("/admin runs", elsewhere))?.[1];
    expect(id).toBeDefined();
    await bridge.channel.say(`/admin stop ${id}`, elsewhere);
    await until(() => expect(bridge.channel.texts()).toContain("Stopped."));
  });

  it("wait while a chat or everything is paused, and nothing is taken meanwhile", async () => {
    bridge = await open();
    await tell("/admin pause", admin);
    expect(await tell("do it")).toContain("paused");
    await tell("/admin resume", admin);
    await bridge.channel.say("do it");
    await until(() => expect(bridge.agent.requests).toHaveLength(1));
  });
});

describe("the audit log", () => {
  it("holds who, where, what, old and new", async () => {
    bridge = await open();
    await tell("/admin policy set respond all", admin);
    await tell("/admin policy set respond never", admin);
    const [entry] = await bridge.store.audits(1);
    expect(entry).toMatchObject({
      who: "UADMIN",
      where: "slack/T1/C1",
      what: "policy slack/T1/C1 respond",
      old: "all",
      new: "never",
    });
    expect(await tell("/admin audit 1", admin)).toContain('"all" → "never"');
  });
});

describe("commands", () => {
  it("suggest the nearest when misspelt, and leave paths and skills to the agent", async () => {
    bridge = await open();
    expect(await tell("/stauts")).toContain("Did you mean `/status`?");
    bridge.agent.script(answers("from the agent"));
    await bridge.channel.say("/mnt/data is full");
    await bridge.channel.say("/weekly-report for May");
    await until(() =>
      expect(bridge.agent.requests.map((r) => r.input.text)).toEqual(["/mnt/data is full", "/weekly-report for May"]),
    );
  });

  it("answer while a run is busy", async () => {
    bridge = await open();
    const work = gate();
    bridge.agent.script(work.script);
    await bridge.channel.say("long work");
    await work.begun;
    expect(await tell("/status")).toMatch(/Working/);
    expect(await tell("/help")).not.toContain("/admin");
    expect(await tell("/help", admin)).toContain("/admin");
  });

  it("act once when delivered twice", async () => {
    bridge = await open();
    const twin = inboundOf("/new");
    await Promise.all([bridge.core.door.accept(twin), bridge.core.door.accept(twin)]);
    expect(bridge.channel.texts()).toHaveLength(1);
  });

  it("list and drop what waits", async () => {
    bridge = await open();
    const work = gate();
    bridge.agent.script(work.script, answers("second"));
    await bridge.channel.say("first");
    await work.begun;
    await bridge.channel.say("alpha");
    await bridge.channel.say("beta");
    expect(await tell("/queue")).toBe("1. alpha\n2. beta");
    expect(await tell("/queue drop 1")).toBe("Dropped.");
    work.open();
    await until(() => expect(bridge.channel.texts()).toContain("second"));
    expect(bridge.agent.requests.map((request) => request.input.text)).toEqual(["first", "beta"]);
  });
});
