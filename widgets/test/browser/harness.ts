// Opens the document in a real browser, as a host would, and looks at what a person would see.

import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import { Lease } from "./pages.ts";
import type { Profile, Served } from "./serve.ts";

const shots = join(import.meta.dirname, "../../screenshots");

export interface Said {
  readonly method?: string;
  readonly id?: number;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown>; readonly [key: string]: unknown };
  readonly result?: unknown;
}

export interface ViewOptions {
  readonly profile?: Profile;
  readonly context?: object;
  readonly tools?: Record<string, unknown>;
  readonly width?: number;
}

export const text = (words: string): object => ({ content: [{ type: "text", text: words }] });
const usualTools = { "tomtom-get-api-key": text("key+1"), "tomtom-report-app-status": text("ok") };

export class OpenView {
  readonly #lease: Lease;

  private constructor(lease: Lease) {
    this.#lease = lease;
  }

  static async open(served: Served, options: ViewOptions = {}): Promise<OpenView> {
    const lease = await Lease.take({ ...(options.width !== undefined ? { width: options.width } : {}) });
    await lease.page.goto(served.hostURL);
    await lease.page.evaluate((chosen) => (window as any).openView(chosen), {
      src: served.viewURL(options.profile ?? "declared"),
      context: { theme: "light", locale: "en", ...options.context },
      tools: { ...usualTools, ...options.tools },
    });
    return new OpenView(lease);
  }

  get page(): Page {
    return this.#lease.page;
  }
  get frame(): Frame {
    return this.page.frame("view")!;
  }
  get violations(): readonly string[] {
    return this.#lease.violations;
  }
  get errors(): readonly string[] {
    return this.#lease.errors;
  }

  notify(method: string, params: object): Promise<void> {
    return this.page.evaluate(([name, value]) => (window as any).notifyView(name, value), [method, params] as const);
  }

  async result(result: object, input: object = {}): Promise<void> {
    await this.notify("ui/notifications/tool-input", { arguments: input });
    await this.notify("ui/notifications/tool-result", result);
  }

  said(): Promise<Said[]> {
    return this.page.evaluate(() => (window as any).viewSaid());
  }

  /** calls answers the inputs of the calls of a tool. */
  async calls(tool: string): Promise<Record<string, unknown>[]> {
    const said = await this.said();
    return said
      .filter(({ method, params }) => method === "tools/call" && params?.name === tool)
      .map(({ params }) => params?.arguments ?? {});
  }

  /** reported waits for the first report. */
  async reported(): Promise<Record<string, unknown>> {
    await this.page.waitForFunction(() =>
      (window as any)
        .viewSaid()
        .some((message: Said) => message.method === "tools/call" && message.params?.name === "tomtom-report-app-status"),
    );
    return (await this.calls("tomtom-report-app-status"))[0]!;
  }

  async state(): Promise<string | null> {
    return this.frame.locator("#app").getAttribute("data-state");
  }

  /** visibleText is what can be read in the frame, less what only a screen reader gets. */
  visibleText(): Promise<string> {
    return this.frame.locator("#app").innerText();
  }

  /** settled waits for the tiles, and then until two pictures of the screen are the same: tiles fade in. */
  async settled(): Promise<void> {
    await this.frame.locator(".attribution", { hasText: "Stand-in" }).waitFor();
    await this.page.waitForLoadState("networkidle");
    let before = await this.page.screenshot();
    for (;;) {
      const now = await this.page.screenshot();
      if (now.equals(before)) return;
      before = now;
    }
  }

  /** pixels counts those of the frame within a distance of a colour, as they are on the screen. */
  async pixels(name: string, colour: readonly [number, number, number], distance = 24): Promise<number> {
    const picture = await this.page.screenshot({ path: join(shots, `${name}.png`) });
    return this.page.evaluate(
      async ([base64, [r, g, b], most]) => {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext("2d")!;
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
          const off = Math.abs(data[i]! - r) + Math.abs(data[i + 1]! - g) + Math.abs(data[i + 2]! - b);
          if (off <= most) count++;
        }
        return count;
      },
      [picture.toString("base64"), [...colour] as [number, number, number], distance] as const,
    );
  }

  async close(): Promise<void> {
    await this.#lease.end();
  }
}
