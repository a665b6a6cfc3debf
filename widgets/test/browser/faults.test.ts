// Hosts that do what they should not.

import { test } from "vitest";
import { one } from "./calls.ts";
import { Hosted } from "./hosted.ts";
import { rgb } from "./png.ts";
import { paletteFor } from "../../src/engine/palette.ts";

const routing = one("routing");
const long = one("routing-long");
const search = one("fuzzy-search");
const heatmap = one("data-viz-heatmap");

test.concurrent.for([
  ["drops", { dropMeta: true }],
  ["replaces", { replaceMeta: true }],
] as const)("a host that %s _meta still gets places, from the text", async ([word, faults], { expect }) => {
  const view = await Hosted.open(search.tool, { faults });
  await view.run(search.tool, search.input);
  expect(await view.reported()).toMatchObject([{ tool: search.tool, outcome: "drawn", source: "text" }]);
  await view.settled();
  const picture = await view.shot(`fault-meta-${word}`);
  expect(picture.count(rgb(paletteFor("light").role.place), 40)).toBeGreaterThan(300);
  expect(view.violations).toEqual([]);
  await view.close();
});

test.concurrent.for([
  ["drops", { dropMeta: true }],
  ["replaces", { replaceMeta: true }],
] as const)("a host that %s _meta has a caller's data fetched with its own input", async ([, faults], { expect }) => {
  const view = await Hosted.open(heatmap.tool, { faults });
  await view.run(heatmap.tool, heatmap.input);
  expect(await view.reported()).toMatchObject([{ tool: heatmap.tool, outcome: "drawn", source: "fetched" }]);
  expect((await view.calls("tomtom-get-app-data")).map(({ value }) => value.input)).toEqual([heatmap.input]);
  await view.toState("drawn");
  await view.close();
});

test.concurrent("a host that replaces _meta gets an error where a line is needed, and no tool runs again", async ({ expect }) => {
  const view = await Hosted.open(routing.tool, { faults: { replaceMeta: true } });
  await view.run(routing.tool, routing.input);
  expect(await view.reported()).toMatchObject([{ tool: routing.tool, outcome: "error", reason: "data_missing" }]);
  const names = (await view.heard("call")).map(({ value }) => value.name);
  expect(names).toEqual(["tomtom-report-app-status"]);
  await view.close();
});

test.concurrent("a host that sends no tool-input gets its map", async ({ expect }) => {
  const view = await Hosted.open(routing.tool, { profile: "inspector", faults: { dropInput: true, refuseContext: true } });
  await view.run(routing.tool, routing.input);
  expect(await view.reported()).toMatchObject([{ outcome: "drawn", source: "inline" }]);
  await view.settled();
  const picture = await view.shot("fault-no-input");
  expect(picture.count(rgb(paletteFor("light").role.route), 40)).toBeGreaterThan(300);
  expect(view.violations).toEqual([]);
  await view.close();
});

test.concurrent.for([
  ["traffic", {}, "Live traffic cannot be reached", "no_live_traffic"],
  ["data-viz-heatmap", { dropMeta: true }, "data did not arrive", "data_missing"],
] as const)("a host that sends no tool-input gets an error where it is needed: %s", async ([name, more, says, reason], { expect }) => {
  const { tool, input } = one(name);
  const view = await Hosted.open(tool, { faults: { dropInput: true, ...more }, context: { toolInfo: { tool: { name: tool, inputSchema: { type: "object" } } } } });
  await view.run(tool, input);
  expect(await view.reported()).toMatchObject([{ tool, outcome: "error", reason }]);
  expect(await view.visibleText()).toContain(says);
  expect(view.errors).toEqual([]);
  await view.close();
});

test.concurrent("a host that refuses the model's context is asked once, and the map goes on", async ({ expect }) => {
  const view = await Hosted.open(routing.tool, { faults: { refuseContext: true } });
  await view.run(routing.tool, routing.input);
  await view.reported();
  await view.settled();
  const before = await view.shot("fault-context-before");
  const map = view.frame.locator(".map");
  await map.focus();
  for (let i = 0; i < 3; i++) await map.press("ArrowLeft");
  await expect.poll(() => view.heard("context")).toHaveLength(1);
  for (let i = 0; i < 3; i++) await map.press("ArrowUp");
  await view.settled();
  const after = await view.shot("fault-context-after");
  expect(after.count(rgb(paletteFor("light").role.route), 40)).not.toBe(before.count(rgb(paletteFor("light").role.route), 40));
  expect(await view.heard("context")).toHaveLength(1);
  expect(view.errors).toEqual([]);
  await view.close();
});

test.concurrent("a host that sends the result twice has it drawn and reported once", async ({ expect }) => {
  const view = await Hosted.open(long.tool, { faults: { sendTwice: true } });
  await view.run(long.tool, long.input);
  await view.toState("drawn");
  await view.settled();
  expect(await view.reported()).toMatchObject([{ tool: long.tool, outcome: "drawn", source: "inline" }]);
  await view.close();
});

test.concurrent("a host that tears down right after the result is answered, and hears no more", async ({ expect }) => {
  const view = await Hosted.open(long.tool);
  const result = await view.call(long.tool, long.input);
  const before = await view.page.evaluate(async (handed) => {
    const sent = window.host.result(handed);
    await window.host.teardown();
    await sent;
    return window.host.heard().length;
  }, result);
  expect(await view.heard("teardown")).toHaveLength(1);
  await view.settled();
  expect(await view.page.evaluate(() => window.host.heard().length)).toBe(before);
  expect(view.errors).toEqual([]);
  await view.close();
});

test.concurrent("a host that tears down while the view waits for data is answered, and gets no report", async ({ expect }) => {
  const view = await Hosted.open(heatmap.tool, { gateway: "smallGateway", faults: { silent: ["tomtom-get-app-data"] } });
  await view.run(heatmap.tool, heatmap.input);
  await view.toState("drawing");
  await view.page.evaluate(() => window.host.teardown());
  expect(await view.heard("teardown")).toHaveLength(1);
  expect(await view.calls("tomtom-report-app-status")).toEqual([]);
  expect(view.errors).toEqual([]);
  await view.close();
});

test.concurrent("a host that lets no tool be called has the map over plain outlines", async ({ expect }) => {
  const view = await Hosted.open(routing.tool, { faults: { refuse: ["tomtom-get-api-key", "tomtom-report-app-status"] } });
  await view.run(routing.tool, routing.input);
  await view.toState("drawn");
  await view.frame.getByText("Detailed map not available").waitFor();
  expect(await view.asked()).toEqual([]);
  await view.settled();
  const picture = await view.shot("fault-no-tools");
  expect(picture.count(rgb(paletteFor("light").role.route), 40)).toBeGreaterThan(300);
  expect(view.errors).toEqual([]);
  await view.close();
});

test.concurrent("a host that never answers a fetch has an error after a minute", async ({ expect }) => {
  const view = await Hosted.open(heatmap.tool, {
    gateway: "smallGateway",
    clock: true,
    faults: { silent: ["tomtom-get-app-data"] },
  });
  await view.run(heatmap.tool, heatmap.input);
  await view.toState("drawing");
  await expect.poll(() => view.calls("tomtom-get-app-data")).toHaveLength(1);
  await view.page.clock.fastForward(61_000);
  await view.toState("failed");
  expect(await view.reported()).toMatchObject([{ outcome: "error", reason: "fetch_failed" }]);
  await view.close();
});

test.concurrent("a host that gives no keys, links, context or log gets a map and no word too many", async ({ expect }) => {
  const without = ["openLinks", "updateModelContext", "message", "logging"];
  const view = await Hosted.open(search.tool, { without, context: { availableDisplayModes: ["inline"] } });
  await view.run(search.tool, search.input);
  await view.reported();
  await view.settled();
  expect(await view.frame.getByRole("button", { name: "Full screen" }).count()).toBe(0);
  expect(await view.heard("context")).toEqual([]);
  expect(await view.heard("log")).toEqual([]);
  await view.close();
});
