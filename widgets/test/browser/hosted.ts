// A view inside a real host, and what a person would see of it.

import { inject } from "vitest";
import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import type { Faults, Heard, HostOptions, Input, Result } from "./hosts/contract.ts";
import { Lease, type PageOptions } from "./pages.ts";
import { Picture } from "./png.ts";
import type { Profile } from "./policies.ts";

const shots = join(import.meta.dirname, "../../screenshots");

export interface HostedOptions extends PageOptions {
  readonly host?: "bridge" | "mcpui";
  readonly gateway?: "gateway" | "smallGateway";
  readonly profile?: Profile;
  readonly context?: Record<string, unknown>;
  readonly faults?: Faults;
  readonly answers?: Readonly<Record<string, Result>>;
  readonly without?: readonly string[];
}

let nextKey = 0;

export class Hosted {
  readonly #lease: Lease;
  readonly key = `key-${process.pid}-${nextKey++}+&`;

  private constructor(lease: Lease) {
    this.#lease = lease;
  }

  static async open(tool: string, options: HostedOptions = {}): Promise<Hosted> {
    const lease = await Lease.take(options);
    const { page } = lease;
    const hosted = new Hosted(lease);
    await page.goto(`${inject("hostOrigin")}/${options.host ?? "bridge"}.html`);
    await page.waitForFunction(() => window.host !== undefined);
    const chosen: HostOptions = {
      gatewayURL: inject(options.gateway ?? "gateway"),
      sandboxURL: inject("sandboxURL"),
      profile: options.profile ?? "declared",
      key: hosted.key,
      tool,
      context: { theme: "light", locale: "en", availableDisplayModes: ["inline", "fullscreen"], ...options.context },
      faults: options.faults ?? {},
      answers: options.answers ?? {},
      without: options.without ?? [],
    };
    await page.evaluate((host) => window.host.open(host), chosen);
    return hosted;
  }

  get page(): Page {
    return this.#lease.page;
  }
  get violations(): readonly string[] {
    return this.#lease.violations;
  }
  get errors(): readonly string[] {
    return this.#lease.errors;
  }
  get frame(): Frame {
    return this.page.frame("view")!;
  }

  run(tool: string, input: Input): Promise<Result> {
    return this.page.evaluate(([name, value]) => window.host.run(name, value), [tool, input] as const);
  }
  call(tool: string, input: Input): Promise<Result> {
    return this.page.evaluate(([name, value]) => window.host.call(name, value), [tool, input] as const);
  }
  input(input: Input): Promise<void> {
    return this.page.evaluate((value) => window.host.input(value), input);
  }
  partial(input: Input): Promise<void> {
    return this.page.evaluate((value) => window.host.partial(value), input);
  }
  result(result: Result): Promise<void> {
    return this.page.evaluate((value) => window.host.result(value), result);
  }
  context(changed: Record<string, unknown>): Promise<void> {
    return this.page.evaluate((value) => window.host.context(value), changed);
  }

  async heard(what: Heard["what"]): Promise<Heard[]> {
    const all = await this.page.evaluate(() => window.host.heard());
    return all.filter((entry) => entry.what === what);
  }

  async calls(tool: string): Promise<Heard[]> {
    return (await this.heard("call")).filter(({ value }) => value.name === tool);
  }

  /** reported waits for a number of reports that the gateway has answered, and answers all there are. */
  async reported(count = 1): Promise<Record<string, unknown>[]> {
    await this.page.waitForFunction(
      (least) =>
        window.host.heard().filter(({ what, value, answer }) => {
          return what === "call" && value.name === "tomtom-report-app-status" && answer !== undefined;
        }).length >= least,
      count,
    );
    return (await this.calls("tomtom-report-app-status")).map(({ value }) => value.input);
  }

  /** spoken is what a screen reader was last told. */
  spoken(): Promise<string> {
    return this.frame.getByRole("status").innerText();
  }

  /** toState waits for a state of the document. */
  toState(state: string): Promise<void> {
    return this.frame.locator(`#app[data-state="${state}"]`).waitFor();
  }

  visibleText(): Promise<string> {
    return this.frame.locator("#app").innerText();
  }

  /** asked answers the addresses outside that this view asked for. */
  async asked(): Promise<string[]> {
    const answer = await this.page.request.get(`${inject("outside")}/asked?key=${encodeURIComponent(this.key)}`);
    return (await answer.json()) as string[];
  }

  /** settled waits until two pictures of the screen are the same: tiles come and fade in. */
  async settled(): Promise<void> {
    let before = await this.page.screenshot();
    for (;;) {
      await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 120))));
      const now = await this.page.screenshot();
      if (now.equals(before)) return;
      before = now;
    }
  }

  /** shot keeps what is on the screen in the folder of screenshots. */
  async shot(name: string): Promise<Picture> {
    return new Picture(await this.page.screenshot({ path: join(shots, `${name}.png`) }));
  }

  async close(): Promise<void> {
    await this.#lease.end();
  }
}
