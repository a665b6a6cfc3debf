import { defineConfig } from "vitest/config";
import { licences } from "./build/licences.ts";

const root = import.meta.dirname;

export default defineConfig({
  root,
  base: "./",
  plugins: [licences(root, "THIRD_PARTY_LICENCES")],
  build: {
    outDir: "dist/page",
    // Other programs may be built from dist at any time: each file takes the old one's place at once.
    emptyOutDir: false,
    target: "es2022",
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    // Few files with plain names, since the server's policy allows files of its own origin and nothing inline.
    rolldownOptions: {
      output: { entryFileNames: "page.js", assetFileNames: "page[extname]", codeSplitting: false },
    },
  },
  test: { include: ["src/**/*.test.ts", "build/**/*.test.ts"], environment: "node" },
});
