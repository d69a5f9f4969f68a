import { type Self, toEdit, toInbound, toMigration, toPress } from "../../../../channels/telegram/inbound.ts";
import type { TgMessage } from "../../../../channels/telegram/wire.ts";

const self: Self = { id: "555", username: "helper_bot" };
const ann = { id: 9, is_bot: false, first_name: "Ann", last_name: "Lee", username: "ann" };
const ours = { id: 555, is_bot: true, first_name: "Helper" };

function inGroup(message: Partial<TgMessage>): TgMessage {
  return { message_id: 5, date: 100, chat: { id: -1001, type: "supergroup", title: "Team" }, from: ann, ...message };
}

function inPrivate(message: Partial<TgMessage>): TgMessage {
  return inGroup({ chat: { id: 9, type: "private" }, ...message });
}

const mention = (text: string, name = "@helper_bot") => ({
  text,
  entities: [{ type: "mention", offset: text.indexOf(name), length: name.length }],
});

describe("toInbound", () => {
  it("carries the facts of a private message", () => {
    expect(toInbound(inPrivate({ text: "hello" }), self)).toEqual({
      id: "telegram:555:9:5",
      at: { channel: "telegram", account: "555", chat: "9" },
      messageId: "5",
      user: { id: "9", name: "Ann Lee" },
      kind: "dm",
      addressed: true,
      text: "hello",
      attachments: [],
      sentAt: 100_000,
    });
  });

  it.each([
    ["@helper_bot do it", "do it"],
    ["please @helper_bot do it", "please do it"],
    ["do it @helper_bot", "do it"],
    ["👍🏽 @helper_bot 日本", "👍🏽 日本"],
    ["@helper_bot, do it", "do it"],
    ["are you there, @helper_bot?", "are you there,?"],
    ["@helper_bot", ""],
  ])("takes our mention out of %j", (text, expected) => {
    const inbound = toInbound(inGroup(mention(text)), self);
    expect(inbound).toMatchObject({ addressed: true, text: expected });
  });

  it("knows our name in any case, and no longer name that begins with it", () => {
    const of = (name: string) => toInbound(inGroup(mention(`hey ${name}`, name)), self);
    expect(of("@HELPER_bot")?.addressed).toBe(true);
    expect(of("@helper_bot2")).toMatchObject({ addressed: false, text: "hey @helper_bot2" });
  });

  it("does not take a name in code or an address for a mention", () => {
    const text = "run @helper_bot";
    const message = inGroup({ text, entities: [{ type: "code", offset: 4, length: 11 }] });
    expect(toInbound(message, self)?.addressed).toBe(false);
  });

  it("sees a mention by display name and in a caption", () => {
    const byName = { text: "Helper check", entities: [{ type: "text_mention", offset: 0, length: 6, user: ours }] };
    expect(toInbound(inGroup(byName), self)).toMatchObject({ addressed: true, text: "check" });
    const { text: caption, entities: caption_entities } = mention("@helper_bot what is this");
    const photo = [
      { file_id: "s", width: 1, height: 1 },
      { file_id: "l", width: 9, height: 9 },
    ];
    const inbound = toInbound(inGroup({ caption, caption_entities, photo }), self);
    expect(inbound).toMatchObject({ addressed: true, text: "what is this" });
    expect(inbound?.attachments).toEqual([{ id: "l", name: "photo-5.jpg", type: "image/jpeg", size: 0, source: "l" }]);
  });

  it("keeps mentions of other people readable", () => {
    const other = { text: "ask Bob", entities: [{ type: "text_mention", offset: 4, length: 3, user: { id: 12 } }] };
    expect(toInbound(inGroup(other), self)).toMatchObject({ addressed: false, text: "ask Bob" });
  });

  const command = (text: string, length = text.split(" ")[0]?.length ?? 0) =>
    inGroup({ text, entities: [{ type: "bot_command", offset: 0, length }] });

  it.each([
    ["/stop@helper_bot now", true, "/stop now"],
    ["/stop@HELPER_BOT", true, "/stop"],
    ["/stop@other_bot", false, "/stop@other_bot"],
    ["/stop", true, "/stop"],
  ])("reads the group command %j", (text, addressed, expected) => {
    expect(toInbound(command(text), self)).toMatchObject({ addressed, text: expected });
  });

  it("does not take a path for a command", () => {
    expect(toInbound(command("/mnt/data is full", 4), self)?.addressed).toBe(false);
  });

  it("is not addressed by a command for another bot, even in a reply to us", () => {
    const message = { ...command("/stop@other_bot"), reply_to_message: inGroup({ message_id: 4, from: ours }) };
    expect(toInbound(message, self)?.addressed).toBe(false);
  });

  it("shows where a link leads", () => {
    const entities = [{ type: "text_link", offset: 4, length: 4, url: "https://ex.test/a" }];
    expect(toInbound(inPrivate({ text: "see this now", entities }), self)?.text).toBe(
      "see this (https://ex.test/a) now",
    );
  });

  it("is addressed by a reply to us, and quotes what others said", () => {
    const own = inGroup({ message_id: 4, from: ours, text: "answer" });
    expect(toInbound(inGroup({ text: "and?", reply_to_message: own }), self)).toEqual(
      expect.objectContaining({ addressed: true, byReply: true, replyTo: "4" }),
    );
    expect(toInbound(inGroup({ text: "and?", reply_to_message: own }), self)?.quoted).toBeUndefined();
    const marked = inGroup({ text: "why?", reply_to_message: own, quote: { text: "swer" } });
    expect(toInbound(marked, self)?.quoted).toBe("swer");
    const other = inGroup({ text: "hm", reply_to_message: inGroup({ message_id: 3, text: "theirs" }) });
    expect(toInbound(other, self)).toMatchObject({ addressed: false, quoted: "theirs", replyTo: "3" });
  });

  it("does not take the message that opened a topic for a reply", () => {
    const root = inGroup({ message_id: 77, from: ours, forum_topic_created: {} });
    const topic = { message_thread_id: 77, is_topic_message: true, reply_to_message: root };
    const inbound = toInbound(inGroup({ text: "chat", ...topic }), self);
    expect(inbound).toMatchObject({ addressed: false, at: { thread: "77" } });
    expect(inbound?.replyTo).toBeUndefined();
  });

  it("quotes forwarded words and what another bot made, and obeys neither", () => {
    const forwarded = { ...mention("@helper_bot /stop"), forward_origin: { type: "user" } };
    expect(toInbound(inGroup(forwarded), self)).toMatchObject({ addressed: false, text: "", quoted: "/stop" });
    const inline = { text: "/stop", via_bot: { id: 70, is_bot: true } };
    expect(toInbound(inPrivate(inline), self)).toMatchObject({ text: "", quoted: "/stop" });
  });

  it.each<[string, TgMessage]>([
    ["another bot", inGroup({ ...mention("@helper_bot x"), from: { id: 77, is_bot: true } })],
    ["ourselves", inGroup({ text: "x", from: ours })],
    ["a channel", inGroup({ text: "x", chat: { id: -1002, type: "channel" } })],
    ["a linked channel", inGroup({ text: "x", is_automatic_forward: true, sender_chat: { id: -1002 } })],
    ["a channel in a group", inGroup({ text: "x", from: { id: 136817688, is_bot: true }, sender_chat: { id: -1002 } })],
    ["a service message", inGroup({})],
  ])("ignores %s", (_, message) => {
    expect(toInbound(message, self)).toBeNull();
  });

  it("hears an anonymous admin under the name of the group", () => {
    const from = { id: 1087968824, is_bot: true, first_name: "Group" };
    const sender_chat = { id: -1001, title: "Team" };
    const inbound = toInbound(inGroup({ ...mention("@helper_bot hi"), from, sender_chat }), self);
    expect(inbound).toMatchObject({ user: { id: "-1001", name: "Team" }, addressed: true });
  });

  it("takes every kind of file", () => {
    const file = (id: string) => ({ file_id: id, file_unique_id: `u${id}`, file_size: 7 });
    const kinds = { document: file("d"), voice: file("v"), audio: file("a"), video: file("m"), video_note: file("n") };
    const found = toInbound(inPrivate(kinds), self)?.attachments.map(({ name, type, source }) => [name, type, source]);
    expect(found).toEqual([
      ["document-5", "application/octet-stream", "d"],
      ["voice-5.ogg", "audio/ogg", "v"],
      ["audio-5.mp3", "audio/mpeg", "a"],
      ["video-5.mp4", "video/mp4", "m"],
      ["video-5.mp4", "video/mp4", "n"],
    ]);
  });
});

describe("the rest", () => {
  it("makes an edit of changed text only", () => {
    expect(toEdit(inPrivate({ text: "new", edit_date: 120 }), self)).toMatchObject({
      inboundId: "telegram:555:9:5",
      text: "new",
      editedAt: 120_000,
    });
    expect(toEdit(inPrivate({ edit_date: 120 }), self)).toBeNull();
    expect(toEdit(inPrivate({ text: "new", from: ours }), self)).toBeNull();
  });

  it("makes a press with the address of its message", () => {
    const message = inGroup({ message_id: 8, message_thread_id: 77, is_topic_message: true, from: ours });
    const press = toPress({ id: "c1", from: ann, data: "stop:r1", message }, { ...self, account: "ops" });
    const at = { channel: "telegram", account: "555", chat: "-1001", thread: "77", bot: "ops" };
    expect(press).toEqual({
      id: "telegram:555:press:c1",
      at,
      user: { id: "9", name: "Ann Lee" },
      token: "stop:r1",
      message: { at, id: "8" },
    });
    expect(toPress({ id: "c1", from: ann, data: "x" }, self)).toBeNull();
  });

  it("reads a migration from either side", () => {
    const from = { channel: "telegram", account: "555", chat: "-5" };
    const to = { ...from, chat: "-1009" };
    const old = inGroup({ chat: { id: -5, type: "group" }, migrate_to_chat_id: -1009 });
    const fresh = inGroup({ chat: { id: -1009, type: "supergroup" }, migrate_from_chat_id: -5 });
    expect(toMigration(old, self)).toEqual({ from, to });
    expect(toMigration(fresh, self)).toEqual({ from, to });
    expect(toMigration(inGroup({ text: "x" }), self)).toBeNull();
  });
});
