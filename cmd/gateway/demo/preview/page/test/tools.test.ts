// Every tool of the demonstration, run from the form, and every sentence.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Opened } from "./opened.ts";

let opened: Opened;

beforeAll(async () => {
  opened = await Opened.open(inject("demo"));
});
afterAll(() => opened.close());

/** What the widget says of a result that is no map. */
const withoutMap: Readonly<Record<string, string>> = { "tomtom-poi-categories": "hidden" };

const calls = (): Promise<number> => opened.page.locator(".history button").count();

test("every tool draws", async () => {
  const tools = await opened.page.locator(".picker > select option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  expect(tools).toHaveLength(15);
  expect(tools).not.toContain("tomtom-report-app-status");
  const before = await calls();
  for (const tool of tools) {
    await opened.run(tool);
    await opened.toState(withoutMap[tool] ?? "drawn");
    if (tool in withoutMap) continue;
    const colours = (await opened.picture(opened.page.locator(".slot"))).colours();
    expect(colours, tool).toBeGreaterThan(40);
  }
  await expect.poll(calls).toBe(before + tools.length);
});

test("every sentence is said, with the call that an agent would make of it", async () => {
  const sentences = await opened.page.locator(".suggestions .prompt").allTextContents();
  expect(sentences.length).toBeGreaterThanOrEqual(6);
  for (const sentence of sentences) {
    await opened.say(sentence);
    await opened.drawn();
    await opened.turn.locator(".toolcall summary").click();
    expect(JSON.parse((await opened.turn.locator(".toolcall pre").textContent())!)).toMatchObject({ show_ui: true });
  }
  await expect.poll(() => opened.page.locator('.history button[aria-current="true"]').count()).toBe(1);
});

test("a sentence that is pressed twice is one call", async () => {
  const before = await calls();
  await opened.page.locator(".suggestions .prompt").first().dblclick();
  await opened.drawn();
  await expect.poll(calls).toBe(before + 1);
});

test("a call of the history is shown again, and no tool runs for it", async () => {
  const before = await calls();
  const oldest = opened.page.locator(".history button").last();
  await oldest.click();
  await opened.drawn();
  expect(await calls()).toBe(before);
  expect(await opened.page.locator(".history button").last().getAttribute("aria-current")).toBe("true");
  await opened.page.locator(".show-again").last().click();
  await opened.drawn();
  expect(await calls()).toBe(before);
});

test("arguments are edited as JSON, and what is wrong with them is said", async () => {
  const { page } = opened;
  await page.locator(".picker > select").selectOption("tomtom-geocode");
  await page.getByRole("button", { name: "JSON" }).click();
  const text = page.getByLabel("Arguments as JSON");
  await text.fill("{");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  expect(await page.locator(".form .problem").textContent()).toMatch(/no JSON/);
  await text.fill('{"query":"Berlin","show_ui":true}');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await opened.drawn();
  expect(await opened.turn.locator(".toolcall pre").textContent()).toContain("Berlin");
  await page.getByRole("button", { name: "Form" }).click();
});

test("what the server finds wrong is said, and read by the agent", async () => {
  const { page } = opened;
  await page.locator(".picker > select").selectOption("tomtom-geocode");
  await page.getByLabel("query").fill("");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  expect(await page.getByLabel("query").evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true);
});

test("nothing asks for anything beyond this machine, and no policy is violated", () => {
  for (const origin of opened.asked) expect(origin).toMatch(/^(http:\/\/(127\.0\.0\.1|localhost):\d+|null)$/);
  expect(opened.problems).toEqual([]);
});
