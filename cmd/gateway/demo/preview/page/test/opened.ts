// The page in a browser, and what a person does and sees there.

import { expect, inject } from "vitest";
import { chromium, type Browser, type Frame, type FrameLocator, type Locator, type Page } from "playwright-core";
import { Picture } from "../../../../../../widgets/test/browser/png.ts";

type Kind = "browser" | "isolated";

const browsers = new Map<Kind, Promise<Browser>>();

function browserOf(kind: Kind): Promise<Browser> {
  const known = browsers.get(kind) ?? chromium.connect(inject(kind));
  browsers.set(kind, known);
  return known;
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  readonly browser?: Kind;
}

export class Opened {
  readonly problems: string[] = [];
  /** Origins that anything on the page asked for something. */
  readonly asked = new Set<string>();

  private constructor(readonly page: Page) {
    page.on("pageerror", (error) => this.problems.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      if (/content security policy/i.test(message.text())) this.problems.push(message.text());
    });
    page.on("request", (request) => this.asked.add(new URL(request.url()).origin));
  }

  static async open(address: string, { width = 1280, height = 900, theme = "light", browser = "browser" }: OpenOptions = {}): Promise<Opened> {
    const context = await (await browserOf(browser)).newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
    const opened = new Opened(await context.newPage());
    await opened.page.goto(address);
    await opened.page.locator(".top, .problem.whole").first().waitFor();
    return opened;
  }

  /** The widget's document, in the second frame. */
  get widget(): FrameLocator {
    return this.page.frameLocator(".slot iframe").frameLocator("iframe");
  }
  get widgetFrame(): Frame {
    return this.page.frame("view")!;
  }
  get questions(): Locator {
    return this.page.locator(".approval");
  }
  get turn(): Locator {
    return this.page.locator(".turn.current");
  }

  /** say presses a sentence. */
  async say(words: string): Promise<void> {
    await this.page.locator(".prompt:visible", { hasText: words }).first().click();
    await this.turn.locator(".said", { hasText: words }).waitFor();
  }

  /** run runs a tool with its first example. */
  async run(tool: string): Promise<void> {
    await this.page.locator(".picker > select").selectOption(tool);
    await this.page.getByRole("button", { name: "Run", exact: true }).click();
    await this.page.locator(".turn.current .toolcall code", { hasText: new RegExp(`^${tool}$`) }).last().waitFor();
  }

  /** toState waits for a state of the widget's. */
  async toState(state: string): Promise<void> {
    await this.widget.locator(`#app[data-state="${state}"]`).waitFor();
  }

  /** ready waits until a map is drawn. */
  async drawn(): Promise<void> {
    await this.toState("drawn");
  }

  /** fault turns one on or off, and waits for the view that a host with it opens. */
  async fault(label: string): Promise<void> {
    const views = (await this.said("•", "view", "ui://")).length;
    const faults = this.page.getByRole("group", { name: "Faults of the host" });
    if (!(await faults.isVisible())) await this.page.getByRole("button", { name: /^Faults/ }).click();
    await faults.getByLabel(label).click();
    await this.page.keyboard.press("Escape");
    await expect.poll(async () => (await this.said("•", "view", "ui://")).length).toBeGreaterThan(views);
  }

  /** limit presses a step, and waits until its figures are there. */
  async limit(characters: string): Promise<void> {
    await this.page.getByRole("button", { name: `${characters} characters`, exact: true }).click();
    await this.page.locator(`.bar[aria-label^="Of ${characters} characters"]`).waitFor();
  }

  /** said answers the log's rows that have some words, as one text each. */
  async said(...words: string[]): Promise<string[]> {
    const rows = await this.page.locator(".log-list summary").allTextContents();
    return rows.filter((row) => words.every((word) => row.includes(word)));
  }

  async picture(part: Locator): Promise<Picture> {
    return new Picture(await part.screenshot());
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
