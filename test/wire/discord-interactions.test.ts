import { discordBot } from "../support/discord-bot.ts";
import { until } from "../support/emulators/discord.ts";

const TABLE = [
  { name: "status", description: "What I am doing", admin: false },
  { name: "admin", description: "Settings of this chat", admin: true },
];

describe("slash commands", () => {
  it("are registered for everybody, admin ones for people who manage the server", async () => {
    await using bot = await discordBot();
    await bot.channel.commands?.(TABLE);
    const [status, admin] = bot.emulator.interactions.commands;
    expect(status).toMatchObject({ name: "status", type: 1, options: [{ name: "text", type: 3 }] });
    expect(status?.default_member_permissions).toBeNull();
    expect(admin?.default_member_permissions).toBe("32");
  });

  it("are acknowledged first and leave no trace when the answer stands in the chat", async () => {
    await using bot = await discordBot();
    await bot.channel.commands?.(TABLE);
    const used = bot.emulator.people.slash(bot.emulator.general, "status", "all of it");
    const inbound = await until(() => bot.door.inbound[0], "the command");
    expect(inbound).toMatchObject({
      kind: "group",
      addressed: true,
      command: { name: "status", args: "all of it" },
      at: { account: bot.emulator.guildId, chat: bot.emulator.general },
    });
    expect(used).toMatchObject({ callback: 5, ephemeral: true });
    await until(() => used.originalDeleted, "the end of thinking");
  });

  it("are answered for their sender's eyes where that is asked for", async () => {
    await using bot = await discordBot();
    await bot.channel.commands?.(TABLE);
    bot.door.onAccept = async ({ at, user }) => {
      await bot.channel.post(at, { kind: "notice", text: "Idle" }, { onlyFor: user.id });
      await bot.channel.post(at, { kind: "notice", text: "Nothing queued" }, { onlyFor: user.id });
    };
    const used = bot.emulator.people.slash(bot.emulator.general, "status");
    await until(() => used.followups[0], "the second answer");
    expect(used.original?.message.content).toBe("Idle");
    expect(used.followups[0]).toMatchObject({ content: "Nothing queued", flags: 64 });
    expect(bot.emulator.messages(bot.emulator.general)).toEqual([]);
  });

  it("say so when the bridge could not take them", async () => {
    await using bot = await discordBot();
    await bot.channel.commands?.(TABLE);
    bot.door.failures = 1;
    const used = bot.emulator.people.slash(bot.emulator.general, "status");
    await until(() => used.original, "the answer");
    expect(used.original?.message.content).toContain("try again");
  });

  it("work inside a thread and in direct messages", async () => {
    await using bot = await discordBot();
    await bot.channel.commands?.(TABLE);
    const thread = bot.emulator.people.startThread(bot.emulator.general, "talk");
    bot.emulator.people.slash(thread.id, "status");
    const inThread = await until(() => bot.door.inbound[0], "the command in the thread");
    expect(inThread.at).toMatchObject({ chat: bot.emulator.general, thread: thread.id });
    const dm = bot.emulator.people.dm("hi").channel_id;
    bot.emulator.people.slash(dm, "status");
    const direct = await until(() => bot.door.inbound.find(({ command, kind }) => command && kind === "dm"), "the DM");
    expect(direct.at).toMatchObject({ account: "dm", chat: dm });
  });
});

describe("buttons", () => {
  it("are acknowledged, pressed once, and answered privately", async () => {
    await using bot = await discordBot();
    bot.door.answerToPress = "Stopping.";
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} go`);
    const { at } = await until(() => bot.door.inbound[0], "the mention");
    const buttons = [{ token: "stop:r1", label: "Stop" }];
    const ref = await bot.channel.post(at, { kind: "question", text: "Sure?", buttons });
    const pressed = bot.emulator.people.press(ref.id, "Stop");
    await until(() => pressed.followups[0], "the line");
    expect(pressed.callback).toBe(6);
    expect(bot.emulator.requests("POST /interactions/:id/:token/callback").map(({ body }) => body)).toEqual([
      { type: 6 },
    ]);
    expect(pressed.followups[0]).toMatchObject({ content: "Stopping.", flags: 64 });
    expect(bot.door.presses).toMatchObject([{ token: "stop:r1", at, message: ref, user: { name: "alice" } }]);
  });

  it("count although the acknowledgement failed", async () => {
    await using bot = await discordBot();
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} go`);
    const { at } = await until(() => bot.door.inbound[0], "the mention");
    const ref = await bot.channel.post(at, { kind: "question", text: "?", buttons: [{ token: "t", label: "Yes" }] });
    bot.emulator.failNext("POST /interactions/:id/:token/callback", { status: 404, code: 10062 });
    bot.emulator.people.press(ref.id, "Yes");
    await until(() => bot.door.presses[0], "the press");
  });
});
