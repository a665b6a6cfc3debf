// The licence of every package of which a part went into the document: written to THIRD_PARTY_LICENCES, and into the
// document itself, which shows them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** packageOf: the folder of the package that a module belongs to; undefined for our own. */
export function packageOf(moduleId: string): string | undefined {
  const path = moduleId.replace(/^\0/, "").split("?")[0] ?? "";
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  return match?.[1];
}

function licenceText(folder: string): string {
  const name = readdirSync(folder).find((file) => /^licen[sc]e/i.test(file));
  if (name === undefined) throw new Error(`no licence in ${folder}`);
  return readFileSync(join(folder, name), "utf8").trim().replace(/\r\n/g, "\n");
}

function entry(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
  };
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${licenceText(folder)}\n`;
}

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
      const folders = new Set(extra.map((name) => join(root, "node_modules", name)));
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const [id, module] of Object.entries(chunk.modules)) {
          const folder = packageOf(id);
          if (folder !== undefined && module.renderedLength > 0 && existsSync(folder)) folders.add(folder);
        }
      }
      const line = "-".repeat(80) + "\n";
      const head =
        "Parts of these packages are in dist/map.html. The list is written by npm run build.\n\n" +
        "The outlines of land and borders are from Natural Earth (naturalearthdata.com), public domain.\n\n";
      const list = [...folders].sort().map(entry).join(`\n${line}`);
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
