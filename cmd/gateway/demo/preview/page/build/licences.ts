// The licence of every package of which a part went into the page: written to THIRD_PARTY_LICENCES beside it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { listOf, packagesIn } from "../../../../../../widgets/build/packages.ts";

export function licences(root: string, file: string): Plugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const head = "Parts of these packages are in dist/page/page.js. The list is written by npm run build.\n\n";
      writeFileSync(join(root, file), head + listOf(packagesIn(bundle)));
    },
  };
}
