import { parseCommand, words } from "../../../src/commands/parse.ts";

const names = ["help", "new", "stop", "status", "plan", "todos", "approve", "reject", "admin"];
const parse = (text: string) => parseCommand(text, names);

describe("commands in text", () => {
  it.each([
    ["/stop", "stop", ""],
    ["  /plan on ", "plan", "on"],
    ["/plan write a report\nwith two parts", "plan", "write a report\nwith two parts"],
    ["/STOP", "stop", ""],
    ["／stop", "stop", ""],
    ["/ｓｔｏｐ", "stop", ""],
    ["\u200b/stop\u200b", "stop", ""],
    ["/status@planbot", "status", ""],
    ["stop", "stop", ""],
    ["Approve", "approve", ""],
  ])("%j is /%s with %j", (text, name, args) => {
    expect(parse(text)).toEqual({ kind: "command", name, args });
  });

  it.each([
    "/mnt/data/report.csv is missing",
    "/usr/bin/env",
    "https://example.org/stop",
    "please /stop",
    "stop the server, then start it",
    "// comment",
    "/ stop",
    "/etc is full",
    "/1 of it",
    "",
  ])("%j is chat", (text) => {
    expect(parse(text)).toEqual({ kind: "chat" });
  });

  it("suggests the nearest command for a misspelt one", () => {
    expect(parse("/stauts")).toEqual({ kind: "unknown", name: "stauts", suggestion: "status" });
    expect(parse("/pln on")).toEqual({ kind: "unknown", name: "pln", suggestion: "plan" });
    expect(parse("/restart")).toEqual({ kind: "unknown", name: "restart", suggestion: undefined });
  });
});

it("reads quoted arguments, with smart quotes and full-width letters", () => {
  expect(words("say C1 “hello  there” it’s")).toEqual(["say", "C1", "hello  there", "it's"]);
  expect(words("policy　set　ｒｅｓｐｏｎｄ all")).toEqual(["policy", "set", "respond", "all"]);
});
