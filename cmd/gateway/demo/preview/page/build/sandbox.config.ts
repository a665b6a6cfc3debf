// Builds the sandbox: one document, since its policy is the widget's, under which it can load nothing.
import { join } from "node:path";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vite";

const root = join(import.meta.dirname, "..");

export default defineConfig({
  root,
  publicDir: false,
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    emptyOutDir: false,
    target: "es2022",
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: join(root, "sandbox.html") },
  },
});
