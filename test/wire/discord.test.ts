import { spawn } from "node:child_process";
import { createDiscord } from "../../channels/discord/adapter.ts";
import { discordBot, discordConfig, silent } from "../support/discord-bot.ts";
import { RecordingDoor } from "../support/discord-door.ts";
import { startDiscordEmulator, until } from "../support/emulators/discord.ts";

const ADAPTER_URL = new URL("../../channels/discord/adapter.ts", import.meta.url).href;
const START_AND_STOP = `
  const { createDiscord } = await import(process.env.ADAPTER);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const channel = createDiscord(JSON.parse(process.env.CONFIG), { log: silent, now: Date.now });
  await channel.start({ accept() {}, edited() {}, press() {}, migrated() {} });
  const { state } = channel.status();
  await channel.stop();
  process.stdout.write(state + " " + channel.status().state);
`;

const text = (words: string) => ({ kind: "markdown", text: words }) as const;

describe("starting", () => {
  it("is up once events flow and stopped after stop, also when stopped twice", async () => {
    await using bot = await discordBot();
    expect(bot.channel.status().state).toBe("up");
    expect(bot.emulator.gateway.connected).toBe(1);
    await bot.channel.stop();
    await bot.channel.stop();
    expect(bot.channel.status().state).toBe("stopped");
    await until(() => bot.emulator.gateway.connected === 0, "the gateway to close");
  });

  it.each([
    ["a wrong token", { bot_token: "wrong" }, true, /channels\.discord\.bot_token/],
    ["no token", { bot_token: undefined }, true, /channels\.discord\.bot_token/],
    ["the missing intent", {}, false, /Message Content Intent/],
  ])("refuses %s with one sentence that says what to do", async (_, change, messageContent, sentence) => {
    const emulator = await startDiscordEmulator({ messageContent });
    const channel = createDiscord(discordConfig(emulator, change), { log: silent, now: Date.now });
    try {
      await expect(channel.start(new RecordingDoor())).rejects.toMatchObject({
        name: "ChannelError",
        code: "auth",
        message: expect.stringMatching(sentence),
      });
    } finally {
      await channel.stop();
      await emulator.stop();
    }
  });

  it("gives up cleanly when it is stopped while it starts", async () => {
    const emulator = await startDiscordEmulator();
    const channel = createDiscord(discordConfig(emulator), { log: silent, now: Date.now });
    emulator.failNext("GET /gateway/bot", { status: 500, delayMs: 300 });
    const starting = channel.start(new RecordingDoor());
    const outcome = expect(starting).rejects.toMatchObject({ code: "unavailable" });
    await until(() => emulator.calls.length > 0 || channel.status().state === "starting", "the start");
    await channel.stop();
    await outcome;
    expect(channel.status().state).toBe("stopped");
    await emulator.stop();
  });

  it("leaves nothing behind that keeps the process alive after stop", async () => {
    const emulator = await startDiscordEmulator();
    const child = spawn(process.execPath, ["--input-type=module", "-e", START_AND_STOP], {
      env: { ...process.env, CONFIG: JSON.stringify(discordConfig(emulator)), ADAPTER: ADAPTER_URL },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    let code: number | null | undefined;
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.on("exit", (exit) => {
      code = exit;
    });
    // Loading the library takes long on a busy machine; only the time after stop is of interest.
    await until(() => output === "up stopped" || code !== undefined, "the start and stop", 60_000);
    await until(() => code !== undefined, "the exit", 10_000).catch(() => undefined);
    child.kill("SIGKILL");
    await emulator.stop();
    expect({ code, output }).toEqual({ code: 0, output: "up stopped" });
  }, 80_000);

  it("says unavailable when Discord does not answer", async () => {
    const emulator = await startDiscordEmulator();
    const channel = createDiscord(discordConfig(emulator), { log: silent, now: Date.now });
    await emulator.stop();
    await expect(channel.start(new RecordingDoor())).rejects.toMatchObject({ code: "unavailable" });
    await channel.stop();
  });
});

describe("a mention in a text channel", () => {
  it("is answered in a thread that starts from it, and the answer can be edited", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    const asked = emulator.people.say(emulator.general, `${emulator.mention} plan the harbour tour`);
    const inbound = await until(() => door.inbound[0], "the message");
    expect(inbound).toMatchObject({
      at: { channel: "discord", account: emulator.guildId, chat: emulator.general, thread: asked.id },
      kind: "group",
      addressed: true,
      text: "plan the harbour tour",
      user: { name: "alice" },
    });
    const ref = await channel.post(inbound.at, text("On it."));
    expect(ref.at).toEqual(inbound.at);
    await channel.edit(ref, text("Done."));
    expect(emulator.world.channels.get(asked.id)).toMatchObject({
      name: "plan the harbour tour",
      parent_id: emulator.general,
    });
    expect(emulator.messages(asked.id).map(({ content }) => content)).toEqual(["Done."]);
    expect(emulator.messages(emulator.general)).toHaveLength(1);
  });

  it("has the same address as what is said inside its thread", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    const asked = emulator.people.say(emulator.general, `${emulator.mention} hello`);
    const first = await until(() => door.inbound[0], "the mention");
    await channel.post(first.at, text("Hello."));
    emulator.people.say(asked.id, "and another thing");
    const second = await until(() => door.inbound[1], "the message in the thread");
    expect(second.at).toEqual(first.at);
    expect(second.addressed).toBe(false);
  });

  it("starts one thread for two first posts at once", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    emulator.people.say(emulator.general, `${emulator.mention} hello`);
    const { at } = await until(() => door.inbound[0], "the mention");
    const refs = await Promise.all([channel.post(at, text("one")), channel.post(at, text("two"))]);
    expect(new Set(refs.map(({ at: { thread } }) => thread))).toEqual(new Set([at.thread]));
    expect(emulator.requests("POST /channels/:id/messages/:id/threads")).toHaveLength(1);
  });

  it("uses the thread that another worker started in the meantime", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    const asked = emulator.people.say(emulator.general, `${emulator.mention} hello`);
    const { at } = await until(() => door.inbound[0], "the mention");
    emulator.world.addThread(emulator.general, "from elsewhere", { id: asked.id });
    await channel.post(at, text("Hello."));
    expect(emulator.messages(asked.id)).toHaveLength(1);
  });

  it("is answered by a reply where threads are not permitted, and that reply can be edited", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    emulator.forbidden.threads.add(emulator.general);
    const asked = emulator.people.say(emulator.general, `${emulator.mention} hello`);
    const { at } = await until(() => door.inbound[0], "the mention");
    const ref = await channel.post(at, text("Hello."));
    await channel.edit(ref, text("Hello again."));
    const [, answer] = emulator.messages(emulator.general);
    expect(answer).toMatchObject({ content: "Hello again.", message_reference: { message_id: asked.id } });
    emulator.people.say(emulator.general, "thanks", { replyTo: ref.id });
    await until(() => door.inbound[1], "the reply");
    expect(door.inbound[1]).toMatchObject({ addressed: true, replyTo: ref.id, quoted: "Hello again." });
  });

  it("is not answered in the open channel when it was deleted", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    const asked = emulator.people.say(emulator.general, `${emulator.mention} hello`);
    const { at } = await until(() => door.inbound[0], "the mention");
    emulator.people.remove(asked.id);
    await expect(channel.post(at, text("Hello."))).rejects.toMatchObject({ code: "thread_gone" });
    expect(emulator.messages(emulator.general)).toEqual([]);
  });

  it("finds or starts its thread after a restart", async () => {
    await using bot = await discordBot();
    const { emulator } = bot;
    const old = emulator.people.say(emulator.general, `${emulator.mention} the old question`);
    const fresh = emulator.people.say(emulator.general, `${emulator.mention} the new question`);
    emulator.people.startThread(emulator.general, "old", { message: old.id });
    emulator.people.archive(old.id);
    const restarted = createDiscord(discordConfig(emulator), { log: silent, now: Date.now });
    const at = { channel: "discord", account: emulator.guildId, chat: emulator.general } as const;
    await restarted.post({ ...at, thread: old.id }, text("old answer"));
    await restarted.post({ ...at, thread: fresh.id }, text("new answer"));
    expect(emulator.messages(old.id).at(-1)?.content).toBe("old answer");
    expect(emulator.messages(fresh.id).at(-1)?.content).toBe("new answer");
    expect(emulator.world.channels.get(fresh.id)?.name).toBe("the new question");
  });
});

describe("other places", () => {
  it("keeps one address for a forum post", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    const thread = emulator.people.startThread(emulator.forum, "How?");
    emulator.people.say(thread.id, `${emulator.mention} how does it work?`);
    const { at } = await until(() => door.inbound[0], "the post");
    expect(at).toMatchObject({ chat: emulator.forum, thread: thread.id });
    await channel.post(at, text("Like this."));
    expect(emulator.messages(thread.id).at(-1)?.content).toBe("Like this.");
  });

  it("answers a direct message without a thread", async () => {
    await using bot = await discordBot();
    const { emulator, door, channel } = bot;
    const said = emulator.people.dm("hi");
    const inbound = await until(() => door.inbound[0], "the direct message");
    expect(inbound).toMatchObject({ kind: "dm", addressed: true, at: { account: "dm", chat: said.channel_id } });
    expect(inbound.at.thread).toBeUndefined();
    await channel.post(inbound.at, text("Hi."));
    expect(emulator.messages(said.channel_id).at(-1)?.content).toBe("Hi.");
  });

  it("has no thread in a voice channel's chat", async () => {
    await using bot = await discordBot();
    const voice = bot.emulator.world.channels.get(bot.emulator.general);
    if (voice) voice.type = 2;
    bot.emulator.people.kick();
    bot.emulator.people.invite();
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} hi`);
    const { at } = await until(() => bot.door.inbound[0], "the message");
    expect(at.thread).toBeUndefined();
  });
});

describe("two accounts", () => {
  it("are told apart by name in ids and addresses", async () => {
    const emulator = await startDiscordEmulator();
    const door = new RecordingDoor();
    const channels = ["ops", "help"].map((account) =>
      createDiscord(discordConfig(emulator), { log: silent, now: Date.now, account }),
    );
    await Promise.all(channels.map((channel) => channel.start(door)));
    emulator.people.say(emulator.general, `${emulator.mention} hi`);
    await until(() => door.inbound.length === 2, "both");
    expect(new Set(door.inbound.map(({ id }) => id)).size).toBe(2);
    expect(new Set(door.inbound.map(({ at }) => at.bot))).toEqual(new Set(["ops", "help"]));
    await Promise.all(channels.map((channel) => channel.stop()));
    await emulator.stop();
  });
});

describe("people", () => {
  it("come with their roles and server name", async () => {
    await using bot = await discordBot();
    const crew = bot.emulator.world.role("crew");
    const bob = bot.emulator.world.person("bob", { roles: [crew], nick: "Captain Bob" });
    bot.emulator.people.say(bot.emulator.general, `${bot.emulator.mention} hi`, { user: bob });
    const { user } = await until(() => bot.door.inbound[0], "the message");
    expect(user).toEqual({ id: bob.id, name: "Captain Bob", roles: [crew] });
  });

  it("reach us by a role of ours, unless that is switched off", async () => {
    for (const roleIsMention of [true, false]) {
      const emulator = await startDiscordEmulator();
      const role = emulator.world.role("planbridge", { botRole: true });
      const door = new RecordingDoor();
      const config = discordConfig(emulator, { role_is_mention: roleIsMention });
      const channel = createDiscord(config, { log: silent, now: Date.now });
      await channel.start(door);
      emulator.people.say(emulator.general, `<@&${role}> hi`);
      const inbound = await until(() => door.inbound[0], "the message");
      expect(inbound.addressed).toBe(roleIsMention);
      expect(inbound.text).toBe(roleIsMention ? "hi" : "@planbridge hi");
      await channel.stop();
      await emulator.stop();
    }
  });

  it("are heard; bots, webhooks and system notes are not", async () => {
    await using bot = await discordBot();
    const { emulator, door } = bot;
    const { people, general, mention } = emulator;
    people.say(general, `${mention} loop?`, { user: emulator.world.person("other", { bot: true }) });
    people.say(general, `${mention} hook`, { webhook: true });
    people.say(general, `${mention} pinned`, { type: 6 });
    people.say(general, "a person");
    await until(() => door.inbound[0], "the person's message");
    expect(door.inbound.map(({ text: said }) => said)).toEqual(["a person"]);
  });

  it("edit messages; link previews are no edits", async () => {
    await using bot = await discordBot();
    const { emulator, door } = bot;
    const said = emulator.people.say(emulator.general, `${emulator.mention} go to A`);
    const inbound = await until(() => door.inbound[0], "the message");
    emulator.people.unfurl(said.id);
    emulator.people.edit(said.id, `${emulator.mention} go to B`);
    emulator.people.unfurl(said.id);
    emulator.people.edit(said.id, `${emulator.mention} go to C`);
    await until(() => door.edits.length === 2, "two edits");
    expect(door.edits.map(({ text: now }) => now)).toEqual(["go to B", "go to C"]);
    expect(door.edits[0]).toMatchObject({ inboundId: inbound.id, at: inbound.at, messageId: said.id });
  });
});
