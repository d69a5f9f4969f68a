import { ChannelType } from "discord.js";
import { type Self, toCommand, toEdit, toInbound, toPress } from "../../../../channels/discord/inbound.ts";
import type { RawInteraction, RawMessage } from "../../../../channels/discord/raw.ts";

const US = "900";
const self: Self = {
  selfId: US,
  selfRoles: ["77"],
  role: (id) => ({ "77": "planbridge", "78": "crew" })[id],
  channel: (id) => ({ "10": "general" })[id],
};
const room = { id: "10", type: ChannelType.GuildText };
const thread = { id: "20", type: ChannelType.PublicThread, parent_id: "10" };
const alice = { id: "7", username: "alice", global_name: "Alice" };

function message(more: Partial<RawMessage> = {}): RawMessage {
  return {
    id: "20",
    channel_id: "10",
    guild_id: "1",
    type: 0,
    author: alice,
    content: "hello",
    mentions: [],
    timestamp: "2026-12-01T10:00:00.000000+00:00",
    ...more,
  };
}

const mention = { mentions: [{ id: US, username: "planbridge" }] };

describe("toInbound", () => {
  it("builds everything from what Discord says", () => {
    const files = [{ id: "5", filename: "a.pdf", size: 9, url: "https://cdn.discordapp.com/a.pdf" }];
    expect(toInbound(message({ content: `<@${US}> hi`, ...mention, attachments: files }), self, room)).toEqual({
      id: "discord/10/20",
      at: { channel: "discord", account: "1", chat: "10", thread: "20" },
      messageId: "20",
      user: { id: "7", name: "Alice" },
      kind: "group",
      addressed: true,
      text: "hi",
      attachments: [
        {
          id: "5",
          name: "a.pdf",
          type: "application/octet-stream",
          size: 9,
          source: "https://cdn.discordapp.com/a.pdf",
        },
      ],
      sentAt: Date.UTC(2026, 11, 1, 10),
    });
  });

  it("gives the starting message and its thread one address", () => {
    const first = toInbound(message(), self, room);
    const inside = toInbound(message({ id: "21", channel_id: "20" }), self, thread);
    expect(inside?.at).toEqual(first?.at);
    expect(inside?.id).not.toBe(first?.id);
  });

  it("names the account in the id and the address", () => {
    const inbound = toInbound(message(), { ...self, bot: "ops" }, room);
    expect(inbound).toMatchObject({ id: "discord@ops/10/20", at: { bot: "ops" } });
  });

  it.each([
    ["a plain message", {}, false],
    ["@everyone", { content: "@everyone meet" }, false],
    ["a mention", mention, true],
    ["a role we hold", { mention_roles: ["77"] }, true],
    ["another role", { mention_roles: ["78"] }, false],
    ["a reply to us", { type: 19, referenced_message: { author: { id: US }, content: "" } }, true],
    ["a reply to a person", { type: 19, referenced_message: { author: { id: "8" }, content: "" } }, false],
    ["a direct message", { guild_id: null }, true],
  ])("is %s: addressed = %s", (_, change, addressed) => {
    const channel = "guild_id" in change ? { id: "10", type: ChannelType.DM } : room;
    expect(toInbound(message(change), self, channel)?.addressed).toBe(addressed);
  });

  it.each([
    ["ourselves", { author: { id: US, bot: true } }],
    ["other bots, also when they mention us", { author: { id: "8", bot: true }, ...mention }],
    ["webhooks", { webhook_id: "4" }],
    ["system notes", { type: 18 }],
    ["a sticker", { content: "" }],
    ["the copy of the first message in a thread", { type: 21 }],
  ])("drops %s", (_, change) => {
    expect(toInbound(message(change), self, room)).toBeUndefined();
  });

  it("quotes what is replied to and what is forwarded, and takes forwarded files", () => {
    const replied = { referenced_message: { author: { id: "8" }, content: "tide is at <#10>" } };
    expect(toInbound(message({ type: 19, ...replied }), self, room)?.quoted).toBe("tide is at #general");
    const file = { id: "6", filename: "b.txt", size: 1, url: "https://cdn.discordapp.com/b.txt" };
    const forwarded = { message_snapshots: [{ message: { content: "/stop everything", attachments: [file] } }] };
    const inbound = toInbound(message({ content: "", ...forwarded }), self, room);
    expect(inbound).toMatchObject({ text: "", quoted: "/stop everything", attachments: [{ id: "6" }] });
  });

  it("quotes the words of a plan of ours", () => {
    const plan = [{ type: 17, components: [{ type: 10, content: "☐ Read it" }, { type: 1 }] }];
    const reply = { referenced_message: { author: { id: US }, content: "", components: plan } };
    expect(toInbound(message({ type: 19, ...reply }), self, room)?.quoted).toBe("☐ Read it");
  });

  it("tells which message of ours is answered where no thread holds it together", () => {
    const reply = { type: 19, message_reference: { message_id: "15" }, referenced_message: { author: { id: US } } };
    expect(toInbound(message(reply), self, room)?.replyTo).toBe("15");
    expect(toInbound(message({ ...reply, channel_id: "20" }), self, thread)?.replyTo).toBeUndefined();
  });

  it("reads the text without us and with other names", () => {
    const people = [...mention.mentions, { id: "8", username: "bob", member: { nick: "Captain\nBob" } }];
    const said = (content: string) => toInbound(message({ content, mentions: people }), self, room)?.text;
    expect(said(`<@${US}> /plan it`)).toBe("/plan it");
    expect(said(`<@!${US}>, please`)).toBe("please");
    expect(said(`<@&77>\n/status`)).toBe("/status");
    expect(said(`well <@${US}> what now`)).toBe("well what now");
    expect(said(`line one <@${US}>\nline two`)).toBe("line one\nline two");
    expect(said("ask <@8> and <@&78> in <#10> <:wave:123> </help:9>")).toBe(
      "ask @Captain Bob and @crew in #general :wave: /help",
    );
    expect(said("at <t:1700000000:R>, <@12345> unknown")).toBe("at 2023-11-14T22:13:20.000Z, <@12345> unknown");
    expect(said("```js\n  if (a < b && b > c) {}\n```")).toBe("```js\n  if (a < b && b > c) {}\n```");
    expect(said(`<@${US}>`)).toBe("");
  });
});

describe("toEdit", () => {
  it("is an edit only when a person changed the text", () => {
    const edited = { content: "new", edited_timestamp: "2026-12-01T10:01:00.000000+00:00" };
    expect(toEdit(message(edited), self, room)).toMatchObject({
      inboundId: "discord/10/20",
      at: { thread: "20" },
      text: "new",
      editedAt: Date.UTC(2026, 11, 1, 10, 1),
    });
    expect(toEdit(message({ edited_timestamp: null }), self, room)).toBeUndefined();
    expect(toEdit(message({ ...edited, author: { id: US, bot: true } }), self, room)).toBeUndefined();
  });
});

describe("interactions", () => {
  const base: RawInteraction = {
    id: "175928847299117063",
    token: "secret",
    application_id: US,
    type: 2,
    channel: room,
    channel_id: "10",
    guild_id: "1",
    member: { user: alice, nick: "Ali", roles: ["78"] },
  };

  it("turns a slash command into a command of this chat", () => {
    const options = [{ name: "text", value: "the tour" }];
    expect(toCommand({ ...base, data: { name: "plan", options } }, self)).toMatchObject({
      id: "discord/interaction/175928847299117063",
      at: { account: "1", chat: "10" },
      command: { name: "plan", args: "the tour" },
      user: { id: "7", name: "Ali", roles: ["78"] },
      sentAt: 1462015105796,
    });
  });

  it("turns a button into a press in its thread", () => {
    const press = toPress(
      { ...base, type: 3, channel: thread, message: { id: "30" }, data: { custom_id: "ok:r1" } },
      self,
    );
    expect(press).toMatchObject({ token: "ok:r1", at: { chat: "10", thread: "20" }, message: { id: "30" } });
  });

  it("knows a direct message by its user", () => {
    const { member: _m, guild_id: _g, channel: _c, ...direct } = base;
    const inbound = toCommand({ ...direct, user: alice, data: { name: "help" } }, self);
    expect(inbound).toMatchObject({ kind: "dm", at: { account: "dm", chat: "10" }, command: { args: "" } });
  });

  it("is nothing without a person", () => {
    const { member: _, ...nobody } = base;
    expect(toCommand({ ...nobody, data: { name: "help" } }, self)).toBeUndefined();
    expect(toPress({ ...nobody, type: 3 }, self)).toBeUndefined();
  });
});
