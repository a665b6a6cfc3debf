// Every fault of the host, and what the widget makes of it.

import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { Opened } from "./opened.ts";

let opened: Opened;

beforeAll(async () => {
  opened = await Opened.open(inject("demo"));
  await opened.say("Route from Amsterdam");
  await opened.questions.getByRole("button", { name: "Approve" }).click();
});
beforeEach(async () => {
  await opened.drawn();
  await opened.page.getByRole("button", { name: "Clear", includeHidden: true }).evaluate((clear: HTMLButtonElement) => clear.click());
});
afterAll(() => opened.close());

const text = (): Promise<string> => opened.widget.locator("#app").innerText();
const reports = (outcome: string): Promise<string[]> => opened.said("⇄", "app status", outcome);

test.each(["Drop _meta", "Replace _meta"])("%s: the data did not arrive", async (fault) => {
  await opened.fault(fault);
  await opened.toState("failed");
  expect(await text()).toContain("The map's data did not arrive");
  await expect.poll(() => reports("data_missing")).toHaveLength(1);
  await opened.fault(fault);
});

test("No tool-input: a route is drawn all the same, live traffic is not", async () => {
  await opened.fault("No tool-input");
  await expect.poll(() => opened.said("tool-result")).toHaveLength(1);
  await opened.drawn();
  expect(await opened.said("tool-input")).toEqual([]);
  await opened.say("What is the traffic like");
  await opened.toState("failed");
  expect(await text()).toContain("Live traffic cannot be reached");
  await opened.fault("No tool-input");
  await opened.drawn();
  await opened.say("Route from Amsterdam");
});

test("Partial input only: the call is being written, and drawn once the rest is there", async () => {
  await opened.fault("Partial input only");
  await opened.widget.getByText("The request is being written…").first().waitFor();
  await opened.fault("Partial input only");
});

test("Strict CSP: the map's own outlines, and a note; live traffic is out of reach", async () => {
  await opened.fault("Strict CSP");
  await opened.widget.getByText("Detailed map not available").first().waitFor();
  await opened.drawn();
  await opened.say("What is the traffic like");
  await opened.toState("failed");
  expect(await text()).toContain("Live traffic cannot be reached");
  await opened.fault("Strict CSP");
  await opened.drawn();
  await opened.say("Route from Amsterdam");
});

test("Deny model context: the widget asks once and no more", async () => {
  const zoom = opened.widget.getByRole("button", { name: "Zoom in" });
  const context = opened.page.getByText("The person looks at the map of tomtom-routing");
  await zoom.click();
  await context.waitFor();
  await opened.fault("Deny model context");
  await opened.drawn();
  await zoom.click();
  await expect.poll(() => opened.said("ui/update-model-context", "error")).toHaveLength(1);
  expect(await context.count()).toBe(0);
  await opened.fault("Deny model context");
});

test("Slow host: the widget waits in words, and draws in the end", async () => {
  await opened.fault("Slow host");
  await opened.widget.getByText("Waiting for the result…").first().waitFor();
  await opened.drawn();
  await opened.fault("Slow host");
});

test("Result twice: drawn and reported once", async () => {
  await opened.fault("Result twice");
  await expect.poll(() => opened.said("tool-result")).toHaveLength(2);
  await opened.drawn();
  await expect.poll(() => reports("drawn")).toHaveLength(1);
  await opened.fault("Result twice");
  // What the next view reports comes after whatever this one would have.
  await expect.poll(() => reports("drawn")).toHaveLength(2);
});

test("Reject every call: nobody is asked, nothing is reported, the map stands", async () => {
  await opened.fault("Reject every call");
  await expect.poll(() => opened.said("refused", "tomtom-report-app-status")).toHaveLength(1);
  await opened.drawn();
  expect(await opened.questions.count()).toBe(0);
  expect(await reports("drawn")).toEqual([]);
  await opened.fault("Reject every call");
});
