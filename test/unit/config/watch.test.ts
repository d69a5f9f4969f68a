import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Watching, watchConfig } from "../../../config/watch.ts";

describe("watchConfig", () => {
  let folder: string;
  let file: string;
  let watching: Watching;
  let changes: number;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "planbridge-watch-"));
    file = path.join(folder, "planbridge.yaml");
    writeFileSync(file, "a: 1\n");
    changes = 0;
    watching = watchConfig(file, () => void changes++, 100);
    await watching.ready;
  });
  afterEach(async () => {
    await watching.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const replace = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };

  it("tells one change for a burst of writes", async () => {
    for (const text of ["b: 1\n", "b: 22\n", "b: 333\n"]) writeFileSync(file, text);
    await expect.poll(() => changes).toBe(1);
  });

  it("goes on after the file was replaced by renaming, every time", async () => {
    replace("c: 1\n");
    await expect.poll(() => changes).toBe(1);
    replace("c: 22\n");
    await expect.poll(() => changes).toBe(2);
    writeFileSync(file, "c: 333\n");
    await expect.poll(() => changes).toBe(3);
  });
});
