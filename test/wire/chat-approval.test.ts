/** Tools that a person must allow, asked about in a Slack thread. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Chat, calls, plan, textOf } from "../support/chat.ts";
import { type Reply, told } from "../support/model-server.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const proof = () => join(chat.folder.path, "proof");
const result = () => told(chat.model.requests().at(-1), "tool").at(-1);
const shell = (command = `echo ran >> ${proof()}`) => calls(["shell", { command }]);
const ran = () => existsSync(proof()) && readFileSync(proof(), "utf8") === "ran\n";

async function open(replies: Reply[], slack: object = {}): Promise<void> {
  chat.model.script(replies);
  await chat.open({ slack, rest: { tools: { shell: { enabled: true } } } });
}

describe("a shell command", () => {
  it("is shown to the letter, runs only when it is approved, and once", async () => {
    await open([shell(), { text: "It ran." }]);
    const thread = chat.ask("run it");
    const approve = await chat.button("Approve");
    const [asked] = chat.answers("C1", thread);
    expect(asked && textOf(asked)).toContain(`command: echo ran &gt;&gt; ${proof()}`);
    expect(existsSync(proof())).toBe(false);
    chat.slack.press(approve);
    chat.slack.press(approve);
    await chat.says("It ran.");
    expect(ran()).toBe(true);
    expect(chat.buttons()).toEqual([]);
    expect(chat.model.requests()).toHaveLength(2);
  });

  it("is shown with its line breaks, stars and backticks", async () => {
    await open([shell("echo *a* `b`\nrm -rf /tmp/*x*")]);
    chat.ask("run it");
    await chat.button("Approve");
    expect(chat.answers()[0]?.text).toContain('command: "echo *a* `b`\\nrm -rf /tmp/*x*"');
  });

  it("is not run when it is rejected; the model goes on without it", async () => {
    await open([shell(), { text: "Then not." }]);
    chat.ask("run it");
    chat.slack.press(await chat.button("Reject"));
    await chat.says("Then not.");
    expect(existsSync(proof())).toBe(false);
    expect(result()).toMatch(/did not allow/);
  });

  it("is not run when the person wants something else, in words after the button or without", async () => {
    await open([shell(), { text: "Changed." }]);
    const thread = chat.ask("run it");
    chat.slack.press(await chat.button("Change"));
    await chat.slack.until(() => chat.whispers("U1").length > 0);
    expect(chat.whispers("U1")[0]).toMatch(/^Write what should be different/);
    chat.ask("only list the files", { thread });
    await chat.says("Changed.");
    expect(existsSync(proof())).toBe(false);
    expect(result()).toContain("only list the files");
  });

  it("is approved in words, and the words of someone else wait their turn", async () => {
    await open([shell(), { text: "It ran." }, { text: "Hello Ben." }]);
    const thread = chat.ask("run it");
    const approve = await chat.button("Approve");
    chat.slack.press(approve, "U2");
    await chat.slack.until(() => chat.whispers("U2").length > 0);
    expect(chat.whispers("U2")).toEqual(["Only the person who asked or an admin can decide this."]);
    chat.ask("yes", { thread, user: "U2" });
    await chat.slack.until(() => chat.slack.deliveries.every((delivery) => delivery.acked));
    expect(existsSync(proof())).toBe(false);
    chat.ask("yes", { thread });
    await chat.says("It ran.");
    await chat.says("Hello Ben.");
    expect(ran()).toBe(true);
  });

  it("waits through a restart, and a press after /stop is told that it is over", async () => {
    await open([shell(), { text: "never" }]);
    const thread = chat.ask("run it");
    const approve = await chat.button("Approve");
    await chat.open({ rest: { tools: { shell: { enabled: true } } } });
    const shown = structuredClone(chat.answers("C1", thread)[0]);
    chat.ask("/stop", { thread });
    await chat.slack.until(() => chat.buttons().length === 0);
    // A client that has not seen the edit yet still shows the buttons.
    chat.slack.store.messages.push({ ...shown!, ts: chat.slack.store.nextTs() });
    chat.slack.press(approve);
    await chat.slack.until(() => chat.whispers("U1").length > 0);
    expect(chat.whispers("U1")).toEqual(["That is no longer open."]);
    expect(existsSync(proof())).toBe(false);
    expect(chat.model.requests()).toHaveLength(1);
  });
});

describe("tools that the config names", () => {
  it("wait for approval in a plan as well; two in one message are asked about one by one", async () => {
    const write = (name: string) => ["write_file", { path: `/outputs/${name}`, content: name }] as const;
    chat.model.script([
      plan("in_progress", "pending"),
      calls([...write("a.txt")], [...write("b.txt")]),
      calls(["ls", { path: "/outputs" }]),
      plan("completed", "completed"),
      { text: "Written." },
    ]);
    const context = { is_plan_mode: true };
    await chat.open({ slack: { session: { context } }, rest: { tools: { approve: ["write_*"] } } });
    chat.ask("1) write a 2) write b");
    chat.slack.press(await chat.button("Approve"));
    await chat.slack.until(() => chat.answers().filter((message) => /Run write/.test(textOf(message))).length === 2);
    chat.slack.press(await chat.button("Reject"));
    await chat.says("Written.");
    const listed = told(chat.model.requests()[3], "tool").at(-1);
    expect(listed).toMatch(/[ab]\.txt/);
    expect(listed?.match(/[ab]\.txt/g)).toHaveLength(1);
    expect(chat.boards()).toHaveLength(1);
    expect(chat.boards()[0]?.text).toContain("Done · 2/2");
  });
});
