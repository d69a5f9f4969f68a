import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { presentFilesTool } from "../../../../src/agent/tools/present-files.ts";
import { sessionMounts } from "../../../../src/agent/tools/workspace.ts";
import type { AgentEvent } from "../../../../src/types.ts";

let root: string;
let events: AgentEvent[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "present-"));
  events = [];
  for (const folder of ["uploads", "workspace", "outputs"]) await mkdir(join(root, "s", folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const present = (...paths: string[]): Promise<string> =>
  presentFilesTool(sessionMounts(join(root, "s")), { maxBytes: 100, emit: (event) => events.push(event) }).invoke({
    paths,
    comment: "here",
  }) as Promise<string>;

describe("present_files", () => {
  it("hands files of outputs/ over with name and type", async () => {
    await writeFile(join(root, "s/outputs/report.csv"), "a,b");
    expect(await present("/outputs/report.csv")).toBe("Handed over: report.csv.");
    expect(events).toEqual([
      {
        type: "file",
        path: join(root, "s/outputs/report.csv"),
        name: "report.csv",
        mime: "text/csv",
        comment: "here",
      },
    ]);
  });

  it("sends nothing from elsewhere, by no kind of link, and nothing at all if one of several is refused", async () => {
    await writeFile(join(root, "secret"), "secret");
    await writeFile(join(root, "s/workspace/draft"), "draft");
    await writeFile(join(root, "s/outputs/good"), "good");
    await writeFile(join(root, "s/outputs/big"), "x".repeat(101));
    await symlink(join(root, "secret"), join(root, "s/outputs/soft"));
    await symlink("../workspace/draft", join(root, "s/outputs/sideways"));
    await link(join(root, "secret"), join(root, "s/outputs/hard"));
    const refused = ["/workspace/draft", "draft", "../secret", "/outputs/../../secret", "/outputs/soft"];
    for (const path of [...refused, "/outputs/sideways", "/outputs/hard", "/outputs/big", "/outputs/none", "/outputs"])
      await expect(present("/outputs/good", path), path).rejects.toThrow();
    expect(events).toEqual([]);
  });
});
