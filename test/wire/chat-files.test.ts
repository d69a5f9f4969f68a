/** Files in and out of a Slack thread, pages of the web, and an MCP server. */
import { join } from "node:path";
import { ROOT } from "../support/agent-run.ts";
import { Chat, calls } from "../support/chat.ts";
import { type Reply, told } from "../support/model-server.ts";

let chat: Chat;
beforeEach(async () => {
  chat = await Chat.start();
});
afterEach(() => chat.close());

const result = () => told(chat.model.requests().at(-1), "tool").at(-1);
const write = (path: string, content: string) => calls(["write_file", { path, content }]);
const present = (...paths: string[]) => calls(["present_files", { paths, comment: "As asked." }]);

async function open(replies: Reply[], rest: object = {}): Promise<void> {
  chat.model.script(replies);
  await chat.open({ rest });
}

/** Files the bot posted, as people can open them. */
const sent = () =>
  chat.slack
    .posts("C1")
    .flatMap((message) => message.files.map((id) => ({ message, file: chat.slack.store.files.get(id) })));

describe("a file that a person sends", () => {
  it("reaches the agent, which reads it", async () => {
    await open([calls(["ls", { path: "/uploads" }]), { text: "Got it." }]);
    const files = [{ name: "numbers.csv", type: "text/csv", content: "a,b\n1,2\n" }];
    chat.slack.say({ text: "<@U0BOT> sum this", files });
    await chat.says("Got it.");
    const [, path = ""] =
      /- (\/uploads\/\S*numbers\.csv) \(text\/csv\)/.exec(told(chat.model.requests()[0], "user")[0]!) ?? [];
    expect(result()).toContain(path.replace("/uploads/", ""));
    chat.model.script([calls(["read_file", { path }]), { text: "3" }]);
    chat.ask("and now?", { thread: chat.answers()[0]?.threadTs });
    await chat.says("3");
    expect(result()).toContain("1,2");
  });

  it("with a hostile name stays in its folder", async () => {
    await open([calls(["ls", { path: "/uploads" }]), { text: "Got it." }]);
    const files = [{ name: "../../../etc/cron.d/<b>x", type: "text/plain", content: "x" }];
    chat.slack.say({ text: "<@U0BOT> keep this", files });
    await chat.says("Got it.");
    expect(told(chat.model.requests()[0], "user")[0]).not.toMatch(/\.\.|<b>/);
    expect(result()).toMatch(/x/);
  });
});

describe("present_files", () => {
  it("sends a file from outputs into the thread, with its comment, after the answer", async () => {
    await open([write("/outputs/report.md", "# Report"), present("/outputs/report.md"), { text: "Here it is." }]);
    const thread = chat.ask("write a report");
    await chat.slack.until(() => sent().length > 0, 10_000);
    const [one] = sent();
    expect(one?.file).toMatchObject({ name: "report.md", content: Buffer.from("# Report") });
    expect(one?.message).toMatchObject({ threadTs: thread, text: "As asked." });
    expect(chat.answers().map(({ text }) => text)).toEqual(["Here it is.", "As asked."]);
    await chat.idle();
    expect(sent()).toHaveLength(1);
  });

  it("is kept when the run fails afterwards", async () => {
    await open([
      write("/outputs/report.md", "# Report"),
      present("/outputs/report.md"),
      { status: 400, message: "no" },
    ]);
    chat.ask("write a report");
    await chat.says("⚠️");
    await chat.slack.until(() => sent().length > 0, 10_000);
  });

  it.each(["/outputs/../../../state.db", "/etc/passwd", "/workspace/draft.md", "/uploads/x"])(
    "refuses %s",
    async (path) => {
      await open([write("/workspace/draft.md", "secret"), present(path), { text: "Could not." }]);
      chat.ask("send it");
      await chat.says("Could not.");
      expect(result()).toMatch(/^Error: /);
      expect(sent()).toEqual([]);
    },
  );
});

describe("web_fetch", () => {
  const fetching = () => calls(["web_fetch", { url: `${chat.slack.url}/nothing` }]);

  it("does not reach this machine, by number or by name", async () => {
    const { port } = new URL(chat.slack.url);
    const addresses = [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://2130706433:${port}/`,
    ];
    await open([
      calls(...addresses.map((url): [string, Record<string, unknown>] => ["web_fetch", { url }])),
      { text: "Refused." },
    ]);
    chat.ask("look there");
    await chat.says("Refused.");
    const results = told(chat.model.requests()[1], "tool");
    expect(results).toHaveLength(4);
    for (const text of results) expect(text).toMatch(/private or local network|local name/);
  });

  it("reaches a host that the operator opened", async () => {
    const { host } = new URL(chat.slack.url);
    await open([fetching(), { text: "Seen." }], { tools: { web_fetch: { allow_private_hosts: [host] } } });
    chat.ask("look there");
    await chat.says("Seen.");
    expect(result()).toContain("the server answered 404");
  });
});

describe("an MCP server", () => {
  const server = { command: process.execPath, args: [join(ROOT, "test/support/mcp-server.ts")] };

  it("brings its tools into the chat", async () => {
    await open([calls(["loud__shout", { text: "hello" }]), { text: "It said HELLO." }], {
      tools: { mcp: { loud: server } },
    });
    chat.ask("shout hello");
    await chat.says("It said HELLO.");
    expect(result()).toBe("HELLO");
  });

  it("that cannot be started costs nobody an answer", async () => {
    await open([{ text: "Fine." }], { tools: { mcp: { gone: { command: "/nonexistent/server" } } } });
    chat.ask("hello");
    await chat.says("Fine.");
    expect(chat.logs.join("\n")).toContain("MCP server cannot be used");
  });
});
