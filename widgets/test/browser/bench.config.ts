import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.config.ts";

// Figures, not tests: nothing fails for being slow. npm run bench:browser
export default mergeConfig(defineConfig({ ...shared, test: { ...shared.test, include: [] } }), {
  test: { name: "figures", include: ["*.bench.ts"], maxConcurrency: 1, testTimeout: 300_000 },
});
