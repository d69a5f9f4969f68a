import { describe, expect, it } from "vitest";
import { type Self, toCommand, toEdit, toInbound, toPress } from "../../../../channels/slack/inbound.ts";
import type { RawMessage } from "../../../../channels/slack/raw.ts";

const self: Self = { userId: "U0BOT", botId: "B0BOT", team: "T1" };
const names = (id: string) => ({ U1: "Ann", U2: "Ben" })[id];
const message = (more: Partial<RawMessage> = {}): RawMessage => ({
  type: "message",
  channel_type: "channel",
  channel: "C1",
  user: "U1",
  ts: "100.000100",
  text: "hi",
  ...more,
});
const read = (more: Partial<RawMessage>) => toInbound({ team_id: "T1", event: message(more) }, self, names);
const textOf = (text: string) => read({ text })?.text;

describe("addresses of Slack messages", () => {
  it.each([
    [{}, "100.000100"],
    [{ thread_ts: "90.1" }, "90.1"],
    [{ channel: "D1", channel_type: "im" }, undefined],
    [{ channel: "D1", channel_type: "im", thread_ts: "90.1" }, "90.1"],
    [{ channel: "G1", channel_type: "mpim" }, "100.000100"],
    [{ channel: "C9", channel_type: "group", thread_ts: "90.1" }, "90.1"],
  ])("gives %o the thread %s", (more, thread) => {
    expect(read(more)?.at.thread).toBe(thread);
  });

  it("tells workspaces, channels and accounts apart", () => {
    const ids = [
      toInbound({ team_id: "T1", event: message() }, self)?.id,
      toInbound({ team_id: "T2", event: message() }, self)?.id,
      read({ channel: "C2" })?.id,
      toInbound({ team_id: "T1", event: message() }, { ...self, bot: "ops" })?.id,
    ];
    expect(new Set(ids).size).toBe(4);
  });
});

describe("whom a Slack message addresses", () => {
  it.each([
    [{ text: "hi" }, false],
    [{ text: "<@U0BOT> hi" }, true],
    [{ text: "what does <@U0BOT|planbridge> say?" }, true],
    [{ text: "<@U0BOTX> hi" }, false],
    [{ text: "hi", thread_ts: "90.1" }, false],
    [{ text: "hi", channel: "D1", channel_type: "im" }, true],
    [{ type: "app_mention", text: "no mention at all" }, false],
    [{ text: "look", attachments: [{ is_share: true, text: "<@U0BOT> old" }] }, false],
  ])("takes %o as addressed: %s", (more, addressed) => {
    expect(read(more)?.addressed).toBe(addressed);
  });
});

describe("what is no person's message", () => {
  it.each([
    [{ user: null }],
    [{ user: "U0BOT" }],
    [{ user: "USLACKBOT" }],
    [{ bot_id: "B0OTHER" }],
    [{ bot_profile: { app_id: "A9" } }],
    [{ subtype: "bot_message" }],
    [{ subtype: "channel_join" }],
    [{ subtype: "message_deleted" }],
    [{ subtype: "message_replied" }],
    [{ subtype: "tombstone" }],
    [{ hidden: true }],
    [{ type: "reaction_added" }],
    [{ text: "  " }],
  ])("drops %o", (more) => {
    expect(read(more)).toBeUndefined();
  });

  it.each(["file_share", "thread_broadcast", "me_message"])("keeps the subtype %s", (subtype) => {
    expect(read({ subtype })?.text).toBe("hi");
  });

  it("keeps a bare mention, which asks for help", () => {
    expect(read({ text: "<@U0BOT>" })).toMatchObject({ text: "", addressed: true });
  });
});

describe("text of a Slack message", () => {
  it.each([
    ["<@U0BOT> plan it", "plan it"],
    ["<@U0BOT>: plan it", "plan it"],
    ["plan it, <@U0BOT>", "plan it,"],
    ["hey <@U0BOT|planbridge> plan it", "hey plan it"],
    ["can you, <@U0BOT>, help", "can you, help"],
    ["one\n<@U0BOT> two", "one\ntwo"],
    ["<@U0BOT> <@U0BOT> /help", "/help"],
    ["<@U2> /help", "@Ben /help"],
    ["<@U9> and <@U8|cleo>", "@U9 and @cleo"],
    ["a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"],
    ["&amp;lt;", "&lt;"],
    ["<https://ex.test/?a=1&amp;b=2>", "https://ex.test/?a=1&b=2"],
    ["<https://ex.test|ex.test> <https://ex.test/x|the page>", "https://ex.test the page (https://ex.test/x)"],
    ["<mailto:ann@ex.test|ann@ex.test>", "ann@ex.test"],
    ["<#C1|general> <#C2|> <!here> <!subteam^S1|@ops>", "#general #C2 @here @ops"],
    ["<!date^1700000000^{date}|14 Nov>", "14 Nov"],
    ["    indented\n        more", "indented\n        more"],
    ["broken \ud800 pair", "broken \ufffd pair"],
  ])("reads %j as %j", (raw, text) => {
    expect(textOf(raw)).toBe(text);
  });

  it("reads a hundred thousand spaces or brackets in no time", () => {
    const before = performance.now();
    textOf(`<@U0BOT>${" ".repeat(100_000)}x`);
    textOf("<".repeat(100_000));
    textOf("<@U0BOT> ".repeat(10_000));
    expect(performance.now() - before).toBeLessThan(500);
  });

  it("reads the rich text block when there is no text, or Slack cut it", () => {
    const section = (elements: object[]) => [
      { type: "rich_text", elements: [{ type: "rich_text_section", elements }] },
    ];
    const blocks = section([
      { type: "user", user_id: "U0BOT" },
      { type: "text", text: " compare a<b " },
      { type: "link", url: "https://ex.test", text: "here" },
      { type: "emoji", name: "wave" },
    ]);
    expect(read({ text: "", blocks })).toMatchObject({
      text: "compare a<b here (https://ex.test):wave:",
      addressed: true,
    });
    const whole = "word ".repeat(2000).trim();
    expect(read({ text: whole.slice(0, 4000), blocks: section([{ type: "text", text: whole }]) })?.text).toBe(whole);
  });
});

describe("what comes with a Slack message", () => {
  it("keeps forwarded text apart as a quotation", () => {
    const attachments = [{ is_share: true, author_name: "Ben", text: "/stop &amp; <@U2>" }, { text: "a link preview" }];
    const inbound = read({ text: "<@U0BOT> what is this?", attachments });
    expect(inbound).toMatchObject({ text: "what is this?", quoted: "Ben: /stop & @Ben" });
  });

  it("lists files, those of forwarded messages too, without deleted ones", () => {
    const file = { id: "F1", name: "a.txt", mimetype: "text/plain", size: 3, url_private_download: "https://f/1" };
    const shared = { is_share: true, text: "", files: [{ id: "F2", url_private: "https://f/2" }] };
    const inbound = read({ text: "", files: [file, { id: "F3", mode: "tombstone" }], attachments: [shared] });
    expect(inbound?.attachments).toEqual([
      { id: "F1", name: "a.txt", type: "text/plain", size: 3, source: "https://f/1" },
      { id: "F2", name: "F2", type: "application/octet-stream", size: 0, source: "https://f/2" },
    ]);
  });
});

describe("edits in Slack", () => {
  const changed = (now: Partial<RawMessage>, before?: Partial<RawMessage>) =>
    toEdit(
      {
        team_id: "T1",
        event: {
          type: "message",
          subtype: "message_changed",
          hidden: true,
          channel: "C1",
          channel_type: "channel",
          ts: "101.0",
          message: message(now),
          ...(before ? { previous_message: message(before) } : {}),
        },
      },
      self,
      names,
    );

  it("reports changed text with the id of the message and the time of the edit", () => {
    expect(changed({ text: "<@U0BOT> new", edited: { ts: "200.5" } }, { text: "<@U0BOT> old" })).toEqual({
      at: { channel: "slack", account: "T1", chat: "C1", thread: "100.000100" },
      messageId: "100.000100",
      inboundId: "slack/T1/C1/100.000100",
      user: { id: "U1", name: "Ann" },
      text: "new",
      editedAt: 200_500,
    });
  });

  it.each([
    [
      "a link preview",
      { text: "see <https://ex.test>", attachments: [{ text: "Ex" }] },
      { text: "see <https://ex.test>" },
    ],
    ["a link that Slack labelled", { text: "<http://ex.test|ex.test>" }, { text: "<http://ex.test>" }],
    ["our own message", { text: "new", user: "U0BOT" }, { text: "old", user: "U0BOT" }],
    ["another bot's message", { text: "new", bot_id: "B9" }, { text: "old", bot_id: "B9" }],
    ["a deleted message's tombstone", { text: "deleted", subtype: "tombstone" }, { text: "old" }],
  ])("reports nothing for %s", (_, now, before) => {
    expect(changed(now, before)).toBeUndefined();
  });

  it("needs Slack's mark of an edit when the earlier text is not told", () => {
    expect(changed({ text: "new" })).toBeUndefined();
    expect(changed({ text: "new", edited: { ts: "200.5" } })?.text).toBe("new");
  });
});

describe("Slack's commands and buttons", () => {
  const command = (text: string) =>
    toCommand({ team_id: "T1", channel_id: "C1", user_id: "U1", trigger_id: "t.1", text }, self, 5);

  it.each([
    ["", "help", ""],
    ["stop", "stop", ""],
    ["Plan  the &amp; trip\nto Rome", "plan", "the & trip\nto Rome"],
  ])("reads %j", (text, name, args) => {
    expect(command(text)).toMatchObject({ command: { name, args }, kind: "group", addressed: true, sentAt: 5 });
  });

  it("gives a button in a thread the address of that thread", () => {
    const body = {
      team: { id: "T1" },
      user: { id: "U1", name: "ann" },
      channel: { id: "C1" },
      message: { ts: "100.1", thread_ts: "90.1" },
      actions: [{ type: "button", value: "tok", action_ts: "101.2" }],
    };
    expect(toPress(body, self)).toEqual({
      id: "slack/T1/C1/100.1/101.2",
      at: { channel: "slack", account: "T1", chat: "C1", thread: "90.1" },
      user: { id: "U1", name: "ann" },
      token: "tok",
      message: { at: { channel: "slack", account: "T1", chat: "C1", thread: "90.1" }, id: "100.1" },
    });
    expect(toPress({ ...body, team: null, user: { id: "U1", team_id: "T7" } }, self)?.at.account).toBe("T7");
    expect(toPress({ ...body, actions: [] }, self)).toBeUndefined();
  });
});
