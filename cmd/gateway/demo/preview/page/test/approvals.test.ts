// What a widget asks for, and what a person answers.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Opened } from "./opened.ts";

let opened: Opened;
const report = "tomtom-report-app-status";

beforeAll(async () => {
  opened = await Opened.open(inject("demo"));
  await opened.page.locator(".log-open").click();
});
afterAll(() => opened.close());

test("a rejected call does not reach the gateway, and the map stands", async () => {
  await opened.say("Route from Amsterdam");
  await opened.drawn();
  await opened.questions.waitFor();
  expect(await opened.questions.textContent()).toContain(report);
  expect(await opened.said("app status")).toEqual([]);
  await opened.questions.getByRole("button", { name: "Reject" }).click();
  await expect.poll(() => opened.said("tools/call", "error")).toHaveLength(1);
  expect(await opened.questions.count()).toBe(0);
  expect(await opened.said("⇄", "app status")).toEqual([]);
  await opened.drawn();
});

test("what was rejected is asked again; what is approved reaches the gateway's log", async () => {
  await opened.say("What is reachable");
  await opened.questions.getByRole("button", { name: "Approve" }).click();
  await expect.poll(() => opened.said("⇄", "app status", "tomtom-reachable-range", "drawn")).toHaveLength(1);
  expect(await opened.questions.count()).toBe(0);
});

test("a tool that only widgets see is asked for once", async () => {
  await opened.say("Show me the area");
  await expect.poll(() => opened.said("⇄", "app status", "tomtom-dynamic-map")).toHaveLength(1);
  expect(await opened.questions.count()).toBe(0);
});

test("what the map would say for the person is said once they approve", async () => {
  await opened.run("tomtom-nearby");
  await opened.drawn();
  const said = opened.page.locator(".said", { hasText: "said by the map" });
  await opened.widget.locator(".row").first().click();
  for (const answer of ["Reject", "Approve"]) {
    await opened.widget.locator(".ask:not([aria-disabled='true'])").click();
    await opened.questions.waitFor();
    expect(await said.count()).toBe(0);
    await opened.questions.getByRole("button", { name: answer }).click();
    await opened.questions.waitFor({ state: "detached" });
  }
  await said.waitFor();
});

test("a question ends with its widget", async () => {
  await opened.page.reload();
  await opened.say("Route from Amsterdam");
  await opened.questions.waitFor();
  await opened.say("What is reachable");
  await opened.drawn();
  await expect.poll(() => opened.questions.count()).toBe(1);
});

test("the log is filtered by words and by direction", async () => {
  const { page } = opened;
  await page.locator(".log-open").click();
  const visible = (): Promise<string[]> => page.locator(".log-list li:not([hidden]) .log-method").allTextContents();
  await page.getByLabel("Filter messages").fill("tool-result");
  expect(new Set(await visible())).toEqual(new Set(["ui/notifications/tool-result"]));
  await page.getByLabel("Filter messages").fill("");
  await page.getByLabel("from the widget").uncheck();
  expect(await visible()).not.toContain("ui/notifications/initialized");
  await page.locator(".log-list summary").filter({ hasText: "tool-result" }).first().click();
  expect(await page.locator(".log-list pre").first().textContent()).toContain("characters)");
});
