import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import type { FieldCase } from "../fixtures/cases/check.mjs";
import { loadOps, neverEnded, opOf, problems } from "./table.ts";

const FIXTURES = new URL("../fixtures/cases/", import.meta.url);
const CASES = JSON.parse(readFileSync(new URL("cases.json", FIXTURES), "utf8")) as FieldCase[];
const OPS = await loadOps();

const nameOf = ({ op, platform }: FieldCase) => `${op}:${platform}`;

async function answer(testCase: FieldCase): Promise<string[]> {
  const op = opOf(OPS, testCase);
  if (op === undefined) throw new Error(`No op for ${nameOf(testCase)}`);
  return testCase.expect.terminates === true ? guarded(testCase) : problems(op, testCase);
}

async function guarded(testCase: FieldCase): Promise<string[]> {
  const worker = new Worker(new URL("./guarded.ts", import.meta.url), { workerData: testCase });
  try {
    const [found] = (await once(worker, "message", { signal: AbortSignal.timeout(15_000) })) as [string[]];
    return found;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    return neverEnded(testCase);
  } finally {
    await worker.terminate();
  }
}

describe("cases from the field", () => {
  const owned = CASES.filter((testCase) => opOf(OPS, testCase) !== undefined);

  it.each(owned)("$id: $op on $platform is right", async (testCase) => {
    expect(await answer(testCase)).toEqual([]);
  });

  it("have an owner for every op", () => {
    const missing = CASES.filter((testCase) => opOf(OPS, testCase) === undefined).map(nameOf);
    expect(missing).toEqual([]);
  });

  it("are checked by a checker that takes the good samples and refuses the bad ones", () => {
    const checker = fileURLToPath(new URL("check.mjs", FIXTURES));
    const report = execFileSync(process.execPath, [checker, "--self-test"], { encoding: "utf8" });
    expect(report).toContain(" 0 problems");
  });
});
