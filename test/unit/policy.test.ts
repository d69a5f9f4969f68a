import type { Address, User } from "../../channels/channel.ts";
import { config as schema } from "../../config/schema.ts";
import { accessOf, isAdmin, matches, mayApprove, quietUntil, resolvePolicy, respondsTo } from "../../src/policy.ts";
import { chatKey } from "../../src/sessions.ts";
import { settingKey, settingsOf } from "../../src/settings.ts";

const at: Address = { channel: "slack", account: "T1", chat: "C1", thread: "1.1" };
const user: User = { id: "U1", name: "Ann" };
const none = settingsOf({});

function configOf(slack: object, rest: object = {}) {
  return schema.parse({ channels: { slack: { enabled: true, allowed_users: ["*"], ...slack } }, ...rest });
}

const planOf = (mode: unknown) => ({ session: { context: { is_plan_mode: mode } } });

describe("layers", () => {
  it("come from the built-in defaults when nothing is set", () => {
    const policy = resolvePolicy(schema.parse({}), none, { at });
    expect(policy.context).toMatchObject({ is_plan_mode: false, plan_approval: "never", max_concurrent_subagents: 3 });
    expect(policy.allowedUsers).toEqual([]);
  });

  it("override each other from the channel down to this one message", () => {
    const config = configOf({ ...planOf("auto"), chats: { C1: planOf(true) }, users: { U1: planOf(false) } });
    const mode = (place: object) => resolvePolicy(config, none, { at, ...place }).context.is_plan_mode;
    expect(mode({ at: { ...at, chat: "C9" } })).toBe("auto");
    expect(mode({})).toBe(true);
    expect(mode({ user })).toBe(false);
    const settings = settingsOf({ [settingKey.policy(chatKey(at), "session.context.is_plan_mode")]: "auto" });
    expect(resolvePolicy(config, settings, { at, user }).context.is_plan_mode).toBe("auto");
    const session = { is_plan_mode: true } as const;
    expect(resolvePolicy(config, settings, { at, user, session }).context.is_plan_mode).toBe(true);
    expect(
      resolvePolicy(config, settings, { at, user, session, once: { is_plan_mode: false } }).context.is_plan_mode,
    ).toBe(false);
  });

  it("merge key by key: one key set in a chat leaves the channel's others", () => {
    const config = configOf({
      session: { context: { is_plan_mode: true, plan_approval: "always" } },
      chats: { C1: { session: { context: { plan_approval: "never" } } } },
    });
    expect(resolvePolicy(config, none, { at }).context).toMatchObject({ is_plan_mode: true, plan_approval: "never" });
  });

  it("inherit where a layer says null", () => {
    const config = configOf({ ...planOf(true), chats: { C1: planOf(null) } });
    expect(resolvePolicy(config, none, { at }).context.is_plan_mode).toBe(true);
  });

  it("name where each value came from", () => {
    const config = configOf({ chats: { "C*": { respond: "all" } } });
    const from = (path: string) => resolvePolicy(config, none, { at }).explain.find((e) => e.path === path)?.from;
    expect(from("respond")).toBe("channels.slack.chats.C*");
    expect(from("session.context.is_plan_mode")).toBe("built-in");
    expect(from("allowed_users")).toBe("channels.slack");
  });

  it("let an exact chat beat a wildcard, and a long wildcard a short one", () => {
    const chats = { "*": { respond: "never" }, "C1*": { respond: "mention" }, C12: { respond: "all" } };
    const respond = (chat: string) => resolvePolicy(configOf({ chats }), none, { at: { ...at, chat } }).respond;
    expect([respond("D1"), respond("C13"), respond("C12")]).toEqual(["never", "mention", "all"]);
  });

  it("keep a pinned plan mode against the session's own, not against an admin", () => {
    const config = configOf({ chats: { C1: { session: { pinned: true, context: { is_plan_mode: true } } } } });
    const session = { is_plan_mode: false } as const;
    expect(resolvePolicy(config, none, { at, session }).context.is_plan_mode).toBe(true);
    const settings = settingsOf({ [settingKey.policy(chatKey(at), "session.context.is_plan_mode")]: false });
    expect(resolvePolicy(config, settings, { at }).context.is_plan_mode).toBe(false);
  });

  it("resolve with 500 chats set at run time", () => {
    const values = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [settingKey.policy(chatKey({ ...at, chat: `C${n}` }), "respond"), "all"]),
    );
    const settings = settingsOf({
      ...values,
      [settingKey.policy(chatKey({ ...at, chat: "C77" }), "respond")]: "never",
    });
    const respond = (chat: string) => resolvePolicy(configOf({}), settings, { at: { ...at, chat } }).respond;
    expect([respond("C77"), respond("C78"), respond("C500")]).toEqual(["never", "all", "mention"]);
  });
});

it.each([
  ["C1", "C1", true],
  ["C*", "C1", true],
  ["*", "anything", true],
  ["C1", "C12", false],
  ["a.c", "abc", false],
])("pattern %s against %s is %s", (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

describe("access", () => {
  const ask = (slack: object, settings = none, who: User = user, kind: "dm" | "group" = "group") => {
    const config = configOf(slack, { admins: { slack: ["U999"] } });
    return accessOf({
      config,
      settings,
      policy: resolvePolicy(config, settings, { at, user: who }),
      at,
      kind,
      user: who,
    });
  };

  it("is closed when the list is empty", () => {
    expect(ask({ allowed_users: [] })).toBe("not_listed");
  });

  it("opens for everyone only by the explicit star", () => {
    expect(ask({ allowed_users: ["*"] })).toBe("allowed");
    expect(ask({ allowed_users: ["U2"] })).toBe("not_listed");
  });

  it("opens by role when no user is listed", () => {
    const slack = { allowed_users: [], allowed_roles: ["R1"] };
    expect(ask(slack, none, { ...user, roles: ["R1"] })).toBe("allowed");
    expect(ask(slack, none, { ...user, roles: [] })).toBe("not_listed");
  });

  it("ignores groups that nobody named when groups are denied", () => {
    expect(ask({ groups: "deny" })).toBe("unknown_group");
    expect(ask({ groups: "deny", chats: { C1: {} } })).toBe("allowed");
    expect(ask({ groups: "deny" }, none, user, "dm")).toBe("allowed");
  });

  it("lets a run-time denial win over the list, but not over admins", () => {
    const denied = settingsOf({
      [settingKey.ruling(chatKey(at), "U1")]: "deny",
      [settingKey.ruling("slack", "U999")]: "deny",
    });
    expect(ask({}, denied)).toBe("denied");
    expect(ask({}, denied, { id: "U999", name: "Boss" })).toBe("allowed");
  });

  it("knows admins by id, never by name", () => {
    const config = configOf({}, { admins: { slack: ["U999"] } });
    expect(isAdmin(config, none, at, { id: "U1", name: "U999" })).toBe(false);
    expect(isAdmin(config, none, at, { id: "U999", name: "x" })).toBe(true);
    expect(isAdmin(config, none, { ...at, channel: "discord" }, { id: "U999", name: "x" })).toBe(false);
    expect(isAdmin(config, settingsOf({ [settingKey.admin("slack", "U1")]: true }), at, user)).toBe(true);
  });
});

describe("whether to answer", () => {
  const policy = (slack: object) => resolvePolicy(configOf(slack), none, { at });
  const facts = { kind: "group", addressed: false, known: false, inThread: true } as const;

  it("answers mentions, and threads it works in", () => {
    expect(respondsTo(policy({}), facts)).toBe(false);
    expect(respondsTo(policy({}), { ...facts, addressed: true })).toBe(true);
    expect(respondsTo(policy({}), { ...facts, known: true })).toBe(true);
    expect(respondsTo(policy({ follow_threads: false }), { ...facts, known: true })).toBe(false);
    expect(respondsTo(policy({}), { ...facts, known: true, inThread: false })).toBe(false);
  });

  it("answers everything or nothing when told so, and direct messages always", () => {
    expect(respondsTo(policy({ respond: "all" }), facts)).toBe(true);
    expect(respondsTo(policy({ respond: "never" }), { ...facts, addressed: true })).toBe(false);
    expect(respondsTo(policy({ respond: "never" }), { ...facts, kind: "dm" })).toBe(true);
  });
});

describe("quiet hours", () => {
  const policy = resolvePolicy(
    configOf({ quiet_hours: { from: "22:00", to: "07:30", timezone: "Asia/Shanghai" } }),
    none,
    { at },
  );
  it("span midnight in their own time zone", () => {
    expect(quietUntil(policy, Date.parse("2026-12-01T15:00:00Z"))).toBe("07:30 Asia/Shanghai");
    expect(quietUntil(policy, Date.parse("2026-12-01T23:29:00Z"))).toBe("07:30 Asia/Shanghai");
    expect(quietUntil(policy, Date.parse("2026-12-01T23:30:00Z"))).toBeUndefined();
  });
});

it("lets the asker and admins approve, others by policy", () => {
  const policy = (approvers: string) => resolvePolicy(configOf({ approvers }), none, { at });
  const other = { id: "U2", name: "Bob" };
  expect(mayApprove(policy("asker"), false, "U1", user)).toBe(true);
  expect(mayApprove(policy("asker"), false, "U1", other)).toBe(false);
  expect(mayApprove(policy("asker"), true, "U1", other)).toBe(true);
  expect(mayApprove(policy("admins"), false, "U1", user)).toBe(false);
  expect(mayApprove(policy("anyone"), false, "U1", other)).toBe(true);
});
