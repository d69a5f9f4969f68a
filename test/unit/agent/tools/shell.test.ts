import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellTool } from "../../../../src/agent/tools/shell.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "shell-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const run = (command: string, timeoutMs = 5000, signal?: AbortSignal): Promise<string> =>
  shellTool({ dir, timeoutMs }).invoke({ command }, signal ? { signal } : {}) as Promise<string>;

/** A zombie that nobody has reaped yet counts as ended. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !(existsSync("/proc/self/stat") && / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  } catch {
    return false;
  }
};

describe("the shell tool", () => {
  it("runs in the session's folder and tells output and exit code", async () => {
    expect(await run("echo out; echo err >&2; touch made; exit 3")).toMatch(/^(out\nerr|err\nout)\n\[exit code 3\]$/);
    expect(existsSync(join(dir, "made"))).toBe(true);
  });

  it("passes on nothing of our own environment", async () => {
    process.env.SECRET_TOKEN = "xoxb-secret";
    const names = (await run("env | cut -d= -f1 | sort")).split("\n");
    delete process.env.SECRET_TOKEN;
    expect(names).not.toContain("SECRET_TOKEN");
    expect(names.filter((name) => !["PWD", "_", "SHLVL", "OLDPWD", "[exit code 0]"].includes(name))).toEqual([
      "HOME",
      "LANG",
      "PATH",
    ]);
  });

  it("ends a command and all it started after the time limit", async () => {
    const text = await run("sleep 30 & echo $!; sleep 30", 300);
    expect(text).toContain("[ended after 0 s]");
    await vi.waitFor(() => expect(isAlive(Number.parseInt(text, 10))).toBe(false));
  });

  it("does not wait for a background child, and ends it", async () => {
    const text = await run("sleep 30 & echo $!");
    expect(text).toContain("[exit code 0]");
    await vi.waitFor(() => expect(isAlive(Number.parseInt(text, 10))).toBe(false));
  });

  it("ends at once when the run is stopped", async () => {
    const stop = new AbortController();
    const waiting = run("touch begun; sleep 30", 20_000, stop.signal);
    const ended = expect(waiting).rejects.toThrow();
    await vi.waitFor(() => expect(existsSync(join(dir, "begun"))).toBe(true));
    stop.abort();
    await ended;
  });

  it("caps what it returns", async () => {
    const text = await run("head -c 1000000 /dev/zero | tr '\\0' x");
    expect(text.length).toBeLessThan(41_000);
    expect(text).toContain("960000 more bytes");
  });
});
