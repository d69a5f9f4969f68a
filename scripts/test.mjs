// `npm test`: everything that must hold before a change is merged. Arguments are passed on to vitest.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { redisForTests } from "./redis.mjs";
import { root, setUp } from "./setup.mjs";

const node = setUp();
const redis = await redisForTests();
const out = mkdtempSync(path.join(tmpdir(), "planbridge-test-"));
process.on("exit", cleanUp);
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.on(signal, () => process.exit(code));

const started = Date.now();
const checks = [
  ["types", await run("typescript/bin/tsc", ["--noEmit"])],
  ["lint", await run("@biomejs/biome/bin/biome", ["check", "."])],
  ["unused code", await run("knip/bin/knip.js", [])],
  ["build", await run("typescript/bin/tsc", ["-p", "tsconfig.build.json"])],
];
const tests = await runTests(process.argv.slice(2));
summarize();

async function runTests(filters) {
  const file = path.join(out, "vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const ok = await run("vitest/vitest.mjs", ["run", ...reporters, ...filters]);
  return { ...count(file), ok };
}

/** A file that could not be loaded holds no tests, so it counts as one failure. */
function count(file) {
  try {
    const report = JSON.parse(readFileSync(file, "utf8"));
    const broken = report.testResults.filter((it) => it.status === "failed" && it.assertionResults.length === 0).length;
    const skipped = report.numPendingTests + report.numTodoTests;
    return { passed: report.numPassedTests, failed: report.numFailedTests + broken, skipped };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }; // vitest ended before it could write a report; `ok` is false then
  }
}

function run(script, args) {
  process.stdout.write(
    `\n> ${path.basename(script)} ${args.filter((it) => !it.startsWith("--reporter") && !it.startsWith("--outputFile")).join(" ")}\n`,
  );
  const child = spawn(node, [path.join(root, "node_modules", script), ...args], {
    cwd: root,
    env: testEnvironment(),
    stdio: "inherit",
  });
  process.once("exit", () => child.kill());
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}

/** Without the developer's own tokens: a test must never reach a real workspace or a paid model. */
function testEnvironment() {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(SLACK|DISCORD|TELEGRAM|OPENAI|ANTHROPIC|LANGSMITH|PLANBRIDGE)_/.test(name),
  );
  const bin = path.join(root, "node_modules", ".bin");
  return { ...Object.fromEntries(own), REDIS_URL: redis.url, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
}

/** The closing line counts each check as one, so that "0 failed" and exit code 0 always mean the same. */
function summarize() {
  const failedChecks = checks.filter(([, ok]) => !ok).length;
  const crash = !tests.ok && tests.failed === 0 ? 1 : 0;
  const failed = tests.failed + crash + failedChecks;
  const lines = [
    "",
    ...checks.map(([name, ok]) => `${ok ? "ok    " : "FAILED"}  ${name}`),
    `${tests.ok ? "ok    " : "FAILED"}  tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped${crash ? " (vitest reported an error outside the tests)" : ""}`,
    `${Math.round((Date.now() - started) / 1000)} s`,
    `${tests.passed + checks.length - failedChecks} passed, ${failed} failed`,
  ];
  process.exitCode = failed === 0 ? 0 : 1;
  process.stdout.write(`${lines.join("\n")}\n`);
  cleanUp();
}

function cleanUp() {
  redis.stop();
  rmSync(out, { recursive: true, force: true });
}
