import { distinct, isAllowed, matchesName } from "../../../../src/agent/tools/registry.ts";

describe("names and patterns", () => {
  it.each([
    ["web_fetch", "web_fetch", true],
    ["web_fetch", "web_*", true],
    ["web_fetch", "*_fetch", true],
    ["web_fetch", "*", true],
    ["web_fetch", "w*b*h", true],
    ["web_fetch", "web", false],
    ["web_fetch", "web_?etch", false],
    ["web.fetch", "web_fetch", false],
    ["ab", "ab*b", false],
    ["aXbXb", "a*b*b", true],
    ["", "*", true],
  ])("%s and %s: %s", (name, pattern, expected) => {
    expect(matchesName(name, pattern)).toBe(expected);
  });

  it("a deny wins over every allow, and no rule allows", () => {
    expect(isAllowed("shell", { allow: ["*"], deny: ["shell"] })).toBe(false);
    expect(isAllowed("ls", { allow: ["*"], deny: ["shell"] })).toBe(true);
    expect(isAllowed("ls", { allow: [] })).toBe(false);
    expect(isAllowed("ls", {})).toBe(true);
    expect(isAllowed("ls", undefined)).toBe(true);
  });
});

it("the first tool of a name stays, the others are told", () => {
  const told: string[] = [];
  const tools = [
    { name: "a", from: 1 },
    { name: "b", from: 2 },
    { name: "a", from: 3 },
  ];
  expect(distinct(tools, (name) => told.push(name)).map(({ from }) => from)).toEqual([1, 2]);
  expect(told).toEqual(["a"]);
});
