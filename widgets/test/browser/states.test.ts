// Every state of the document, reached as a host reaches it.

import { test } from "vitest";
import { one } from "./calls.ts";
import { appData, inline, result } from "./fixtures.ts";
import { Hosted, type HostedOptions } from "./hosted.ts";

interface Case {
  readonly name: string;
  readonly tool?: string;
  readonly options?: HostedOptions;
  readonly reach: (view: Hosted) => Promise<unknown>;
  readonly state: string;
  /** What can be read, and is said aloud. */
  readonly says: RegExp;
  readonly report?: Record<string, unknown>;
  readonly heightPx?: number;
}

const routing = one("routing");
const long = one("routing-long");
const markers = one("data-viz-markers");
const traffic = one("traffic");
const failed = (reason: string): Record<string, unknown> => ({ outcome: "error", reason });

const cases: readonly Case[] = [
  { name: "waiting", reach: (view) => view.input(routing.input), state: "waiting", says: /Waiting for the result/, heightPx: 420 },
  {
    name: "partial input",
    reach: (view) => view.partial({ locations: [[4.9, 52.4]] }),
    state: "waiting",
    says: /request is being written/,
  },
  {
    name: "drawing",
    tool: markers.tool,
    options: { gateway: "smallGateway", faults: { silent: ["tomtom-get-app-data"] } },
    reach: (view) => view.run(markers.tool, markers.input),
    state: "drawing",
    says: /Drawing the map/,
  },
  {
    name: "hidden",
    reach: (view) => view.run(routing.tool, { ...routing.input, show_ui: false }),
    state: "hidden",
    says: /No map was asked for/,
    report: { tool: "tomtom-routing", outcome: "hidden", source: "none" },
    heightPx: 60,
  },
  {
    name: "empty",
    tool: markers.tool,
    reach: (view) =>
      view.run(markers.tool, { ...markers.input, geojson: '{"type":"FeatureCollection","features":[]}' }),
    state: "empty",
    says: /Nothing was found/,
    report: { outcome: "drawn", source: "inline", reason: "empty" },
  },
  {
    name: "tool error",
    reach: (view) => view.run(routing.tool, { locations: [[4.9, 52.4]], show_ui: true }),
    state: "failed",
    says: /The request failed/,
    report: failed("tool_error"),
    heightPx: 180,
  },
  {
    name: "cancelled",
    reach: async (view) => {
      await view.input(routing.input);
      await view.page.evaluate(() => window.host.cancel());
    },
    state: "failed",
    says: /Cancelled/,
    report: failed("cancelled"),
  },
  {
    name: "data missing",
    options: { faults: { dropMeta: true } },
    reach: (view) => view.run(routing.tool, routing.input),
    state: "failed",
    says: /data did not arrive/,
    report: { tool: "tomtom-routing", ...failed("data_missing") },
  },
  {
    name: "too large",
    options: { gateway: "smallGateway" },
    reach: (view) => view.run(long.tool, long.input),
    state: "failed",
    says: /Too large for a map here/,
    report: { tool: "tomtom-routing", ...failed("too_large") },
  },
  {
    name: "upstream lost it",
    reach: (view) => view.result(result("tomtom-routing", "unavailable") as never),
    state: "failed",
    says: /no longer there/,
    report: failed("unavailable"),
  },
  {
    name: "bad data",
    reach: (view) => view.result({ ...inline("tomtom-routing", {}), _meta: { tool: "tomtom-routing", show_ui: true, "com.tomtom/app-data": "H4sIAAAA" } }),
    state: "failed",
    says: /cannot be read/,
    report: failed("bad_data"),
  },
  {
    name: "draw failed",
    reach: async (view) => {
      await view.frame.evaluate(() => {
        CanvasRenderingContext2D.prototype.quadraticCurveTo = () => {
          throw new RangeError("at 4.897, 52.3779");
        };
      });
      await view.run(routing.tool, routing.input);
    },
    state: "failed",
    says: /could not be drawn/,
    // What is told is the kind of error: its message may quote the data.
    report: { tool: "tomtom-routing", ...failed("draw_failed"), source: "inline", detail: "RangeError" },
    heightPx: 180,
  },
  {
    name: "bomb",
    reach: (view) => view.result(inline("tomtom-routing", { features: [], padding: " ".repeat(65 * 1024 * 1024) }) as never),
    state: "failed",
    says: /Too large for a map here/,
    report: failed("too_large"),
  },
  {
    name: "no result",
    options: { clock: true },
    reach: async (view) => {
      await view.input(routing.input);
      await view.toState("waiting");
      await view.page.clock.fastForward(61_000);
    },
    state: "failed",
    says: /No result arrived/,
    report: failed("no_result"),
  },
  {
    name: "live traffic out of reach",
    tool: traffic.tool,
    options: { profile: "blocked" },
    reach: (view) => view.run(traffic.tool, traffic.input),
    state: "failed",
    says: /Live traffic cannot be reached/,
    report: { tool: "tomtom-traffic", ...failed("no_live_traffic") },
  },
  {
    name: "basemap blocked",
    options: { profile: "blocked" },
    reach: async (view) => {
      await view.run(routing.tool, routing.input);
      await view.frame.getByText("Detailed map not available").waitFor();
    },
    state: "drawn",
    says: /Map drawn/,
    report: { outcome: "drawn", source: "inline" },
  },
];

test.concurrent.for(cases.map((state, i) => ({ ...state, theme: i % 2 === 0 ? "light" : "dark" })))(
  "$name",
  async ({ name, tool = "tomtom-routing", options, reach, state, says, report, heightPx, theme }, { expect }) => {
    const view = await Hosted.open(tool, { width: 560, ...options, context: { theme } });
    try {
      await reach(view);
      await view.toState(state);
      await expect.poll(() => view.spoken()).toMatch(says);
      if (state !== "drawn") expect(await view.visibleText()).toMatch(says);
      if (report !== undefined) expect(await view.reported()).toMatchObject([report]);
      await view.settled();
      const picture = await view.shot(`state-${name.replaceAll(" ", "-")}`);
      // Words in a box over a world, or at least words: never one colour.
      expect(picture.colours()).toBeGreaterThan(state === "hidden" ? 8 : 60);
      if (heightPx !== undefined) {
        const box = await view.page.locator("#slot iframe").boundingBox();
        expect(box!.height).toBeLessThanOrEqual(heightPx);
      }
      expect(await view.calls("tomtom-report-app-status")).toHaveLength(report === undefined ? 0 : 1);
      // The host's log hears of what went wrong, and of nothing else.
      const logged = (await view.heard("log")).map(({ value }) => value);
      expect(logged).toMatchObject(report?.["outcome"] === "error" ? [{ level: "warning", data: { reason: report["reason"] } }] : []);
      // Where a host honours no domain, asking for a tile is a violation.
      if (options?.profile !== "blocked") expect(view.violations).toEqual([]);
      expect(view.errors).toEqual([]);
    } finally {
      await view.close();
    }
  },
);

test.concurrent("a fetch that failed can be tried again", async ({ expect }) => {
  const view = await Hosted.open(markers.tool, { gateway: "smallGateway", faults: { refuse: ["tomtom-get-app-data"] } });
  await view.run(markers.tool, markers.input);
  await view.toState("failed");
  expect(await view.visibleText()).toContain("could not be fetched");
  await view.settled();
  await view.shot("state-fetch-failed");
  await view.page.evaluate(() => window.host.faults({}));
  await view.frame.getByRole("button", { name: "Try again" }).press("Enter");
  await view.toState("drawn");
  expect(await view.reported(2)).toMatchObject([failed("fetch_failed"), { outcome: "drawn", source: "fetched" }]);
  expect((await view.calls("tomtom-get-app-data"))[1]!.value.input).toEqual(markers.input);
  await view.close();
});

test.concurrent("a result that comes after the minute is drawn all the same", async ({ expect }) => {
  const view = await Hosted.open(routing.tool, { clock: true });
  await view.input(routing.input);
  await view.toState("waiting");
  await view.page.clock.fastForward(61_000);
  await view.toState("failed");
  await view.page.clock.resume();
  await view.result(await view.call(routing.tool, routing.input));
  await view.toState("drawn");
  expect(await view.reported(2)).toMatchObject([failed("no_result"), { outcome: "drawn" }]);
  await view.close();
});

test.concurrent("what a server on this machine kept is fetched by its reference", async ({ expect }) => {
  const document = { type: "FeatureCollection", features: [{ type: "Feature", properties: { poi: { name: "Kept" } }, geometry: { type: "Point", coordinates: [4.9, 52.37] } }] };
  const answer = { content: [{ type: "text", text: JSON.stringify({ app_data: appData(document) }) }] };
  const view = await Hosted.open("tomtom-poi-search", { answers: { "tomtom-get-app-data": answer } });
  const text = { show_ui: true, tool: "tomtom-poi-search", app_data_ref: "ref-1" };
  await view.result({ content: [{ type: "text", text: JSON.stringify(text) }] });
  await view.toState("drawn");
  expect(await view.reported()).toMatchObject([{ outcome: "drawn", source: "fetched" }]);
  expect((await view.calls("tomtom-get-app-data"))[0]!.value.input).toEqual({ app_data_ref: "ref-1" });
  expect(await view.visibleText()).toContain("Kept");
  await view.close();
});

test.concurrent("the whole response as text is drawn from the text", async ({ expect }) => {
  const view = await Hosted.open(routing.tool);
  await view.run(routing.tool, { locations: [[4.897, 52.3779], [4.4777, 51.9244]], response_detail: "full", show_ui: true });
  await view.toState("drawn");
  expect(await view.reported()).toMatchObject([{ tool: "tomtom-routing", outcome: "drawn", source: "text" }]);
  await view.close();
});
