import { renameSync } from "node:fs";
import { join } from "node:path";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";
import { licences } from "./build/licences.ts";
import { world } from "./build/world.ts";

const root = import.meta.dirname;

/** named gives the document the name under which the Go package embeds it. */
function named(name: string): Plugin {
  return {
    name: "named",
    closeBundle: () => renameSync(join(root, "dist", "index.html"), join(root, "dist", name)),
  };
}

export default defineConfig({
  root,
  plugins: [
    world(),
    licences(root, "THIRD_PARTY_LICENCES", ["world-atlas"]),
    viteSingleFile({ removeViteModuleLoader: true }),
    named("map.html"),
  ],
  // Other programs may be built from dist at any time: the new document takes the old one's place at once.
  build: { emptyOutDir: false, target: "es2022", reportCompressedSize: false, modulePreload: { polyfill: false } },
  test: { include: ["src/**/*.test.ts", "build/**/*.test.ts"], environment: "node" },
});
