// The switches, as the widget hears of them; and the page for those who have no mouse, or little room.

import { violations } from "./axe.ts";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Opened } from "./opened.ts";

let opened: Opened;

beforeAll(async () => {
  opened = await Opened.open(inject("demo"));
  await opened.say("Route from Amsterdam");
  await opened.questions.getByRole("button", { name: "Approve" }).click();
  await opened.drawn();
});
afterAll(() => opened.close());

const root = (): ReturnType<Opened["widget"]["locator"]> => opened.widget.locator("html");

test("theme: page and widget change together, and nothing is drawn anew", async () => {
  await opened.page.getByRole("button", { name: "Theme: light" }).click();
  await opened.widget.locator('html[data-theme="dark"]').waitFor();
  expect(await opened.page.locator("html").getAttribute("data-theme")).toBe("dark");
  const ground = await opened.page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(ground).toBe("rgb(16, 20, 24)");
  expect(await opened.said("tool-result")).toHaveLength(1);
});

test("everything can be read by eye and by screen reader, dark and light", async () => {
  expect(await violations(opened.page)).toEqual([]);
  await opened.page.getByRole("button", { name: "Theme: dark" }).click();
  await opened.widget.locator('html[data-theme="light"]').waitFor();
  expect(await violations(opened.page)).toEqual([]);
});

test("language", async () => {
  await opened.page.getByLabel("Language").selectOption("de-DE");
  await opened.widget.getByText("Unterwegs").waitFor();
  await opened.page.getByLabel("Language").selectOption("ar-EG");
  await opened.widget.locator('html[dir="rtl"]').waitFor();
  await opened.page.getByLabel("Language").selectOption("en");
  await opened.widget.locator('html[dir="ltr"]').waitFor();
});

test("width and height", async () => {
  const size = (): Promise<number[]> => opened.widgetFrame.evaluate(() => [innerWidth, innerHeight]);
  await opened.page.getByLabel("Width").selectOption("320");
  await opened.page.getByLabel("Height").selectOption("640");
  await expect.poll(size).toEqual([318, 638]);
  await expect.poll(() => root().locator("#app").evaluate((app) => app.clientHeight)).toBe(638);
  await opened.page.getByLabel("Width").selectOption("");
  await opened.page.getByLabel("Height").selectOption("");
  await expect.poll(async () => (await size())[1]).toBe(418);
});

test("full screen: by the host's switch, by the widget's button, and back by Escape", async () => {
  const stage = opened.page.locator(".stage");
  await opened.page.getByRole("button", { name: "Full screen" }).click();
  await opened.widget.getByRole("button", { name: "Leave full screen" }).waitFor();
  await expect.poll(() => opened.widgetFrame.evaluate(() => innerWidth)).toBe(1280);
  await opened.page.getByRole("button", { name: "Back to the conversation" }).click();
  expect(await stage.getAttribute("data-mode")).toBe("inline");
  await opened.widget.getByRole("button", { name: "Full screen" }).click();
  await expect.poll(() => stage.getAttribute("data-mode")).toBe("fullscreen");
  await opened.page.locator(".leave").focus();
  await opened.page.keyboard.press("Escape");
  await opened.widget.getByRole("button", { name: "Full screen" }).waitFor();
});

test("a call is made with the keyboard alone", async () => {
  const { page } = opened;
  await page.locator(".picker > select").focus();
  await page.keyboard.type("TomTom Geo");
  await page.getByLabel("query").focus();
  await page.keyboard.press("Enter");
  await opened.turn.locator("code", { hasText: "tomtom-geocode" }).waitFor();
  await opened.drawn();
});

test("the keyboard keeps a place where what it pressed goes away", async () => {
  const other = await Opened.open(inject("demo"), { width: 900 });
  const { page } = other;
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement!.getAttribute("aria-label") ?? document.activeElement!.textContent ?? "");
  const press = async (wanted: string): Promise<void> => {
    await page.locator(wanted).first().focus();
    await page.keyboard.press("Enter");
  };
  await press(".greeting .prompt");
  await other.drawn();
  expect(await focused()).toBe("Conversation");
  await press(".open-tools");
  await press(".picker .primary");
  await expect.poll(focused).toBe("Tools");
  await press(".show-again");
  await other.turn.locator("code", { hasText: "tomtom-dynamic-map" }).waitFor();
  expect(await focused()).toBe("Conversation");
  await other.close();
});

test("at 900 pixels two columns are left, and the tools come in from the side", async () => {
  const { page } = opened;
  await page.setViewportSize({ width: 900, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(900);
  expect(await page.locator(".sidebar").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Tools" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => page.locator(".sidebar").isVisible()).toBe(false);
  await opened.drawn();
  expect(opened.problems).toEqual([]);
});

test("without the token of the printed address there is a sentence and no data", async () => {
  const address = new URL(inject("demo"));
  address.search = "";
  const other = await Opened.open(address.href);
  expect(await other.page.locator("#app").textContent()).toMatch(/whole address/);
  await other.close();
});

test("the token leaves the address bar, and a reload goes on without it", async () => {
  expect(opened.page.url()).not.toContain("token");
  await opened.page.reload();
  await opened.page.locator(".greeting").waitFor();
  expect(await opened.page.locator(".history li button").count()).toBeGreaterThan(0);
});
