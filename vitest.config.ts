import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The checkpoint conformance suite expects beforeAll and friends as globals.
    globals: true,
    include: ["test/**/*.test.ts"],
    // Processes, not threads: the tests start servers, spawn the bridge and read process-wide state.
    pool: "forks",
    maxWorkers: 2,
    // Files share a worker's modules: a third of the run was loading them again. No module of ours holds state.
    isolate: false,
    testTimeout: 40_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
  },
});
