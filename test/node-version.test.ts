import { execFileSync } from "node:child_process";

const major = (version: string) => Number(/^v(\d+)\./.exec(version)?.[1]);

describe("runtime", () => {
  it("is at least Node 22", () => {
    expect(major(process.version)).toBeGreaterThanOrEqual(22);
  });

  it("is at least Node 22 for the processes that tests start by the name node", () => {
    expect(major(execFileSync("node", ["--version"], { encoding: "utf8" }))).toBeGreaterThanOrEqual(22);
  });
});
