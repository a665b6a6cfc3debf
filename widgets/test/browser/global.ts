// What all browser tests share: one browser, the gateway, the host pages, and what lies outside.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { buildGateway, makeCertificate, startGateway } from "./gateway.ts";
import { buildHostPages, serveHostPages } from "./hostpages.ts";
import { serveOutside } from "./outside.ts";

/** Smaller than most app data: what cannot be fitted does not get through. */
const smallLimitChars = "3000";

declare module "vitest" {
  interface ProvidedContext {
    readonly browser: string;
    readonly hostOrigin: string;
    readonly sandboxURL: string;
    readonly outside: string;
    readonly gateway: string;
    readonly smallGateway: string;
    readonly metrics: string;
  }
}

/** The name of the project whose figures are those of a browser as people have it. */
const measured = "figures";
const flags = [
  "--no-sandbox",
  "--force-color-profile=srgb",
  "--ignore-certificate-errors",
  // A graphics card that is computed costs more than no card.
  "--disable-gpu",
  "--disable-software-rasterizer",
];

export const screenshots = join(import.meta.dirname, "../../screenshots");

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const path = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  if (!existsSync(path)) {
    throw new Error(`No browser at ${path}: install Debian's chromium, or name one in CHROMIUM`);
  }
  mkdirSync(screenshots, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "widget-tests-"));
  const binary = buildGateway(folder);
  const outside = await serveOutside(makeCertificate(folder));
  const pagesFolder = join(folder, "pages");
  await buildHostPages(pagesFolder);
  const pages = await serveHostPages(pagesFolder);
  const gateway = await startGateway(binary, outside.origin);
  const small = await startGateway(binary, outside.origin, ["-limit", smallLimitChars]);
  const browser = await chromium.launchServer({
    executablePath: path,
    // For tests, host and view share a process: every process takes a second of processor time to start.
    args: [...flags, ...(project.name === measured ? [] : ["--disable-site-isolation-trials"])],
  });
  project.provide("browser", browser.wsEndpoint());
  project.provide("hostOrigin", pages.hostOrigin);
  project.provide("sandboxURL", pages.sandboxURL);
  project.provide("outside", outside.origin);
  project.provide("gateway", gateway.mcpURL);
  project.provide("smallGateway", small.mcpURL);
  project.provide("metrics", gateway.metricsURL);
  return async () => {
    await browser.close();
    await Promise.all([gateway.stop(), small.stop()]);
    pages.close();
    outside.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
