/** What is remembered: by whom it is seen, how long it lasts, how it is deleted. In Slack, over restarts. */
import { Chat, calls } from "../support/chat.ts";
import { told } from "../support/model-server.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const system = () => told(chat.model.requests().at(-1), "system").join("\n");
const remember = (fact: string) => calls(["remember", { fact }]);
const TEA = "Ann drinks <oolong>.";

describe("a fact told in a direct message", () => {
  beforeEach(async () => {
    chat.model.script([remember(TEA), { text: "Noted." }]);
    await chat.open();
    chat.dm("I drink oolong, remember that");
    await chat.says("Noted.", "DU1");
  });

  it("is there in a later conversation, after a restart, as data", async () => {
    chat.dm("/new");
    await chat.says("A new conversation", "DU1");
    await chat.open();
    chat.model.script([{ text: "Oolong." }]);
    chat.dm("what do I drink?");
    await chat.says("Oolong.", "DU1");
    expect(told(chat.model.requests()[0], "user")).toHaveLength(1);
    expect(system()).toContain("Ann drinks &lt;oolong&gt;.");
  });

  it("is shown and deleted by /memory", async () => {
    chat.dm("/memory");
    await chat.says(/1\. Ann drinks/, "DU1");
    chat.dm("/memory forget 1");
    await chat.says("Forgotten.", "DU1");
    chat.model.script([{ text: "I do not know." }]);
    chat.dm("what do I drink?");
    await chat.says("I do not know.", "DU1");
    expect(system()).not.toContain("oolong");
    chat.dm("/memory");
    await chat.says("I remember nothing here.", "DU1");
  });

  it("reaches nobody else: no other person, no channel, not even one of hers", async () => {
    chat.model.script([{ text: "Hello Ben." }, { text: "Hello all." }]);
    chat.dm("hi", "U2");
    await chat.says("Hello Ben.", "DU2");
    expect(system()).not.toContain("oolong");
    chat.dm("/memory", "U2");
    await chat.says("I remember nothing here.", "DU2");
    chat.ask("hi");
    await chat.says("Hello all.");
    expect(system()).not.toContain("oolong");
  });
});

describe("a fact told in a channel", () => {
  it("belongs to that channel and all in it; only admins delete it", async () => {
    chat.model.script([remember("Releases are on Friday."), { text: "Noted." }, { text: "one" }, { text: "two" }]);
    await chat.open();
    chat.ask("we release on Fridays, remember");
    await chat.says("Noted.");
    chat.ask("when?", { user: "U2" });
    await chat.says("one");
    expect(system()).toContain("Releases are on Friday.");
    chat.dm("when?", "U1");
    await chat.says("two", "DU1");
    expect(system()).not.toContain("Friday");
    chat.ask("/memory clear", { user: "U2" });
    await chat.says("Only admins may delete");
    chat.ask("/memory", { user: "U2" });
    await chat.says(/1\. Releases/);
  });
});
