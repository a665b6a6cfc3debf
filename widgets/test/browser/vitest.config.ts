import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ["*.test.ts"],
    environment: "node",
    globalSetup: "global.ts",
    // One browser draws for all files; more views at once than this only wait for each other.
    fileParallelism: false,
    maxConcurrency: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
