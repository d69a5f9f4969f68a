/** Tells when files an operator edits have changed, once per burst of writes. */
import { watch } from "chokidar";

export interface Watching {
  /** Resolves when changes are seen. */
  ready: Promise<void>;
  close(): Promise<void>;
}

/** Survives editors that replace the file by renaming a new one over it. `paths` may hold folders. */
export function watchConfig(paths: string | string[], onChange: () => void, settleMs = 300): Watching {
  const watcher = watch(paths, { ignoreInitial: true, atomic: true });
  let timer: NodeJS.Timeout | undefined;
  watcher.on("all", (event) => {
    if (event === "unlink" || event === "unlinkDir") return;
    clearTimeout(timer);
    timer = setTimeout(onChange, settleMs);
  });
  return {
    ready: new Promise((resolve) => watcher.once("ready", () => resolve())),
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
