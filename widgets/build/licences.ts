// The licence of every package of which a part went into the document: written to THIRD_PARTY_LICENCES, and into the
// document itself, which shows them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { listOf, packagesIn } from "./packages.ts";

const moduleName = "virtual:licences";
const slot = "@third-party-licences@";
const written = new RegExp(`(["'\`])${slot}\\1`, "g");

/** licences writes the list to a file beside the document; extra are packages read while building, such as data. */
export function licences(root: string, file: string, extra: string[]): Plugin {
  return {
    name: "licences",
    resolveId: (id) => (id === moduleName ? "\0" + moduleName : undefined),
    load: (id) => (id === "\0" + moduleName ? `export const thirdParty=${JSON.stringify(slot)};` : undefined),
    generateBundle(_options, bundle) {
      const line = "-".repeat(80) + "\n";
      const head =
        "Parts of these packages are in dist/map.html. The list is written by npm run build.\n\n" +
        "The outlines of land and borders are from Natural Earth (naturalearthdata.com), public domain.\n\n";
      const list = listOf([...packagesIn(bundle), ...extra.map((name) => join(root, "node_modules", name))]);
      writeFileSync(join(root, file), head + line + list);
      let filled = 0;
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        chunk.code = chunk.code.replace(written, () => (filled++, JSON.stringify(list)));
      }
      if (filled !== 1) throw new Error(`the document has ${filled} places for the licences, want one`);
    },
  };
}
