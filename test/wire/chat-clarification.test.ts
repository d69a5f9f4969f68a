/** Questions of the model, asked and answered in a Slack thread. */
import { Chat, calls } from "../support/chat.ts";
import { openHouse } from "../support/house.ts";
import { openaiModel, type Reply, told } from "../support/model-server.ts";
import { terminalPair } from "../support/terminal-pair.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const question = { question: "Which one?", clarification_type: "approach_choice", options: ["Red", "Blue"] };
const ASKS = calls(["ask_clarification", question]);
/** What the model was told last as the result of its call. */
const answered = () => told(chat.model.requests().at(-1), "tool").at(-1);

async function ask(...then: Reply[]): Promise<string> {
  chat.model.script([ASKS, ...then]);
  await chat.open();
  const thread = chat.ask("paint it");
  await chat.button("Red");
  return thread;
}

describe("a question with options", () => {
  it("shows them as buttons; a press goes on with the same run and takes the buttons away", async () => {
    const thread = await ask({ text: "Painted blue." });
    expect(chat.buttons().map(({ label }) => label)).toEqual(["Red", "Blue"]);
    chat.slack.press(await chat.button("Blue"));
    await chat.says("Painted blue.");
    expect(answered()).toBe("The person answered: Blue");
    expect(told(chat.model.requests()[1], "user")).toHaveLength(1);
    const [asked] = chat.answers("C1", thread);
    expect(asked?.text).toMatch(/Which one\?[\s\S]*→ Blue/);
    expect(chat.buttons()).toEqual([]);
  });

  it.each([
    ["2", "Blue"],
    ["rather green", "rather green"],
  ])("takes %j in words as well", async (words, meant) => {
    const thread = await ask({ text: "Done." });
    chat.ask(words, { thread });
    await chat.says("Done.");
    expect(answered()).toBe(`The person answered: ${meant}`);
    expect(chat.model.requests()).toHaveLength(2);
  });

  it("may be answered by another person who is allowed here, not by a stranger", async () => {
    chat.model.script([ASKS, { text: "Done." }]);
    await chat.open({ slack: { allowed_users: ["U1", "U2"] } });
    chat.ask("paint it");
    const blue = await chat.button("Blue");
    chat.slack.press(blue, "U9");
    await chat.slack.until(() => chat.whispers("U9").length > 0);
    expect(chat.model.requests()).toHaveLength(1);
    chat.slack.press(blue, "U2");
    await chat.says("Done.");
    expect(answered()).toBe("The person answered: Blue");
  });

  it("is answered once: of two people who press at the same time, one is told that it is over", async () => {
    await ask({ text: "Done." }, { text: "never" });
    const [red, blue] = await Promise.all([chat.button("Red"), chat.button("Blue")]);
    chat.slack.press(red, "U1");
    chat.slack.press(blue, "U2");
    await chat.says("Done.");
    await chat.slack.until(() => chat.whispers().length > 0);
    expect(chat.whispers()).toEqual(["That is no longer open."]);
    expect(answered()).toMatch(/^The person answered: (Red|Blue)$/);
    expect(chat.model.requests()).toHaveLength(2);
  });

  it("keeps other tools of that message from running", async () => {
    const both = calls(["write_file", { path: "/outputs/a.txt", content: "a" }], ["ask_clarification", question]);
    chat.model.script([both, calls(["ls", { path: "/outputs" }]), { text: "Done." }]);
    await chat.open();
    const thread = chat.ask("paint it");
    await chat.button("Red");
    chat.ask("1", { thread });
    await chat.says("Done.");
    expect(answered()).not.toContain("a.txt");
    expect(JSON.stringify(chat.model.requests()[1]?.messages)).not.toContain("write_file");
  });

  it("is dropped by /new: no buttons, and the next message begins afresh", async () => {
    const thread = await ask({ text: "Hello." });
    chat.ask("/new", { thread });
    await chat.says("A new conversation");
    expect(chat.buttons()).toEqual([]);
    chat.ask("hi", { thread });
    await chat.says("Hello.");
    const users = told(chat.model.requests()[1], "user");
    expect(users).toHaveLength(1);
    expect(users[0]).toContain("hi");
  });

  it("outlives a restart of the bridge", async () => {
    const thread = await ask({ text: "Painted red." });
    await chat.open();
    chat.slack.press(await chat.button("Red"));
    await chat.says("Painted red.");
    expect(answered()).toBe("The person answered: Red");
    expect(chat.answers("C1", thread)).toHaveLength(2);
  });
});

describe("a question in the terminal", () => {
  it("lists its options, and a number picks one", async () => {
    chat.model.script([ASKS, { text: "Painted blue." }]);
    const terminal = terminalPair();
    const house = await openHouse({
      channels: { terminal: { enabled: true, allowed_users: ["*"] } },
      models: [openaiModel(chat.model)],
      terminal,
    });
    terminal.type("paint it");
    await terminal.until(/2.{0,4}Blue/);
    terminal.type("2");
    await terminal.until("Painted blue.");
    expect(answered()).toBe("The person answered: Blue");
    await house.close();
  });
});
