// The limit's steps: what is left of a long route at each, in figures, in the drawing and on the map.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Opened } from "./opened.ts";

let opened: Opened;

beforeAll(async () => {
  opened = await Opened.open(inject("demo"));
  await opened.page.getByRole("button", { name: "Lisbon to Warsaw" }).click();
  await opened.page.getByRole("button", { name: "Run", exact: true }).click();
  await opened.questions.getByRole("button", { name: "Approve" }).click();
  await opened.drawn();
});
afterAll(() => opened.close());

function numberIn(text: string | null | undefined): number {
  return Number(/[\d,.]+/.exec(text ?? "")![0].replaceAll(",", ""));
}

/** errorM reads metres out of "6.7 m" or "70 cm". */
function errorM(text: string): number {
  return numberIn(text) / (text.includes("cm") ? 100 : 1);
}

async function figure(name: string): Promise<string> {
  return (await opened.page.locator(".figures dt", { hasText: name }).locator("xpath=following-sibling::dd[1]").locator("b").textContent()) ?? "";
}

test("a limit without room for a map says so, to the person too", async () => {
  await opened.limit("20,000");
  await opened.toState("failed");
  expect(await opened.widget.locator("#app").innerText()).toContain("Too large for a map here");
  expect(await opened.page.locator(".widget-gets .pill").textContent()).toBe("too large");
  expect(await opened.page.locator(".bar").getAttribute("aria-label")).toMatch(/^Of 20,000 characters: [\d,]+ text, [\d,]+ the rest, [\d,]+ room$/);
  expect(await opened.page.locator(".drawing").isVisible()).toBe(false);
});

test("each step beyond keeps what it can, and says how far off that is", async () => {
  const steps = ["40,000", "60,000", "90,000", "120,000", "150,000"];
  let vertices = 0;
  let error = Infinity;
  for (const step of steps) {
    const results = (await opened.said("tool-result")).length;
    await opened.limit(step);
    await expect.poll(async () => (await opened.said("tool-result")).length).toBe(results + 1);
    await opened.widget.getByText("Drawn within").waitFor();
    await opened.drawn();
    expect(await opened.page.locator(".widget-gets .pill").textContent()).toBe("fitted");
    const [kept, off] = [numberIn(await figure("vertices")), errorM(await figure("drawn within"))];
    expect(kept, step).toBeGreaterThan(vertices);
    expect(off, step).toBeLessThan(error);
    [vertices, error] = [kept, off];
    const label = await opened.page.locator(".drawing svg").getAttribute("aria-label");
    expect(errorM(label!.slice(label!.lastIndexOf(":")))).toBeLessThanOrEqual(off + 0.05);
    expect(await opened.page.locator(".drawing path.original, .drawing path.drawn").count()).toBeGreaterThanOrEqual(2);
    const taken = await opened.page.locator(".legend li:not(.room) b").allTextContents();
    expect(taken.reduce((sum, part) => sum + numberIn(part), 0)).toBeLessThanOrEqual(numberIn(step));
  }
});

test("where there is room for everything, everything is there", async () => {
  await opened.limit("1,000,000");
  await opened.page.locator(".widget-gets .pill", { hasText: "inline" }).waitFor();
  await expect.poll(() => opened.widget.getByText("Drawn within").count()).toBe(0);
  expect(await opened.page.locator(".drawing").isVisible()).toBe(false);
  await opened.drawn();
});

test("the slider is worked with the keyboard, and says what it stands for", async () => {
  const slider = opened.page.getByRole("slider", { name: "Host's limit" });
  await slider.focus();
  await opened.page.keyboard.press("Home");
  await opened.page.keyboard.press("ArrowRight");
  await opened.page.locator('.bar[aria-label^="Of 40,000 characters"]').waitFor();
  expect(await slider.getAttribute("aria-valuetext")).toBe("40,000 characters");
  const marks = await opened.page.locator(".mark span").allTextContents();
  expect([marks[0], marks.at(-1)]).toEqual(["–", "exact"]);
  for (const mark of marks.slice(1, -1)) expect(mark).toMatch(/ m$/);
});

test("a step that is pressed with the keyboard keeps the keyboard's place", async () => {
  const step = opened.page.getByRole("button", { name: "60,000 characters", exact: true });
  await step.focus();
  await opened.page.keyboard.press("Enter");
  await opened.page.locator('.bar[aria-label^="Of 60,000 characters"]').waitFor();
  expect(await step.evaluate((button) => button === document.activeElement)).toBe(true);
});

test("the drawing shows both lines, and goes out and in", async () => {
  const drawing = opened.page.locator(".drawing-picture");
  const near = await opened.picture(drawing);
  await opened.page.getByRole("button", { name: "Show more of the ground" }).click();
  const far = await opened.picture(drawing);
  const [blue, orange, red] = [[22, 102, 216], [227, 122, 18], [179, 38, 30]] as const;
  for (const picture of [near, far]) for (const colour of [blue, orange, red]) expect(picture.count(colour)).toBeGreaterThan(15);
  await opened.page.getByRole("button", { name: "Show less of the ground" }).click();
  expect((await opened.picture(drawing)).count(red)).toBe(near.count(red));
  expect(opened.problems).toEqual([]);
});
