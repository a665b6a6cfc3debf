// Pages that views take in turn: to start one costs a second of processor time, more than most tests need themselves.

import { inject } from "vitest";
import { chromium, type Browser, type ConsoleMessage, type Page } from "playwright-core";

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly touch?: boolean;
  /** A screen of two pixels to each of CSS. */
  readonly dense?: boolean;
  /** Without motion, unless said otherwise: a picture of what still moves is of no use. */
  readonly calm?: boolean;
  /** Installed before the document runs, so that a test can move the time on. */
  readonly clock?: boolean;
  /** In a process that has drawn nothing before, as a person's first map is. */
  readonly fresh?: boolean;
}

let connection: Promise<Browser> | undefined;
const idle: Page[] = [];

async function newPage(options: PageOptions): Promise<Page> {
  connection ??= chromium.connect(inject("browser"));
  const { touch = false, dense = false } = options;
  const context = await (await connection).newContext({
    ignoreHTTPSErrors: true,
    hasTouch: touch,
    isMobile: touch,
    deviceScaleFactor: dense ? 2 : 1,
  });
  return context.newPage();
}

/** Lease is a page for one view. */
export class Lease {
  readonly violations: string[] = [];
  readonly errors: string[] = [];

  private constructor(
    readonly page: Page,
    /** Whether another view can have it afterwards: fingers, screens and clocks stay with a page, and a fresh one is no more. */
    readonly lasts: boolean,
  ) {
    page.on("console", this.#said);
    page.on("pageerror", this.#thrown);
  }

  static async take(options: PageOptions): Promise<Lease> {
    const { width = 720, height = 460, touch = false, dense = false, calm = true, clock = false, fresh = false } = options;
    const lasts = !touch && !dense && !clock && !fresh;
    const page = (lasts ? idle.pop() : undefined) ?? (await newPage(options));
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ reducedMotion: calm ? "reduce" : "no-preference" });
    if (clock) await page.clock.install();
    return new Lease(page, lasts);
  }

  /** end stops whatever still runs in the page. */
  async end(): Promise<void> {
    this.page.off("console", this.#said);
    this.page.off("pageerror", this.#thrown);
    if (!this.lasts) {
      await this.page.context().close();
      return;
    }
    await this.page.goto("about:blank");
    idle.push(this.page);
  }

  readonly #said = (message: ConsoleMessage): void => {
    if (/Content Security Policy/i.test(message.text())) this.violations.push(message.text());
  };
  readonly #thrown = (error: Error): void => void this.errors.push(String(error.stack ?? error));
}
