// The packages of which a part went into what is built, and their licences.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Bundle is what a bundler says of what it wrote: the modules of each chunk, by id. */
export type Bundle = Readonly<Record<string, { readonly type: string; readonly modules?: Readonly<Record<string, { readonly renderedLength: number }>> }>>;

/** packageOf: the folder of the package that a module belongs to; undefined for our own. */
export function packageOf(moduleId: string): string | undefined {
  const path = moduleId.replace(/^\0/, "").split("?")[0] ?? "";
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  return match?.[1];
}

/** packagesIn answers the folders of a bundle's packages. */
export function packagesIn(bundle: Bundle): string[] {
  const folders = new Set<string>();
  for (const chunk of Object.values(bundle)) {
    for (const [id, module] of Object.entries(chunk.modules ?? {})) {
      const folder = packageOf(id);
      if (folder !== undefined && module.renderedLength > 0 && existsSync(folder)) folders.add(folder);
    }
  }
  return [...folders];
}

/** listOf answers name, version and licence of each package, in order. */
export function listOf(folders: Iterable<string>): string {
  const line = "-".repeat(80) + "\n";
  return [...new Set(folders)].sort().map(entry).join(`\n${line}`);
}

function entry(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
  };
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${licenceText(folder)}\n`;
}

function licenceText(folder: string): string {
  const name = readdirSync(folder).find((file) => /^licen[sc]e/i.test(file));
  if (name === undefined) throw new Error(`no licence in ${folder}`);
  return readFileSync(join(folder, name), "utf8").trim().replace(/\r\n/g, "\n");
}
