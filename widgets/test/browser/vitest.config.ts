import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: { include: ["*.test.ts"], environment: "node", testTimeout: 30_000, hookTimeout: 30_000, fileParallelism: false },
});
