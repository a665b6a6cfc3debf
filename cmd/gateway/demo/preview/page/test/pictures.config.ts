import { defineConfig } from "vitest/config";

// Takes the pictures of the documentation. They are no test: nothing fails here but what cannot be shown.
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ["pictures.shots.ts"], environment: "node", globalSetup: "global.ts", testTimeout: 120_000, hookTimeout: 120_000 },
});
