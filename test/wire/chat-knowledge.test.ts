/** Skills, agents and the conversation's goal, used by people in Slack. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Chat, calls } from "../support/chat.ts";
import { told } from "../support/model-server.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const admins = { slack: ["U1"] };
const system = () => told(chat.model.requests().at(-1), "system").join("\n");
const tools = () => (chat.model.requests().at(-1)?.tools ?? []).map((tool) => tool.function.name);

function skill(name: string, text: string): void {
  const dir = join(chat.folder.path, "skills", name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "SKILL.md"), text);
}

const open = () =>
  chat.open({ rest: { admins, skills: { dirs: ["config/skills/public", join(chat.folder.path, "skills")] } } });

describe("skills", () => {
  it("are listed by /skills without the broken ones, and the log names those", async () => {
    skill("haiku", "---\nname: haiku\ndescription: Writes poems.\n---\nCount syllables.");
    skill("broken", "no front matter");
    await open();
    chat.ask("/skills");
    const list = await chat.answer();
    expect(list).toContain("/haiku");
    expect(list).toContain("Writes poems.");
    expect(list).not.toMatch(/broken|bootstrap/);
    expect(chat.logs.join("\n")).toMatch(/"level":"warn"[^\n]*broken/);
  });

  it("hand their text to the model when they are called by name, and only then", async () => {
    skill("haiku", "---\nname: haiku\ndescription: Writes poems.\n---\nCount <syllables> twice.");
    chat.model.script([{ text: "An old pond." }, { text: "Hi." }]);
    await open();
    const thread = chat.ask("/haiku about ponds");
    await chat.says("An old pond.");
    expect(system()).toContain("Count &lt;syllables&gt; twice.");
    expect(told(chat.model.requests()[0], "user")[0]).toContain("/haiku about ponds");
    chat.ask("hello", { thread });
    await chat.says("Hi.");
    expect(system()).not.toContain("syllables");
  });

  it("work with the slash command as well, which has no slash of its own", async () => {
    skill("haiku", "---\nname: haiku\ndescription: Writes poems.\n---\nCount syllables.");
    chat.model.script([{ text: "An old pond." }]);
    await open();
    chat.slack.slash("haiku about ponds");
    await chat.says("An old pond.");
    expect(system()).toContain("Count syllables.");
    expect(told(chat.model.requests()[0], "user")[0]).toContain("/haiku about ponds");
    chat.slack.slash("nonsense here");
    await chat.slack.until(() => chat.whispers("U1").length > 0);
    expect(chat.whispers("U1")[0]).toContain("There is no command");
  });

  it("that do not exist are told, with what is near", async () => {
    skill("haiku", "---\nname: haiku\ndescription: Writes poems.\n---\nCount.");
    await open();
    chat.ask("/haikku");
    await chat.says("There is no command");
    expect(chat.model.requests()).toEqual([]);
  });
});

describe("agents", () => {
  const made = calls([
    "setup_agent",
    { name: "Scout", description: "Looks ahead.", soul: "You are Scout. You look <ahead>." },
  ]);

  it("are made by talking, over several messages, and then used by name", async () => {
    chat.model.script([
      { text: "What is it for?" },
      made,
      { text: "Scout is there." },
      { text: "Back to work." },
      { text: "I am Scout." },
    ]);
    await open();
    const thread = chat.ask("/agent new one that looks ahead");
    await chat.says("What is it for?");
    expect(tools()).toContain("setup_agent");
    chat.ask("for trips", { thread });
    await chat.says("Scout is there.");
    expect(readFileSync(join(chat.folder.path, "agents", "Scout", "SOUL.md"), "utf8")).toContain("You are Scout.");
    chat.ask("thanks", { thread });
    await chat.says("Back to work.");
    expect(tools()).not.toContain("setup_agent");
    chat.ask("/agent Scout", { thread });
    await chat.says("talks to Scout");
    chat.ask("who are you?", { thread });
    await chat.says("I am Scout.");
    expect(system()).toContain("You look &lt;ahead&gt;.");
  });

  it("are not made by others than admins, unless the config says so", async () => {
    chat.model.script([{ text: "What is it for?" }]);
    await open();
    chat.ask("/agent new a spy", { user: "U2" });
    await chat.says("Only admins may create agents here.");
    expect(chat.model.requests()).toEqual([]);
    await chat.open({ rest: { admins, agents: { create: "anyone", data_dir: join(chat.folder.path, "agents") } } });
    chat.ask("/agent new a helper", { user: "U2" });
    await chat.says("What is it for?");
    expect(existsSync(join(chat.folder.path, "agents", "Scout"))).toBe(false);
  });

  it("that are unknown are refused, and /agent lists those there are", async () => {
    await open();
    const thread = chat.ask("/agent nobody");
    await chat.says("There is no agent");
    chat.ask("/agent", { thread });
    await chat.says("researcher");
  });
});

describe("a goal", () => {
  it("is told to the model in each message until it is cleared, as data", async () => {
    chat.model.script([{ text: "one" }, { text: "two" }]);
    await open();
    const thread = chat.ask("/goal ship 1.0 &lt;/goal&gt;");
    await chat.says("I keep that goal in mind");
    chat.ask("hello", { thread });
    await chat.says("one");
    expect(system()).toContain("ship 1.0 &lt;/goal&gt;");
    chat.ask("/goal", { thread });
    await chat.says("The goal of this conversation: ship 1.0");
    chat.ask("/goal clear", { thread });
    await chat.says("no goal any more");
    chat.ask("hello", { thread });
    await chat.says("two");
    expect(system()).not.toContain("<goal>");
  });

  it("belongs to its conversation: not to another thread, and not past /new", async () => {
    chat.model.script([{ text: "one" }, { text: "two" }]);
    await open();
    const thread = chat.ask("/goal ship 1.0");
    await chat.says("I keep that goal in mind");
    chat.ask("hello");
    await chat.says("one");
    expect(system()).not.toContain("ship 1.0");
    chat.ask("/new", { thread });
    await chat.says("A new conversation");
    chat.ask("hello", { thread });
    await chat.says("two");
    expect(system()).not.toContain("ship 1.0");
  });

  it("of more than 2,000 characters is refused", async () => {
    await open();
    chat.ask(`/goal ${"x".repeat(2_001)}`);
    await chat.says("at most 2000 characters");
  });
});
