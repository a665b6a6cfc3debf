// What axe finds wrong with a page, the widget's frames left out: they have tests of their own.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** violations answers each as its rule and the elements that break it. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(what: object, how: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
    const found = await axe.run({ exclude: [["iframe"]] }, { iframes: false, runOnly: ["wcag2a", "wcag2aa", "wcag21aa"] });
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}
