// The document as different people meet it: by keyboard, by ear, by touch, in their language, at their size.

import { test } from "vitest";
import { one } from "./calls.ts";
import { inline } from "./fixtures.ts";
import { Hosted, type HostedOptions } from "./hosted.ts";
import { looks } from "./tiles.ts";

const routing = one("routing");
const search = one("fuzzy-search");

async function drawn(call: typeof routing, options: HostedOptions = {}): Promise<Hosted> {
  const view = await Hosted.open(call.tool, options);
  await view.run(call.tool, call.input);
  await view.toState("drawn");
  await view.reported();
  return view;
}

/** focused answers what the keyboard is on: its role or tag, and its name. */
function focused(view: Hosted): Promise<string> {
  return view.frame.evaluate(() => {
    const at = document.activeElement!;
    const name = at.getAttribute("aria-label") ?? at.textContent ?? "";
    return `${at.getAttribute("role") ?? at.tagName.toLowerCase()}: ${name.slice(0, 60)}`;
  });
}

test.concurrent("by ear: the map has a name, its things are a list, and what happens is said", async ({ expect }) => {
  const view = await drawn(search);
  const { frame } = view;
  await frame.getByRole("application", { name: "Map" }).waitFor();
  const list = frame.getByRole("region", { name: "On this map" });
  expect(await list.getByRole("listitem").count()).toBeGreaterThanOrEqual(10);
  expect(await view.spoken()).toMatch(/^Map drawn\. .*Amsterdam/);
  expect(await frame.locator("html").getAttribute("lang")).toBe("en");
  const tree = await frame.locator("#app").ariaSnapshot();
  for (const part of ['application "Map"', 'region "On this map"', 'button "Zoom in"', 'button "Zoom out"', 'button "Full screen"', 'button "About this map"', "status"]) {
    expect(tree).toContain(part);
  }
  await view.close();
});

test.concurrent("by keyboard: map, list, buttons, in this order; rows choose; Escape lets go", async ({ expect }) => {
  const view = await drawn(search);
  const { frame, page } = view;
  await frame.locator(".map").focus();
  const order = [await focused(view)];
  for (let i = 0; i < 40 && !order.at(-1)!.includes("About this map"); i++) {
    await page.keyboard.press("Tab");
    order.push(await focused(view));
  }
  expect(order[0]).toBe("application: Map");
  const at = (words: string): number => order.findIndex((name) => name.includes(words));
  expect(at("Amsterdam")).toBeGreaterThan(0);
  expect(at("Zoom in")).toBeGreaterThan(at("Amsterdam"));
  expect(at("About this map")).toBeGreaterThan(at("Full screen"));

  const row = frame.locator(".row").first();
  await row.focus();
  await page.keyboard.press("Enter");
  await frame.locator(".detail").waitFor();
  expect(await row.getAttribute("aria-pressed")).toBe("true");
  const name = (await row.locator(".name").innerText()).trim();
  await expect.poll(() => view.spoken()).toContain(name);
  await frame.locator(".detail .close").focus();
  await page.keyboard.press("Escape");
  await frame.locator(".detail").waitFor({ state: "detached" });
  await view.close();
});

test.concurrent("by keyboard: the map moves and zooms", async ({ expect }) => {
  const view = await drawn(routing, { calm: true });
  await view.settled();
  const pictures = [await view.page.screenshot()];
  await view.frame.locator(".map").focus();
  for (const key of ["ArrowRight", "+"]) {
    await view.page.keyboard.press(key);
    await view.settled();
    pictures.push(await view.page.screenshot());
  }
  expect(pictures[1]!.equals(pictures[0]!)).toBe(false);
  expect(pictures[2]!.equals(pictures[1]!)).toBe(false);
  await view.close();
});

test.concurrent("full screen and back, by button and by Escape", async ({ expect }) => {
  const view = await drawn(routing);
  const height = async (): Promise<number> => (await view.frame.locator("#app").boundingBox())!.height;
  expect(await height()).toBe(420);
  await view.frame.getByRole("button", { name: "Full screen" }).click();
  await view.frame.getByRole("button", { name: "Leave full screen" }).waitFor();
  await expect.poll(height).toBe(460);
  await view.settled();
  await view.shot("people-fullscreen");
  await view.frame.getByRole("button", { name: "Leave full screen" }).focus();
  await view.page.keyboard.press("Escape");
  await view.frame.getByRole("button", { name: "Full screen", exact: true }).waitFor();
  await expect.poll(height).toBe(420);
  expect((await view.heard("mode")).map(({ value }) => value)).toEqual(["fullscreen", "inline"]);
  await view.close();
});

test.concurrent("the host's theme and style variables, also when they change", async ({ expect }) => {
  const view = await drawn(routing);
  await view.settled();
  const light = await view.shot("people-theme-light");
  const styles = { variables: { "--color-background-primary": "#2b1d3f", "--color-text-primary": "#ffe9a8", "--border-radius-md": "0px" } };
  await view.context({ theme: "dark", styles });
  await view.frame.locator("html[data-theme=dark]").waitFor();
  await view.settled();
  const dark = await view.shot("people-theme-dark");
  expect(light.count([43, 29, 63])).toBe(0);
  expect(dark.count([43, 29, 63])).toBeGreaterThan(10_000);
  const card = view.frame.locator(".card");
  expect(await card.evaluate((element) => getComputedStyle(element).borderRadius)).toBe("0px");
  await view.context({ theme: "light", styles: { variables: {} } });
  await expect.poll(() => card.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe("rgb(255, 255, 255)");
  expect((await view.asked()).some((path) => path.includes("style=street-dark"))).toBe(true);
  await view.close();
});

test.concurrent("nothing stands under a notch", async ({ expect }) => {
  const view = await drawn(routing, { context: { safeAreaInsets: { top: 40, right: 50, bottom: 30, left: 60 } } });
  const frame = (await view.frame.locator("#app").boundingBox())!;
  for (const part of [".controls", ".card", ".credits"]) {
    const box = (await view.frame.locator(part).boundingBox())!;
    expect(box.x, part).toBeGreaterThanOrEqual(frame.x + 60);
    expect(box.x + box.width, part).toBeLessThanOrEqual(frame.x + frame.width - 50);
    expect(box.y, part).toBeGreaterThanOrEqual(frame.y + 40);
    expect(box.y + box.height, part).toBeLessThanOrEqual(frame.y + frame.height - 30);
  }
  await view.close();
});

test.concurrent.for([
  ["de-DE", "de", /Beste Route/, /\d km/],
  ["nl-NL", "nl", /Beste route/, /\d km/],
  ["ja-JP", "ja", /最適なルート/, /\d km/],
  ["en-US", "en", /Best route/, /\d mi/],
  ["fr-FR", "en", /Best route/, /\d\skm/],
] as const)("in %s", async ([locale, language, words, length], { expect }) => {
  const view = await drawn(routing, { context: { locale } });
  const text = await view.visibleText();
  expect(text).toMatch(words);
  expect(text).toMatch(length);
  expect(await view.frame.locator("html").getAttribute("lang")).toBe(language);
  await view.settled();
  await view.shot(`people-locale-${locale}`);
  await view.close();
});

test.concurrent("a language that changes changes every word, and nothing else", async ({ expect }) => {
  const view = await drawn(routing);
  const { frame } = view;
  await frame.getByText("On the way").click();
  const rows = frame.locator("details[open] .row");
  await rows.nth(1).press("Enter");
  await frame.locator(".detail").waitFor();
  await rows.nth(1).focus();
  await view.settled();
  const id = await rows.nth(1).getAttribute("data-id");
  const place = async (): Promise<unknown> => frame.locator(".detail").evaluate((box) => {
    const { x, y, width, height } = box.getBoundingClientRect();
    return [x + width / 2, y + height].map((px) => Math.round(px / 8));
  });
  const [before, scale] = [await place(), await frame.locator(".scale").innerText()];
  expect(scale).toMatch(/k?m$/);
  const sights = (await view.heard("context")).length;

  await view.context({ locale: "de-DE" });
  await frame.locator(".row", { hasText: "Beste Route" }).waitFor();
  const text = await view.visibleText();
  for (const word of ["Unterwegs", "nach "]) expect(text).toContain(word);
  for (const word of ["Best route", "On the way", "after "]) expect(text).not.toContain(word);
  expect(await view.spoken()).toContain(await frame.locator(".detail .name").innerText());
  expect(await place()).toEqual(before);
  expect(await frame.locator(":focus").getAttribute("data-id")).toBe(id);
  expect(await rows.nth(1).getAttribute("aria-pressed")).toBe("true");
  await view.settled();
  await view.shot("people-language-changed");

  await frame.locator(".detail .close").focus();
  await view.context({ locale: "en-US" });
  await expect.poll(() => frame.locator(".scale").innerText()).toMatch(/(mi|ft)$/);
  expect(await view.visibleText()).toMatch(/after [\d.]+ mi/);
  expect(await frame.locator(":focus").getAttribute("aria-label")).toBe("Close");
  expect(await view.reported()).toHaveLength(1);
  expect((await view.heard("context")).length - sights).toBeLessThanOrEqual(1);
  expect(view.errors).toEqual([]);
  await view.close();
});

test.concurrent("from right to left: the card is on the right, the buttons on the left", async ({ expect }) => {
  const view = await drawn(search, { context: { locale: "ar-EG" } });
  expect(await view.frame.locator("html").getAttribute("dir")).toBe("rtl");
  const card = (await view.frame.locator(".card").boundingBox())!;
  const controls = (await view.frame.locator(".controls").boundingBox())!;
  expect(card.x).toBeGreaterThan(300);
  expect(controls.x).toBeLessThan(60);
  await view.settled();
  await view.shot("people-right-to-left");
  await view.close();
});

test.concurrent("calm: nothing turns or grows for who asked for less motion", async ({ expect }) => {
  for (const calm of [false, true]) {
    const view = await Hosted.open(routing.tool, { calm });
    await view.input(routing.input);
    await view.toState("waiting");
    const running = await view.frame.evaluate(() => document.getAnimations().length);
    expect(running > 0).toBe(!calm);
    await view.close();
  }
});

test.concurrent("a dense screen gets tiles of twice the size, and the same map from them", async ({ expect }) => {
  const lands: number[] = [];
  for (const [dense, size] of [[false, "256"], [true, "512"]] as const) {
    const view = await drawn(search, { dense });
    await view.settled();
    const picture = await view.shot(`people-${dense ? "dense" : "plain"}-screen`);
    expect(picture.width).toBe(dense ? 1440 : 720);
    lands.push(picture.count(looks["street-light"].land, 6) / picture.width ** 2);
    const tiles = (await view.asked()).filter((path) => path.startsWith("/tile/"));
    expect(new Set(tiles.map((path) => new URL(path, "https://tiles").searchParams.get("size")))).toEqual(new Set([size]));
    await view.close();
  }
  expect(lands[0]).toBeGreaterThan(0.05);
  expect(lands[1]! / lands[0]!).toBeCloseTo(1, 1);
});

test.concurrent("by touch: everything is large enough for a finger", async ({ expect }) => {
  const view = await drawn(search, { touch: true, width: 390, height: 700 });
  for (const part of [".controls button", ".row"]) {
    const heights = await view.frame.locator(part).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(heights.length, part).toBeGreaterThan(0);
    expect(Math.min(...heights), part).toBeGreaterThanOrEqual(44);
  }
  await view.frame.locator(".row").first().tap();
  await view.frame.locator(".detail").waitFor();
  await view.settled();
  await view.shot("people-touch");
  await view.close();
});

test.concurrent.for([280, 340, 460, 1200])("%d px wide: nothing sticks out", async (width, { expect }) => {
  const view = await drawn(routing, { width, height: 600 });
  expect(await view.frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  for (const part of [".card", ".controls", ".credits"]) {
    const box = (await view.frame.locator(part).boundingBox())!;
    expect(box.x, part).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width, part).toBeLessThanOrEqual(width);
  }
  await view.settled();
  await view.shot(`people-width-${width}`);
  await view.close();
});

test.concurrent("who is owed thanks is behind the attribution, with their licences", async ({ expect }) => {
  const view = await drawn(routing);
  await view.frame.getByText("© Stand-in tiles").first().waitFor();
  const opener = view.frame.getByRole("button", { name: "About this map" });
  await opener.press("Enter");
  const sheet = view.frame.getByRole("dialog", { name: "About this map" });
  await sheet.waitFor();
  const text = await sheet.innerText();
  for (const words of ["© Stand-in tiles", "Natural Earth", "ol 10", "BSD-2-Clause", "Redistribution and use"]) expect(text).toContain(words);
  await view.shot("people-about");
  await view.page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  await view.close();
});

test.concurrent("names are text, and links go to the host, http and https alone", async ({ expect }) => {
  const place = (name: string, url: string, lon: number): object => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [lon, 52.37] },
    properties: { poi: { name, url, phone: "+31 20 555 0100" }, address: { freeformAddress: "Damrak 10" } },
  });
  const markup = '<img src=x onerror="parent.postMessage(1)"><b>bold</b>';
  const features = [place(markup, "javascript:alert(1)", 4.89), place("Fine", "https://example.com/menu", 4.9)];
  const view = await Hosted.open("tomtom-poi-search");
  await view.result(inline("tomtom-poi-search", { type: "FeatureCollection", features }) as never);
  await view.toState("drawn");
  const rows = view.frame.locator(".row");
  await rows.nth(0).press("Enter");
  await view.frame.locator(".detail", { hasText: "<b>bold</b>" }).waitFor();
  expect(await view.frame.locator("#app :is(img, b)").count()).toBe(0);
  expect(await view.frame.locator(".detail .link").count()).toBe(0);
  await rows.nth(1).press("Enter");
  await view.frame.locator(".detail .link").press("Enter");
  await expect.poll(() => view.heard("link")).toMatchObject([{ value: { url: "https://example.com/menu" } }]);
  expect(view.errors).toEqual([]);
  await view.close();
});
