/** Which folders a run sees: its session's three, and for the person at the terminal the folder they stand in. */
import { join } from "node:path";
import type { Mount, Mounts } from "./mounts.ts";

/** Bulk that is never the answer, and files that hold secrets. */
const isHidden = (name: string): boolean => name === "node_modules" || name === ".git" || /^\.env(\..*)?$/.test(name);

export function sessionMounts(workspaceDir: string, project?: string): Mounts {
  const own = (name: string): Mount => ({ name, dir: join(workspaceDir, name), writable: true });
  const work = own("workspace");
  const all = [own("uploads"), work, own("outputs")];
  if (project === undefined) return { all, home: work, work };
  const home: Mount = { name: "project", dir: project, writable: false, hidden: isHidden };
  return { all: [home, ...all], home, work };
}
