import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ["*.test.ts"],
    environment: "node",
    globalSetup: "global.ts",
    // One browser draws for all files; more views at once than this only wait for each other.
    fileParallelism: false,
    // Files share the pages that they have started.
    isolate: false,
    maxConcurrency: 4,
    testTimeout: 120_000,
    // A busy machine may stall a page for longer than vitest's own second, and now and then for longer than a test waits.
    expect: { poll: { timeout: 20_000 } },
    retry: 2,
    hookTimeout: 120_000,
  },
});
