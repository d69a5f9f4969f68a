/** What comes in. */
import type { ChannelDriver } from "../support/drivers/driver.ts";
import { heard, somewhere } from "./channel-fixtures.ts";

export function channelInbound(get: () => ChannelDriver, isPlatform: boolean): void {
  const onPlatform = it.runIf(isPlatform);

  it("is up once started, and stopped twice it is stopped", async () => {
    const { channel } = get();
    expect(channel.status().state).toBe("up");
    await channel.stop();
    await channel.stop();
    expect(channel.status().state).toBe("stopped");
  });

  it("hears a direct message as addressed, and the next one at the same address", async () => {
    const driver = get();
    driver.dm("first");
    const first = await heard(driver, "first");
    driver.dm("second");
    const second = await heard(driver, "second");
    expect(first).toMatchObject({ kind: "dm", addressed: true, user: { id: driver.person } });
    expect(second.at).toEqual(first.at);
    expect(second.id).not.toBe(first.id);
  });

  it("reaches a person where their direct messages come from", async () => {
    const driver = get();
    driver.dm("hello");
    const { at } = await heard(driver, "hello");
    expect(await driver.channel.direct?.(driver.person)).toEqual(at);
    const ref = await driver.channel.post(at, { kind: "notice", text: "Something is wrong." });
    expect(driver.shown(ref)).toContain("Something is wrong.");
  });

  it("hands in nothing but JSON", async () => {
    const driver = get();
    await somewhere(driver);
    driver.dm("plain");
    await heard(driver, "plain");
    for (const inbound of driver.door.inbounds) expect(JSON.parse(JSON.stringify(inbound))).toEqual(inbound);
  });

  onPlatform("takes its own mention out of the text wherever it stands", async () => {
    const driver = get();
    const { mention } = driver;
    driver.say(`${mention} at the beginning`);
    driver.say(`in the ${mention} middle`);
    driver.say(`at the end ${mention}`);
    for (const text of ["at the beginning", "in the middle", "at the end"]) {
      expect(await heard(driver, text)).toMatchObject({ kind: "group", addressed: true });
    }
    driver.say("not for the bot");
    expect((await heard(driver, "not for the bot")).addressed).toBe(false);
  });

  it("files what follows in a thread under the address of its first message", async () => {
    const driver = get();
    const at = await somewhere(driver);
    driver.followUp(at, "and one more thing");
    expect((await heard(driver, "and one more thing")).at).toEqual(at);
    const ref = await driver.channel.post(at, { kind: "notice", text: "An answer." });
    driver.followUp(ref.at, "thanks");
    expect((await heard(driver, "thanks")).at).toEqual(at);
  });

  it("ignores itself and other bots", async () => {
    const driver = get();
    const at = await somewhere(driver);
    await driver.channel.post(at, { kind: "markdown", text: `I am the bot ${driver.mention ?? ""}` });
    driver.otherBot(`${driver.mention ?? ""} beep`);
    driver.dm("a person");
    await heard(driver, "a person");
    expect(driver.door.offered.filter(({ text }) => /beep|I am the bot/.test(text))).toEqual([]);
    expect(new Set(driver.door.offered.map(({ user }) => user.id))).toEqual(new Set([driver.person]));
  });

  onPlatform("delivers again, under the same id, what could not be stored", async () => {
    const driver = get();
    driver.door.failures = 1;
    driver.dm("important");
    await heard(driver, "important");
    expect(driver.door.offered.length).toBeGreaterThanOrEqual(2);
    expect(new Set(driver.door.offered.map(({ id }) => id)).size).toBe(1);
  });

  onPlatform("names a file that was sent, and fetches it up to the size it is told", async () => {
    const driver = get();
    const bytes = new TextEncoder().encode("twelve bytes");
    driver.sendFile({ name: "notes.txt", bytes });
    const { attachments, at } = await heard(driver, "");
    const [file] = attachments;
    expect(file).toMatchObject({ name: "notes.txt", type: "text/plain", size: 12 });
    for (const secret of driver.secrets) expect(JSON.stringify(file)).not.toContain(secret);
    expect(Buffer.from(await driver.channel.fetch!(file!, at, 1000)).toString()).toBe("twelve bytes");
    await expect(driver.channel.fetch!(file!, at, 5)).rejects.toMatchObject({ name: "ChannelError", code: "too_long" });
  });
}
