/** The built program, made once per test run: end-to-end tests start what an operator starts. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../../config/load.ts";

export default function build(): void {
  const root = packageRoot();
  execFileSync(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
  });
}
