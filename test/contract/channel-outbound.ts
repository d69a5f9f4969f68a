/** What goes out, and what people do with it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Content } from "../../channels/channel.ts";
import type { ChannelDriver } from "../support/drivers/driver.ts";
import {
  BUTTONS,
  board,
  ENDS,
  FIXTURE,
  FIXTURE_WORDS,
  longAnswer,
  STATES,
  somewhere,
  TODOS,
} from "./channel-fixtures.ts";

const CALLS = "@everyone @here <!channel> <!here> <!everyone> <@U1> <@123456789012345678> <@&123456789012345678>";

export function channelOutbound(get: () => ChannelDriver, isPlatform: boolean): void {
  it.each<Content>([
    { kind: "markdown", text: "some words" },
    { kind: "notice", text: "some words" },
    { kind: "question", text: "some words", buttons: [] },
    board({ title: "some words" }),
  ])("shows a $kind, edits it, and takes an equal edit", async (content) => {
    const driver = get();
    const ref = await driver.channel.post(await somewhere(driver), content);
    expect(driver.shown(ref)).toContain("some words");
    const next = JSON.parse(JSON.stringify(content).replace("some words", "other words")) as Content;
    await driver.channel.edit(ref, next);
    expect(driver.shown(ref)).toContain("other words");
    const edits = driver.edits(ref);
    await expect(driver.channel.edit(ref, next).catch(unlessUnchanged)).resolves.toBeUndefined();
    expect(driver.edits(ref)).toBeLessThanOrEqual(edits + 1);
    expect(driver.shown(ref)).toContain("other words");
  });

  it.each(STATES)("shows a board that is %s with all its todos", async (state) => {
    const driver = get();
    const ref = await driver.channel.post(await somewhere(driver), board({ state }));
    const shown = driver.shown(ref);
    for (const { content, activeForm } of TODOS) {
      expect(shown.includes(content) || (activeForm !== undefined && shown.includes(activeForm))).toBe(true);
    }
    expect(shown).toContain("Weekly report");
    expect(shown).toContain("Look up numbers");
    expect(shown).toContain("resumed after a restart");
  });

  it("shows an empty plan and one of two hundred steps", async () => {
    const driver = get();
    const at = await somewhere(driver);
    const many = Array.from({ length: 200 }, (_, n) => ({
      content: `step ${n} ${"x".repeat(80)}`,
      status: "pending" as const,
    }));
    const ref = await driver.channel.post(at, board({ todos: [], subagents: [], note: undefined }));
    expect(driver.shown(ref)).toContain("Weekly report");
    await driver.channel.edit(ref, board({ todos: many }));
    expect(driver.shown(ref)).toContain("step 0");
  });

  it("hands in what is pressed, a second time too, and shows no buttons at the end", async () => {
    const driver = get();
    const { door, channel } = driver;
    door.answerToPress = "Noted: Approve.";
    const ref = await channel.post(await somewhere(driver), board({ state: "waiting", buttons: BUTTONS }));
    expect(driver.buttons(ref)).toEqual(["t:1", "t:2"]);
    driver.press(ref, "t:1");
    await vi.waitFor(() => expect(driver.whispers()).toContain("Noted: Approve."));
    driver.press(ref, "t:1");
    await vi.waitFor(() => expect(door.presses).toHaveLength(2));
    expect(door.presses[0]).toMatchObject({
      token: "t:1",
      user: { id: driver.person },
      message: { id: ref.id },
      at: ref.at,
    });
    expect(door.presses[1]?.id).not.toBe(door.presses[0]?.id);
    expect(JSON.parse(JSON.stringify(door.presses))).toEqual(door.presses);
    for (const state of ENDS) {
      await channel.edit(ref, board({ state, buttons: [] }));
      if (isPlatform) expect(driver.buttons(ref)).toEqual([]);
    }
    expect(channel.status().state).toBe("up");
  });

  it("lets the options of a question be pressed, and takes them away with its answer", async () => {
    const driver = get();
    const text = "Which one?\n\n1. Approve\n2. Reject";
    const ref = await driver.channel.post(await somewhere(driver), { kind: "question", text, buttons: BUTTONS });
    expect(driver.shown(ref)).toContain("Which one?");
    driver.press(ref, "t:2");
    await vi.waitFor(() => expect(driver.door.presses.map(({ token }) => token)).toEqual(["t:2"]));
    await driver.channel.edit(ref, { kind: "question", text: `${text}\n\n→ Reject`, buttons: [] });
    expect(driver.shown(ref)).toContain("→ Reject");
    if (isPlatform) expect(driver.buttons(ref)).toEqual([]);
  });

  it("calls nobody, whatever the model writes", async () => {
    const driver = get();
    const { channel } = driver;
    const at = await somewhere(driver);
    const button = { token: "t:1", label: CALLS.slice(0, 40) };
    const view = {
      title: CALLS,
      note: CALLS,
      activity: [CALLS],
      todos: [{ content: CALLS, status: "pending" as const }],
    };
    const contents: Content[] = [
      { kind: "markdown", text: `${CALLS} \`${CALLS}\` **${CALLS}**` },
      { kind: "notice", text: CALLS },
      { kind: "question", text: CALLS, buttons: [button] },
      board({ ...view, buttons: [button] }),
    ];
    for (const content of contents) {
      const ref = await channel.post(at, content);
      expect(driver.pings(ref)).toEqual([]);
      expect(driver.shown(ref)).toContain("everyone");
      const text =
        content.kind === "board" ? board({ ...view, state: "done" }) : ({ ...content, text: `x ${CALLS}` } as Content);
      await channel.edit(ref, text);
      expect(driver.pings(ref)).toEqual([]);
    }
  });

  it("keeps Markdown readable", async () => {
    const driver = get();
    const at = await somewhere(driver);
    const refs = [];
    for (const text of driver.channel.split(FIXTURE))
      refs.push(await driver.channel.post(at, { kind: "markdown", text }));
    const shown = refs
      .map((ref) => driver.shown(ref))
      .join("\n")
      .replaceAll("\u200b", "");
    const bare = driver.channel.name === "discord" ? shown.replaceAll(/\\(?=[*_`~|])/g, "") : shown;
    for (const word of FIXTURE_WORDS) expect(bare).toContain(word);
    const links = refs.flatMap((ref) => driver.links(ref)).map((url) => decodeURI(url));
    expect(links).toContain("https://example.org/wiki/Plan_(drawing)_and_more?a=1&b=2");
  });

  it("posts every piece of a long answer, and no word is lost or doubled", async () => {
    const driver = get();
    const at = await somewhere(driver);
    const { text, words } = longAnswer();
    const pieces = driver.channel.split(text);
    const shown: string[] = [];
    for (const piece of pieces) {
      expect(driver.channel.fitsEdit({ kind: "markdown", text: piece })).toBe(true);
      shown.push(driver.shown(await driver.channel.post(at, { kind: "markdown", text: piece })));
    }
    const all = !isPlatform ? (shown.at(-1) ?? "") : shown.join("\n");
    expect(all.match(/word\d{5}/g)).toEqual(words);
  });

  it("sends a file with its comment", async () => {
    const driver = get();
    const folder = await mkdtemp(join(tmpdir(), "planbridge-"));
    const path = join(folder, "report.csv");
    await writeFile(path, "a,b\n1,2\n");
    const file = { name: "report.csv", path, type: "text/csv" };
    const ref = await driver.channel.post(await somewhere(driver), { kind: "file", file, comment: "Here it is." });
    if (driver.channel.capabilities.files) expect(Buffer.from(driver.file(ref)!).toString()).toBe("a,b\n1,2\n");
    else expect(driver.shown(ref)).toContain(path);
    expect(driver.shown(ref)).toContain("Here it is.");
    await rm(folder, { recursive: true });
  });

  it.runIf(isPlatform)("shows that it has seen a message, and takes that back", async () => {
    const driver = get();
    const { channel } = driver;
    const at = await somewhere(driver);
    const { messageId } = driver.door.inbounds.at(-1)!;
    await channel.react!({ at, id: messageId }, "seen");
    await channel.react!({ at, id: messageId }, "seen");
    expect(driver.reactions({ at, id: messageId })).toHaveLength(1);
    await channel.react!({ at, id: messageId }, "none");
    await channel.react!({ at, id: messageId }, "none");
    expect(driver.reactions({ at, id: messageId })).toEqual([]);
  });

  it("names limits that an edit keeps, and never an empty one", async () => {
    const driver = get();
    const at = await somewhere(driver);
    for (const what of ["post", "edit"] as const) {
      for (const { key, burst, perMs } of driver.channel.pace(at, what)) {
        expect(key).not.toBe("");
        expect(burst).toBeGreaterThan(0);
        expect(perMs).toBeGreaterThan(0);
      }
    }
    await driver.channel.typing?.(at, true);
    await driver.channel.typing?.(at, false);
  });
}

function unlessUnchanged(error: { code?: string }): void {
  if (error.code !== "unchanged") throw error;
}
