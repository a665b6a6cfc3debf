// What a person does while something else is on its way.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Opened } from "./opened.ts";

let opened: Opened;

beforeAll(async () => {
  opened = await Opened.open(inject("demo"));
  await opened.say("Route from Amsterdam");
  await opened.drawn();
});
afterAll(() => opened.close());

test("a fault that is switched while a call runs does not keep its map away", async () => {
  const { page } = opened;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/calls", async (route) => {
    await released;
    await route.continue();
  });
  await page.locator(".picker > select").selectOption("tomtom-geocode");
  await Promise.all([page.waitForRequest("**/api/calls"), page.getByRole("button", { name: "Run", exact: true }).click()]);
  await page.getByRole("button", { name: /^Faults/ }).click();
  await page.getByRole("group", { name: "Faults of the host" }).getByLabel("Result twice").click();
  await page.keyboard.press("Escape");
  expect(await page.locator(".slot iframe").count()).toBe(0);
  release();
  await opened.drawn();
  await opened.turn.locator(".toolcall code", { hasText: "tomtom-geocode" }).waitFor();
  await page.unroute("**/api/calls");
  await opened.fault("Result twice");
  await opened.drawn();
});

test("a limit that is chosen before the widget can take a result is the one of the result that it gets", async () => {
  await opened.say("Route from Amsterdam");
  await opened.drawn();
  await opened.fault("Slow host");
  const before = (await opened.said("→", "tool-result")).length;
  await opened.limit("20,000");
  await opened.widget.getByText("Drawn within 66 m").first().waitFor();
  // Messages keep their order: what comes after this one would have been there before it.
  const told = (await opened.said("→", "host-context-changed")).length;
  await opened.page.getByRole("button", { name: /^Theme/ }).click();
  await expect.poll(() => opened.said("→", "host-context-changed")).toHaveLength(told + 1);
  expect(await opened.said("→", "tool-result")).toHaveLength(before + 1);
  await opened.fault("Slow host");
  await opened.widget.getByText("Drawn within 66 m").first().waitFor();
});

test("another fault leaves a limit that is on its way on its way", async () => {
  const { page } = opened;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/fit?limit=40000*", async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole("button", { name: "40,000 characters", exact: true }).click();
  await opened.fault("Result twice");
  release();
  await page.locator('.bar[aria-label^="Of 40,000 characters"]').waitFor();
  await page.unroute("**/fit?limit=40000*");
  await opened.fault("Result twice");
});
