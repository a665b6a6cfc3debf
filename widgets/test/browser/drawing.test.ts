// What is drawn, what can be picked, and what a pick tells: on the screen and to those who cannot see it.

import { test } from "vitest";
import { one } from "./calls.ts";
import { inline, places, ranges, routes, trafficBox } from "./fixtures.ts";
import { Hosted, type HostedOptions } from "./hosted.ts";
import type { Result } from "./hosts/contract.ts";
import { middleOf, type Box } from "./look.ts";
import { rgb } from "./png.ts";

const route = rgb("#1a7cf0");
const alternative = rgb("#a9b8c9");
const red = rgb("#df1b12");
const charge = rgb("#0f8a4b");
const toll = rgb("#8446c9");

async function shown(tool: string, document: object, options: HostedOptions = {}): Promise<Hosted> {
  const view = await Hosted.open(tool, { calm: true, ...options });
  await view.input({});
  await view.result(inline(tool, document) as Result);
  await view.toState("drawn");
  await view.settled();
  return view;
}

async function called(name: string, options: HostedOptions = {}): Promise<Hosted> {
  const call = one(name);
  const view = await Hosted.open(call.tool, { calm: true, ...options });
  await view.run(call.tool, call.input);
  await view.toState("drawn");
  await view.settled();
  return view;
}

/** openMap is the part of the frame that neither card nor buttons cover. */
async function openMap(view: Hosted): Promise<Box> {
  const card = (await view.frame.locator(".card").boundingBox())!;
  return { x: card.x + card.width + 4, y: 4, width: 660 - card.x - card.width, height: 370 };
}

const row = (view: Hosted, words: string | RegExp) => view.frame.locator(".row", { hasText: words }).first();
const detail = (view: Hosted) => view.frame.getByRole("group", { name: "Details" });
/** Intl puts narrow spaces into times. */
const plain = (text: string): string => text.replaceAll(/[\u202f\u00a0]/g, " ");

test.concurrent("an alternative that is picked on the map comes on top, and the card says so", async ({ expect }) => {
  const view = await shown("tomtom-routing", routes());
  const map = await openMap(view);
  const before = await view.shot("draw-alternatives");
  expect(before.count(toll)).toBeGreaterThan(20);
  const best = middleOf(before, route, map);
  expect(best.count).toBeGreaterThan(600);
  // The alternative is found by its own colour: a click on the middle of its longest stretch could miss a curve.
  let spot: { x: number; y: number } | undefined;
  for (let x = Math.ceil(map.x); x < map.x + map.width && spot === undefined; x++) {
    const column = middleOf(before, alternative, { x, y: map.y, width: 1, height: map.height }, 12);
    if (column.count >= 3 && column.count <= 8) spot = column;
  }
  await view.page.mouse.click(Math.round(spot!.x), Math.round(spot!.y));
  await expect.poll(() => row(view, "Alternative 1").getAttribute("aria-pressed")).toBe("true");
  expect(await row(view, "Best route").getAttribute("aria-pressed")).toBe("false");
  await detail(view).getByText("691 km").waitFor();
  await view.settled();
  const after = await view.shot("draw-alternative-on-top");
  // Tolls are the first route's: they go with it.
  expect(after.count(toll)).toBeLessThan(20);
  await row(view, "Best route").click();
  await expect.poll(() => row(view, "Best route").getAttribute("aria-pressed")).toBe("true");
  await view.settled();
  expect((await view.shot("draw-alternatives")).count(toll)).toBeGreaterThan(20);
  await view.close();
});

test.concurrent("what comes on the way is a list; a delay that is picked stands out and is brought into sight", async ({ expect }) => {
  const view = await shown("tomtom-routing", routes());
  await view.frame.getByText("On the way").click();
  const list = view.frame.getByRole("list").filter({ hasText: "Border NLD – DEU" });
  expect(plain(await list.innerText())).toMatch(/Minor delay\s+after [\d.]+ km · \+4 min/);
  await row(view, "Major delay").click();
  await detail(view).getByText("9 min delay").waitFor();
  await view.settled();
  const picture = await view.shot("draw-section");
  const map = await openMap(view);
  // Nearer now: the stretch fills much of the map, with an edge around it.
  expect(middleOf(picture, rgb("#c5121b"), map).count).toBeGreaterThan(900);
  expect(middleOf(picture, rgb("#1b2229"), map).count).toBeGreaterThan(300);
  await row(view, "Major delay").click();
  await detail(view).waitFor({ state: "detached" });
  await view.close();
});

test.concurrent("charging stops say how long, how strong and how full", async ({ expect }) => {
  const view = await called("ev-routing");
  const picture = await view.shot("draw-charging");
  expect(middleOf(picture, charge, await openMap(view)).count).toBeGreaterThan(150);
  const first = view.frame.locator(".row", { hasText: "kW" }).first();
  expect(plain(await first.innerText())).toMatch(/after \d+ km · \d+ min · \d+ kW · Charge to \d+%/);
  await first.click();
  const told = plain(await detail(view).innerText());
  for (const field of [/Charge to\s+\d+%/, /Charging time\s+\d+ min/, /Power\s+\d+ kW/]) expect(told).toMatch(field);
  await view.settled();
  await view.shot("draw-charging-picked");
  await view.close();
});

test.concurrent("a place that is clicked tells its name, address, phone and hours, next to it", async ({ expect }) => {
  const view = await called("fuzzy-search");
  const picture = await view.shot("draw-places");
  const map = await openMap(view);
  const marks = middleOf(picture, red, map);
  expect(marks.count).toBeGreaterThan(1500);
  await view.frame.locator(".row").nth(2).click();
  const name = await view.frame.locator(".row .name").nth(2).innerText();
  const box = detail(view);
  await box.getByText(name, { exact: true }).waitFor();
  const told = plain(await box.innerText());
  expect(told).toMatch(/Amsterdam/);
  expect(told).toMatch(/Phone\s+\+31/);
  expect(told).toMatch(/Opening hours\s+\w+ – \w+: \d/);
  await view.settled();
  await view.shot("draw-place-picked");
  await box.getByRole("button", { name: "Website" }).click();
  await expect.poll(() => view.heard("link")).toHaveLength(1);
  expect((await view.heard("link"))[0]!.value).toMatchObject({ url: expect.stringMatching(/^https?:\/\//) });
  await view.close();
});

test.concurrent("a finger need not be exact", async () => {
  const view = await shown("tomtom-fuzzy-search", places(), { touch: true, width: 980 });
  const picture = await view.shot("draw-touch");
  const first = (places() as any).features[0].properties.poi.name as string;
  // The lowest of the three marks is the first place. (The host's page is as wide as a phone takes a page to be.)
  const map = { ...(await openMap(view)), width: 500 };
  let low = map.y;
  for (let y = map.y; y < map.y + map.height; y += 4) if (middleOf(picture, red, { ...map, y, height: 4 }).count > 4) low = y;
  const mark = middleOf(picture, red, { ...map, y: low - 16, height: 24 });
  await view.page.touchscreen.tap(mark.x + 17, mark.y);
  await detail(view).getByText(first).waitFor();
  await view.close();
});

test.concurrent("places that crowd are one mark with their number; a click parts them", async ({ expect }) => {
  const view = await called("nearby");
  const map = await openMap(view);
  const before = await view.shot("draw-gathered");
  // Around a mark of several lies a paler ring.
  let cluster: { x: number; y: number } | undefined;
  for (let y = map.y + 20; y < map.y + map.height - 20 && cluster === undefined; y += 2) {
    for (let x = map.x + 20; x < map.x + map.width - 20; x += 2) {
      const ringAt = (d: number) => [[-d, 0], [d, 0], [0, -d], [0, d]].every(([dx, dy]) => {
        const [r, g, b] = before.at(Math.round(x + dx!), Math.round(y + dy!));
        return r > g + 30 && r > b + 30 && g > 100 && g < 200 && b > 100 && b < 200;
      });
      if ([15, 16, 17, 18].some(ringAt)) {
        cluster = { x, y };
        break;
      }
    }
  }
  const scale = await view.frame.locator(".scale").innerText();
  await view.page.mouse.click(cluster!.x, cluster!.y);
  await expect.poll(() => view.frame.locator(".scale").innerText()).not.toBe(scale);
  await view.settled();
  await view.shot("draw-parted");
  await view.close();
});

test.concurrent("ranges lie in each other, with their budgets and sizes", async ({ expect }) => {
  const view = await shown("tomtom-reachable-range", ranges());
  const picture = await view.shot("draw-ranges");
  const map = await openMap(view);
  const outline = (colour: string) => middleOf(picture, rgb(colour), map, 30);
  expect(outline("#0a4fa3").count).toBeGreaterThan(100);
  expect(outline("#6fb1ff").count).toBeGreaterThan(outline("#0a4fa3").count);
  expect(plain(await view.visibleText())).toMatch(/15 min\s+[\d,]+ km²\s+30 min\s+[\d,]+ km²\s+45 min\s+[\d,]+ km²\s+1 hr/);
  await row(view, "30 min").click();
  await detail(view).getByText("Reachable area").waitFor();
  await view.settled();
  await view.shot("draw-range-picked");
  await view.close();
});

test.concurrent("incidents are listed with the worst first; one that is picked is shown", async ({ expect }) => {
  const view = await Hosted.open("tomtom-traffic", { calm: true });
  await view.run("tomtom-traffic", { bbox: trafficBox, show_ui: true });
  await view.toState("drawn");
  await view.settled();
  const swatches = await view.frame.locator(".row .swatch").evaluateAll((marks) => marks.slice(0, 6).map((mark) => getComputedStyle(mark).backgroundColor));
  expect(swatches.slice(0, 5)).toEqual(Array(5).fill("rgb(197, 18, 27)"));
  expect(swatches[5]).toBe("rgb(244, 112, 31)");
  await view.frame.locator(".row").nth(7).click();
  await detail(view).getByText("Length").waitFor();
  await view.settled();
  await view.shot("draw-incident-picked");
  await view.close();
});

test.concurrent.for(["data-viz-choropleth", "data-viz-markers", "data-viz-lines"])("%s has its scale, and its entries can be read and picked", async (name, { expect }) => {
  const view = await called(name);
  expect(await view.frame.locator(".ramp").count()).toBe(1);
  await view.frame.getByText("Entries").click();
  await view.frame.locator(".row").nth(4).click();
  await detail(view).locator("dt").first().waitFor();
  await view.settled();
  await view.shot(`draw-${name}-picked`);
  await view.close();
});

test.concurrent("a map that an agent composed has its markers, way and area, in the agent's colours and words", async ({ expect }) => {
  const view = await called("dynamic-map");
  const picture = await view.shot("draw-dynamic-map");
  const map = await openMap(view);
  // Marker and edge of the area; the other marker; the way.
  for (const [colour, least] of [["#7c3aed", 400], ["#0f766e", 150], ["#f97316", 300]] as const) {
    expect(middleOf(picture, rgb(colour), map, 30).count, colour).toBeGreaterThan(least);
  }
  const text = await view.visibleText();
  for (const label of ["Hotel", "Museum", "15 minutes on foot", "To the museum"]) expect(text).toContain(label);
  await row(view, "15 minutes on foot").click();
  await detail(view).waitFor();
  await view.close();
});

test.concurrent("areas that a caller fills have his colour, and only those that his filter lets through", async ({ expect }) => {
  const { tool, input } = one("data-viz-choropleth");
  const green = "#00aa55";
  const counts: number[] = [];
  for (const names of [["District 1", "District 30"], ["District 30"]]) {
    const view = await Hosted.open(tool, { calm: true });
    const layer = { type: "fill", color_scale: [green, green], color_property: "people", fill_opacity: 1, label_property: "name", filter_property: "name", filter_values: names };
    await view.run(tool, { ...input, layers: [layer] });
    await view.toState("drawn");
    await view.settled();
    const picture = await view.shot(`draw-fill-${names.length}`);
    counts.push(middleOf(picture, rgb(green), await openMap(view), 30).count);
    await view.frame.getByText("Entries").click();
    expect(await view.frame.locator(".row .name").allInnerTexts()).toEqual(names);
    await view.close();
  }
  for (const count of counts) expect(count).toBeGreaterThan(500);
});

test.concurrent("a ferry is dotted where the road would be, in the legend too, and listed", async ({ expect }) => {
  const document = (sections: object) => ({
    type: "FeatureCollection",
    features: [{ type: "Feature", geometry: { type: "LineString", coordinates: Array.from({ length: 101 }, (_, i) => [4 + i / 50, 52]) }, properties: { sections } }],
  });
  const [road, ferry] = await Promise.all([{}, { ferry: [{ startPointIndex: 20, endPointIndex: 80 }] }].map((sections) => shown("tomtom-routing", document(sections))));
  const blue = async (view: Hosted, name: string) => middleOf(await view.shot(name), route, await openMap(view)).count;
  const [solid, dotted] = [await blue(road!, "draw-no-ferry"), await blue(ferry!, "draw-ferry")];
  expect(dotted).toBeGreaterThan(solid / 3);
  expect(dotted).toBeLessThan(solid * 0.8);
  await ferry!.frame.getByText("On the way").click();
  const legend = ferry!.frame.locator(".legend .swatch");
  const box = (await legend.boundingBox())!;
  expect(middleOf(await ferry!.shot("draw-ferry"), route, box, 60).count).toBeGreaterThan(10);
  await row(ferry!, "Ferry").click();
  await detail(ferry!).getByText("Ferry").waitFor();
  await Promise.all([road!.close(), ferry!.close()]);
});

test.concurrent("without tiles the world has outlines and the countries' names in the person's language", async ({ expect }) => {
  const views = await Promise.all(["en", "ja"].map((locale) => shown("tomtom-routing", routes(), { profile: "blocked", context: { locale } })));
  const [english, japanese] = await Promise.all(views.map((view, i) => view.shot(`draw-outlines-${i}`)));
  const map = await openMap(views[0]!);
  const names = rgb("#7d8791");
  expect(middleOf(english!, names, map, 40).count).toBeGreaterThan(100);
  expect(middleOf(japanese!, names, map, 40)).not.toEqual(middleOf(english!, names, map, 40));
  await Promise.all(views.map((view) => view.close()));
});

test.concurrent("a person can ask about what is picked, where the host takes messages", async ({ expect }) => {
  const view = await called("fuzzy-search", { context: { locale: "nl" }, faults: { refuseMessage: true } });
  const first = row(view, /./);
  await first.click();
  const name = await first.locator(".name").innerText();
  const ask = view.frame.locator(".detail").getByRole("button", { name: "Vraag hierover" });
  await ask.waitFor();
  await view.settled();
  await view.shot("draw-ask");
  expect(await view.heard("message")).toEqual([]);
  await ask.press("Enter");
  const again = view.frame.getByRole("button", { name: "Niet verstuurd. Opnieuw proberen" });
  await again.waitFor();
  await view.page.evaluate(() => window.host.faults({}));
  await again.press("Enter");
  await view.frame.getByRole("button", { name: "Vraag verstuurd" }).waitFor();
  expect(await view.spoken()).toBe("Vraag verstuurd");
  const said = (await view.heard("message")).map(({ value }) => value);
  expect(said).toHaveLength(2);
  expect(said[1]).toMatchObject({ role: "user", content: [{ type: "text", text: expect.stringContaining(`Vertel me meer over "${name}`) }] });
  await view.close();

  const lacking = await called("fuzzy-search", { without: ["message"] });
  await row(lacking, /./).click();
  await detail(lacking).waitFor();
  expect(await lacking.frame.locator(".ask").count()).toBe(0);
  await lacking.close();
});

test.concurrent("the model is told what a person looks at, after a pause", async ({ expect }) => {
  const view = await called("routing", { clock: true });
  await view.page.clock.fastForward(1200);
  expect(await view.heard("context")).toEqual([]);
  await view.frame.getByRole("button", { name: "Zoom in" }).click();
  await row(view, "Alternative 1").click();
  const last = async (): Promise<string> => JSON.stringify((await view.heard("context")).at(-1)?.value ?? "");
  await expect.poll(last, { timeout: 10_000 }).toContain("Alternative 1; 911 km");
  // Two acts, and on a slow machine a pause between them.
  expect((await view.heard("context")).length).toBeLessThanOrEqual(2);
  const said = await last();
  expect(said).toMatch(/The person looks at the map of tomtom-routing: bbox \[[-\d., ]+\] \(west, south, east, north\), zoom \d/);
  await view.close();
});

test.concurrent("a host that lacks it, or refuses, is told nothing more", async ({ expect }) => {
  const lacking = await called("routing", { clock: true, without: ["updateModelContext"] });
  const refusing = await called("routing", { clock: true, faults: { refuseContext: true } });
  for (const [view, told] of [[lacking, 0], [refusing, 1]] as const) {
    for (let i = 0; i < 2; i++) {
      const scale = view.frame.locator(".scale");
      const before = await scale.innerText();
      await view.frame.getByRole("button", { name: "Zoom in" }).click();
      await expect.poll(() => scale.innerText()).not.toBe(before);
      await view.page.clock.fastForward(1500);
      await expect.poll(() => view.heard("context")).toHaveLength(told);
    }
    expect(view.errors).toEqual([]);
  }
  await Promise.all([lacking.close(), refusing.close()]);
});
