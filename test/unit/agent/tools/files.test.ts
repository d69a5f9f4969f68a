import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { fileTools } from "../../../../src/agent/tools/files.ts";
import { searchTools } from "../../../../src/agent/tools/search-files.ts";
import { sessionMounts } from "../../../../src/agent/tools/workspace.ts";

let root: string;
let session: string;
let tools: Map<string, StructuredToolInterface>;

function toolsFor(project?: string): Map<string, StructuredToolInterface> {
  const mounts = sessionMounts(session, project);
  const all = [...fileTools(mounts, { maxBytes: 1000 }), ...searchTools(mounts, { maxBytes: 1000 })];
  return new Map(all.map((tool) => [tool.name, tool]));
}

async function use(name: string, input: object): Promise<string> {
  return String(await tools.get(name)?.invoke(input));
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "files-"));
  session = join(root, "session");
  await writeFile(join(root, "secret.txt"), "top secret");
  tools = toolsFor();
  await use("ls", { path: "/" });
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("reading and writing", () => {
  it("writes, reads, edits and lists a file", async () => {
    await use("write_file", { path: "/outputs/report/a.md", content: "one\ntwo\nthree\n" });
    expect(await use("read_file", { path: "/outputs/report/a.md" })).toBe("one\ntwo\nthree");
    await use("edit_file", { path: "/outputs/report/a.md", old_string: "two", new_string: "2" });
    expect(await readFile(join(session, "outputs/report/a.md"), "utf8")).toBe("one\n2\nthree\n");
    expect(await use("ls", { path: "/outputs" })).toBe("/outputs/report/");
    expect(await use("ls", { path: "outputs/report" })).toBe("/outputs/report/a.md\t12 bytes");
  });

  it("takes a relative path as one in the working folder", async () => {
    await use("write_file", { path: "notes.md", content: "x" });
    expect(await readFile(join(session, "workspace/notes.md"), "utf8")).toBe("x");
    expect(await use("read_file", { path: "notes.md" })).toBe("x");
  });

  it("pages through a long file and says how to go on", async () => {
    await use("write_file", { path: "l.txt", content: Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n") });
    expect(await use("read_file", { path: "l.txt", offset: 10, limit: 2 })).toBe(
      "line 10\nline 11\n[lines 11 to 12 of 30; go on with offset 12]",
    );
    await expect(use("read_file", { path: "l.txt", offset: 30 })).rejects.toThrow("has 30 lines");
  });

  it("keeps the line ends of a Windows file when it edits", async () => {
    await writeFile(join(session, "workspace/w.txt"), "a\r\nb\r\nc\r\n");
    await use("edit_file", { path: "w.txt", old_string: "a\nb", new_string: "x\ny" });
    expect(await readFile(join(session, "workspace/w.txt"), "utf8")).toBe("x\r\ny\r\nc\r\n");
  });

  it("refuses an edit that would hit several places, and does it on request", async () => {
    await use("write_file", { path: "t", content: "a a a" });
    await expect(use("edit_file", { path: "t", old_string: "a", new_string: "b" })).rejects.toThrow("3 times");
    await use("edit_file", { path: "t", old_string: "a", new_string: "b", replace_all: true });
    expect(await use("read_file", { path: "t" })).toBe("b b b");
  });

  it("refuses files over the limit, both ways, and binary ones", async () => {
    await expect(use("write_file", { path: "big", content: "é".repeat(501) })).rejects.toThrow("more than 1000");
    await writeFile(join(session, "workspace/big"), "x".repeat(1001));
    await expect(use("read_file", { path: "big" })).rejects.toThrow("more than 1000");
    await writeFile(join(session, "workspace/bin"), Buffer.from([1, 0, 2]));
    await expect(use("read_file", { path: "bin" })).rejects.toThrow("not a text file");
  });

  it("leaves no draft behind when a write fails", async () => {
    await mkdir(join(session, "workspace/folder"));
    await expect(use("write_file", { path: "folder", content: "x" })).rejects.toThrow("is a folder");
    expect(await use("ls", { path: "/workspace" })).toBe("/workspace/folder/");
  });
});

describe("the walls", () => {
  const outside = ["../secret.txt", "/workspace/../../secret.txt", "/etc/passwd", "..\\secret.txt", "workspace/a\0b"];
  it.each(outside)("refuses %j for reading and writing", async (path) => {
    await expect(use("read_file", { path })).rejects.toThrow();
    await expect(use("write_file", { path, content: "x" })).rejects.toThrow();
    await expect(use("ls", { path })).rejects.toThrow();
  });

  it("never tells a path of the machine", async () => {
    const errors = await Promise.all(
      ["/etc/passwd", "/workspace/none/x", "/outputs"].map((path) =>
        use("read_file", { path }).catch((error: Error) => error.message),
      ),
    );
    expect(errors.join(" ")).not.toContain(root);
  });

  it("refuses links that lead out, as file and as folder", async () => {
    await symlink(join(root, "secret.txt"), join(session, "workspace/s"));
    await symlink(root, join(session, "workspace/d"));
    await expect(use("read_file", { path: "s" })).rejects.toThrow("leads out");
    await expect(use("read_file", { path: "d/secret.txt" })).rejects.toThrow("leads out");
    await expect(use("write_file", { path: "s", content: "x" })).rejects.toThrow("leads out");
    await expect(use("write_file", { path: "d/new", content: "x" })).rejects.toThrow("leads out");
    await expect(use("ls", { path: "d" })).rejects.toThrow("leads out");
    expect(await use("glob", { pattern: "**/*" })).not.toContain("secret");
    expect(await use("grep", { text: "top secret" })).toContain("No line");
    expect(await readFile(join(root, "secret.txt"), "utf8")).toBe("top secret");
  });

  it("does not follow a dangling link when writing", async () => {
    await symlink(join(root, "made.txt"), join(session, "workspace/s"));
    await expect(use("write_file", { path: "s", content: "x" })).rejects.toThrow("link to nothing");
  });

  it("neither reads nor changes a hard link to a file elsewhere", async () => {
    await link(join(root, "secret.txt"), join(session, "workspace/h"));
    await expect(use("read_file", { path: "h" })).rejects.toThrow("hard link");
    await use("write_file", { path: "h", content: "mine" });
    expect(await readFile(join(root, "secret.txt"), "utf8")).toBe("top secret");
  });

  it("does not hang on a pipe", async () => {
    execFileSync("mkfifo", [join(session, "workspace/pipe")]);
    await expect(use("read_file", { path: "pipe" })).rejects.toThrow("not a plain file");
  });

  it("allows links that stay inside", async () => {
    await use("write_file", { path: "a", content: "inside" });
    await symlink("a", join(session, "workspace/b"));
    expect(await use("read_file", { path: "b" })).toBe("inside");
  });
});

describe("searching", () => {
  beforeEach(async () => {
    await use("write_file", { path: "src/a.ts", content: "const Alpha = 1;\n" });
    await use("write_file", { path: "src/deep/b.ts", content: "// alpha\n" });
    await use("write_file", { path: "c.md", content: "beta\n" });
  });

  it("finds files by pattern at any depth, and in all folders for an absolute one", async () => {
    expect(await use("glob", { pattern: "*.ts" })).toBe("/workspace/src/a.ts\n/workspace/src/deep/b.ts");
    expect(await use("glob", { pattern: "src/*.ts" })).toBe("/workspace/src/a.ts");
    expect(await use("glob", { pattern: "/**/c.md" })).toBe("/workspace/c.md");
    expect(await use("glob", { pattern: "*.py" })).toBe("No file matches *.py.");
  });

  it("finds lines, with their place, in a folder or one file", async () => {
    expect(await use("grep", { text: "alpha" })).toBe("/workspace/src/deep/b.ts:1: // alpha");
    expect((await use("grep", { text: "alpha", ignore_case: true })).split("\n")).toHaveLength(2);
    expect(await use("grep", { text: "beta", path: "c.md" })).toBe("/workspace/c.md:1: beta");
    expect(await use("grep", { text: "a", glob: "*.md" })).toBe("/workspace/c.md:1: beta");
  });

  it("takes the text of a search as it is, not as a pattern", async () => {
    expect(await use("grep", { text: "a.*a" })).toContain("No line");
  });
});

describe("the terminal's folder", () => {
  beforeEach(async () => {
    const project = join(root, "project");
    await mkdir(join(project, "node_modules/lib"), { recursive: true });
    await mkdir(join(project, "src"));
    await writeFile(join(project, "package.json"), '{"name":"demo"}');
    await writeFile(join(project, "src/index.ts"), "demo");
    await writeFile(join(project, "node_modules/lib/big.js"), "demo".repeat(1000));
    await writeFile(join(project, ".env"), "TOKEN=demo");
    tools = toolsFor(project);
  });

  it("is where relative paths begin", async () => {
    expect(await use("read_file", { path: "package.json" })).toBe('{"name":"demo"}');
    expect(await use("ls", {})).toBe("/project/package.json\t15 bytes\n/project/src/");
  });

  it("is read-only, and what the agent writes beside it comes first", async () => {
    await expect(use("write_file", { path: "/project/package.json", content: "" })).rejects.toThrow("read-only");
    await use("write_file", { path: "package.json", content: "mine" });
    expect(await use("read_file", { path: "package.json" })).toBe("mine");
    expect(await use("read_file", { path: "/project/package.json" })).toBe('{"name":"demo"}');
  });

  it("weighs node_modules but does not read it, nor files with secrets", async () => {
    expect((await use("disk_usage", { path: "." })).split("\n").slice(0, 2)).toEqual([
      "/project: 4.0 kB in 4 entries, largest first",
      "4.0 kB\tnode_modules/\t1 files",
    ]);
    expect(await use("grep", { text: "demo" })).toBe(
      '/project/package.json:1: {"name":"demo"}\n/project/src/index.ts:1: demo',
    );
    await expect(use("read_file", { path: ".env" })).rejects.toThrow("not readable");
    await symlink("../node_modules/lib", join(root, "project/src/lib"));
    await expect(use("read_file", { path: "src/lib/big.js" })).rejects.toThrow("not readable");
  });
});
