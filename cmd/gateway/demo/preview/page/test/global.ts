// What all browser tests share: browsers, the demonstration, and a server that means harm with a page in front of it.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { build, demo, preview, start } from "./commands.ts";

/** What nobody but the server behind the gateway may see. */
const secret = "hostile-secret-0123456789";

declare module "vitest" {
  interface ProvidedContext {
    readonly browser: string;
    /** A browser as people have it, where host and view are in processes of their own. */
    readonly isolated: string;
    readonly demo: string;
    readonly hostile: string;
    /** The hostile server's own origin. */
    readonly canary: string;
    readonly secret: string;
  }
}

const flags = ["--no-sandbox", "--force-color-profile=srgb", "--disable-gpu", "--disable-software-rasterizer"];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const path = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  if (!existsSync(path)) throw new Error(`No browser at ${path}: install Debian's chromium, or name one in CHROMIUM`);
  const folder = mkdtempSync(join(tmpdir(), "preview-tests-"));
  const gateway = build(folder, "./cmd/gateway", "gateway");
  const harm = await start(build(folder, "./e2e/hostile/serve", "hostile"), [], /http:\S+/);
  const pages = await Promise.all([demo(gateway), preview(gateway, harm.said, secret)]);
  const launch = (more: string[]): ReturnType<typeof chromium.launchServer> => chromium.launchServer({ executablePath: path, args: [...flags, ...more] });
  // Every process takes a second of processor time to start.
  const [browser, isolated] = await Promise.all([launch(["--disable-site-isolation-trials"]), launch([])]);
  project.provide("browser", browser.wsEndpoint());
  project.provide("isolated", isolated.wsEndpoint());
  project.provide("demo", pages[0].said);
  project.provide("hostile", pages[1].said);
  project.provide("canary", new URL(harm.said).origin);
  project.provide("secret", secret);
  return async () => {
    await Promise.all([browser.close(), isolated.close()]);
    await Promise.all([...pages, harm].map((running) => running.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
}
