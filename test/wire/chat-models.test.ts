/** Models that fail, are not there or forget: the person in the thread still gets an answer. */
import { Chat } from "../support/chat.ts";
import { openaiModel } from "../support/house.ts";
import { type ModelServer, told } from "../support/model-server.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const two = (server: ModelServer) => [
  openaiModel(server, { name: "first", model: "gpt-first", max_retries: 0 }),
  openaiModel(server, { name: "second", model: "gpt-second", max_retries: 0 }),
];
const asked = () => chat.model.requests().map(({ model }) => model);

describe("a model that fails", () => {
  it.each([500, 429, 529])("with %i is replaced by the next one, and nothing of it is seen", async (status) => {
    chat.model.script([{ status, message: "boom" }, { text: "Here." }]);
    await chat.open({ models: two, rest: { model_fallback: ["second"] } });
    chat.ask("hello");
    expect(await chat.answer()).toBe("Here.");
    expect(asked()).toEqual(["gpt-first", "gpt-second"]);
    expect(chat.everShown()).not.toContain("boom");
  });

  it("together with its replacement is told in one sentence; the next message works", async () => {
    chat.model.script([{ status: 500 }, { status: 529 }, { text: "Here." }]);
    await chat.open({ models: two, rest: { model_fallback: ["second"] } });
    const thread = chat.ask("hello");
    expect(await chat.answer()).toMatch(/^⚠️ .+\.$/);
    chat.ask("and now?", { thread });
    await chat.says("Here.");
  });
});

describe("a model that is not configured", () => {
  it("is replaced by the first one, with a warning in the log", async () => {
    chat.model.script([{ text: "Here." }]);
    await chat.open({ models: two, slack: { session: { context: { model_name: "gone" } } } });
    chat.ask("hello");
    expect(await chat.answer()).toBe("Here.");
    expect(asked()).toEqual(["gpt-first"]);
    expect(chat.logs.join("\n")).toContain("The model gone is not configured; first answers instead.");
  });

  it("is refused by /model, which changes it for the conversation alone", async () => {
    chat.model.script([{ text: "from the second" }, { text: "from the first" }]);
    await chat.open({ models: two });
    const thread = chat.ask("/model gone");
    await chat.says("There is no model");
    chat.ask("/model second", { thread });
    await chat.says("uses the model second");
    chat.ask("hello", { thread });
    await chat.says("from the second");
    chat.ask("hello");
    await chat.says("from the first");
    expect(asked()).toEqual(["gpt-second", "gpt-first"]);
  });
});

describe("a conversation that has become too long", () => {
  const TOO_LONG = "This model's maximum context length is 128000 tokens.";

  it("is summarized and asked about once more; the summary is not shown", async () => {
    const turns = 5;
    chat.model.script(Array.from({ length: turns }, (_, at) => ({ text: `answer ${at}` })));
    await chat.open();
    const thread = chat.ask("question 0");
    for (let at = 0; at < turns; at += 1) {
      if (at > 0) chat.ask(`question ${at}`, { thread });
      await chat.says(`answer ${at}`);
    }
    chat.model.script([{ status: 400, message: TOO_LONG }, { text: "THE SUMMARY" }, { text: "Short again." }]);
    chat.ask("go on", { thread });
    await chat.says("Short again.");
    expect(chat.model.requests()).toHaveLength(3);
    const last = told(chat.model.requests()[2], "user");
    expect(last.at(-1)).toContain("go on");
    expect(last.join("\n")).toContain("THE SUMMARY");
    expect(last.join("\n")).not.toContain("question 0");
    expect(chat.everShown()).not.toContain("THE SUMMARY");
  });

  it("and cannot be made shorter is told as that", async () => {
    chat.model.script([{ status: 400, message: TOO_LONG }], { repeat: true });
    await chat.open();
    chat.ask("hello");
    expect(await chat.answer()).toMatch(/too long for the model.*\/new/);
  });
});
