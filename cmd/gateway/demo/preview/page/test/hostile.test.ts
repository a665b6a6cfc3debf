// A server that means harm: its widgets, its resources, its names, its answers.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Locator } from "playwright-core";
import { Opened } from "./opened.ts";

let opened: Opened;

beforeAll(async () => {
  opened = await Opened.open(inject("hostile"), { browser: "isolated" });
});
afterAll(() => opened.close());

async function hits(): Promise<unknown> {
  return (await fetch(`${inject("canary")}/hits`)).json();
}

interface Attempt {
  readonly name: string;
  readonly outcome: string;
}

const question = (): Locator => opened.questions.filter({ hasText: "hostile-both" });

/** attempts runs a widget up to the call that a person has to answer, and answers what it tried until then. */
async function attempts(tool: string): Promise<Attempt[]> {
  await opened.run(tool);
  await question().waitFor();
  return opened.widget.locator("#attempts li").evaluateAll((lines) => lines.map((line) => ({ name: line.dataset["attempt"]!, outcome: line.dataset["outcome"]! })));
}

test.each(["hostile-escape", "hostile-inject"])("%s gets nowhere", async (tool) => {
  const address = opened.page.url();
  const tried = await attempts(tool);
  expect(tried.length).toBeGreaterThanOrEqual(20);
  expect(tried.filter(({ outcome }) => outcome !== "blocked")).toEqual([]);
  // What it then tries is to go elsewhere with what it knows: the frame's policy leaves it where it is, or with an error page.
  const refused = (await opened.said("refused", "hostile-both")).length;
  await question().getByRole("button", { name: "Reject" }).click();
  await expect.poll(async () => (await opened.said("refused", "hostile-both")).length).toBe(refused + 1);
  await expect.poll(async () => opened.widgetFrame.url() !== "about:srcdoc" || (await opened.widgetFrame.locator("#done").isVisible())).toBe(true);
  expect(await hits()).toEqual([]);
  expect(opened.page.url()).toBe(address);
  expect(opened.page.context().pages()).toHaveLength(1);
  expect(opened.page.frames()).toHaveLength(3);
  for (const frame of opened.page.frames()) expect(await frame.locator("#forged").count()).toBe(0);
});

test("domains that are directives are left out of the policy, and the log says so", async () => {
  expect(await opened.page.locator(".log-list").textContent()).toContain("refused");
  const frame = opened.page.frames()[1]!;
  expect(new URL(frame.url()).origin).not.toBe(new URL(opened.page.url()).origin);
  const answer = await opened.page.request.get(frame.url());
  const policy = answer.headers()["content-security-policy"]!;
  expect(policy).toContain("https://tiles.example.com");
  expect(policy).not.toMatch(/unsafe-eval|script-src \*| \*[ ;]|javascript:/);
});

test.each([
  ["hostile-two", /2 contents/],
  ["hostile-type", /text\/html/],
  ["hostile-large", /more than/],
  ["hostile-missing", /./],
])("%s is not drawn, and the reason is said", async (tool, reason) => {
  await opened.run(tool);
  const problem = opened.page.locator(".turn .problem").last();
  await problem.waitFor();
  expect(await problem.textContent()).toMatch(reason);
  expect(await opened.page.locator(".slot iframe").count()).toBe(0);
});

test("names, descriptions and answers are text, whatever stands in them", async () => {
  await opened.run("hostile-error");
  await opened.page.locator(".texts", { hasText: "<script>alert(1)</script>" }).waitFor();
  expect(await opened.page.locator("img").count()).toBe(0);
  expect(await opened.page.locator("#app script").count()).toBe(0);
  expect(await opened.page.locator(".about").textContent()).toBe("<script>alert(1)</script>");
});

test("the caller's key is nowhere on the page, though the server gives it away", async () => {
  await opened.run("hostile-key");
  await opened.page.locator(".texts").waitFor();
  for (const frame of opened.page.frames()) expect(await frame.content()).not.toContain(inject("secret"));
  expect(await opened.page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(inject("secret"));
});

test("a tool that agents run too is asked for each time, also after it was approved", async () => {
  await opened.run("hostile-escape");
  await question().getByRole("button", { name: "Approve" }).click();
  await expect.poll(() => opened.said("→", "answer", "hostile-both")).toHaveLength(1);
  await opened.run("hostile-escape");
  await question().waitFor();
});

test("a widget that navigates the window, or says what is no message, is not listened to", async () => {
  await opened.widgetFrame.evaluate(() => {
    for (const odd of ["text", 5, null, { jsonrpc: "1.0" }, { jsonrpc: "2.0", id: {}, method: 7 }, { jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height: 1e9 } }]) parent.postMessage(odd, "*");
    parent.postMessage({ jsonrpc: "2.0", id: "link", method: "ui/open-link", params: { url: "javascript:alert(1)" } }, "*");
  });
  await expect.poll(() => opened.said("refused", "open-link")).toHaveLength(1);
  expect((await opened.page.locator(".slot").boundingBox())!.height).toBeLessThanOrEqual(720);
  expect(opened.page.context().pages()).toHaveLength(1);
  expect(await hits()).toEqual([]);
});
