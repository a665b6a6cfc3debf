// The pictures of README and docs/preview.md, and the animated one.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { Picture } from "../../../../../../widgets/test/browser/png.ts";
import { animation, type Shot } from "../build/animation.ts";
import { Opened } from "./opened.ts";

const folder = join(import.meta.dirname, "../screenshots");
mkdirSync(folder, { recursive: true });

/** still waits until two pictures are the same: tiles come one after the other. */
async function still({ page }: Opened): Promise<Buffer> {
  for (let before = await page.screenshot(); ; ) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 250))));
    const now = await page.screenshot();
    if (now.equals(before)) return now;
    before = now;
  }
}

async function shoot(opened: Opened, name: string): Promise<void> {
  writeFileSync(join(folder, `${name}.png`), await still(opened));
}

/** aside takes the pointer off the page, where it would leave its mark. */
async function aside({ page }: Opened): Promise<void> {
  await page.mouse.move(640, 1);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

async function routed(opened: Opened, limit: string): Promise<void> {
  await opened.say("Route from Amsterdam");
  await opened.questions.getByRole("button", { name: "Approve" }).click();
  await opened.drawn();
  await opened.limit(limit);
  await opened.drawn();
  await aside(opened);
}

test.each(["light", "dark"] as const)("the page, %s", async (theme) => {
  const opened = await Opened.open(inject("demo"), { theme, height: 860 });
  await routed(opened, "20,000");
  await shoot(opened, `preview-route-${theme}`);
  await opened.close();
});

test("what else there is to see", async () => {
  const opened = await Opened.open(inject("demo"), { height: 860 });
  await aside(opened);
  await shoot(opened, "preview-start");
  await opened.say("What is the traffic like");
  await opened.drawn();
  await aside(opened);
  await shoot(opened, "preview-question");
  await opened.questions.getByRole("button", { name: "Approve" }).click();
  await opened.fault("Drop _meta");
  await opened.say("Route from Amsterdam");
  await opened.toState("failed");
  await opened.page.locator(".log-open").click();
  await aside(opened);
  await shoot(opened, "preview-faults");
  await opened.close();
  const narrow = await Opened.open(inject("demo"), { width: 900, height: 860, theme: "dark" });
  await routed(narrow, "60,000");
  await shoot(narrow, "preview-narrow");
  await narrow.close();
});

test("the animated picture", async () => {
  const opened = await Opened.open(inject("demo"), { width: 1280, height: 780 });
  const shots: Shot[] = [];
  const take = async (ms: number): Promise<void> => {
    await aside(opened);
    shots.push({ picture: new Picture(await still(opened)), ms });
  };
  await take(1600);
  await opened.say("Route from Amsterdam");
  await opened.drawn();
  await opened.questions.waitFor();
  await take(2200);
  await opened.questions.getByRole("button", { name: "Approve" }).click();
  await opened.questions.waitFor({ state: "detached" });
  await take(1000);
  for (const [limit, ms] of [["90,000", 900], ["60,000", 900], ["40,000", 900], ["20,000", 2200]] as const) {
    await opened.limit(limit);
    await opened.drawn();
    await take(ms);
  }
  await opened.limit("1,000,000");
  await opened.drawn();
  await take(1800);
  await opened.page.getByRole("button", { name: "Theme: light" }).click();
  await opened.widget.locator('html[data-theme="dark"]').waitFor();
  await take(1800);
  await opened.fault("Drop _meta");
  await opened.toState("failed");
  await take(2600);
  const gif = animation(shots);
  expect(gif.length).toBeLessThan(1_500_000);
  writeFileSync(join(folder, "preview.gif"), gif);
  await opened.close();
});
