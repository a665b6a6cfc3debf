// The document in a small host of our own, which can say anything, over stand-ins of one colour.

import { describe, test, type TestContext } from "vitest";
import { fitted, heat, inline, places, ranges, result, routes, trafficBox } from "./fixtures.ts";
import { OpenView, text, type ViewOptions } from "./harness.ts";
import { serve, tileColour, type Profile, type Served } from "./serve.ts";

const route = [26, 124, 240] as const;
const delayMajor = [197, 18, 27] as const;
const brandRed = [223, 27, 18] as const;
const land = [247, 246, 242] as const;

interface Open {
  readonly view: OpenView;
  readonly served: Served;
}

/** open gives a test a view and an outside of its own, and looks afterwards whether anything was thrown. */
async function open({ expect, onTestFinished }: TestContext, options: ViewOptions = {}): Promise<Open> {
  const served = await serve();
  const view = await OpenView.open(served, options);
  onTestFinished(async () => {
    const { errors } = view;
    await view.close();
    await served.close();
    expect(errors).toEqual([]);
  });
  return { view, served };
}

describe("under a policy without workers, blob: and data:", () => {
  const profile: Profile = "strict";
  test.concurrent("a fitted route is drawn over tiles, with how exact it is", async (context) => {
    const { expect } = context;
    const { view } = await open(context, { profile });
    await view.result(fitted("tomtom-routing", routes(), 2.4));
    expect(await view.reported()).toMatchObject({ tool: "tomtom-routing", outcome: "drawn", source: "inline" });
    await view.settled();
    expect(await view.pixels(`route-${profile}`, route)).toBeGreaterThan(800);
    expect(await view.pixels(`route-${profile}`, delayMajor)).toBeGreaterThan(60);
    expect(await view.pixels(`route-${profile}`, tileColour)).toBeGreaterThan(50_000);
    expect(await view.visibleText()).toContain("Drawn within 2.4 m of the route");
    expect(await view.visibleText()).toContain("655 km · 6 hr 30 min · 21 min delay");
    expect(await view.visibleText()).toContain("© Stand-in");
    expect(view.violations).toEqual([]);
  });

  test.concurrent("places are numbered, and their names are text", async (context) => {
    const { expect } = context;
    const { view } = await open(context, { profile });
    await view.result(inline("tomtom-fuzzy-search", places()));
    expect(await view.reported()).toMatchObject({ outcome: "drawn", source: "inline" });
    await view.settled();
    expect(await view.pixels(`places-${profile}`, brandRed)).toBeGreaterThan(400);
    expect(await view.visibleText()).toContain("Zum goldenen <b>Hirsch</b>");
    expect(await view.frame.locator("#app img, #app b").count()).toBe(0);
    expect(view.violations).toEqual([]);
  });

  test.concurrent("ranges are nested areas with their budgets", async (context) => {
    const { expect } = context;
    const { view } = await open(context, { profile });
    await view.result(inline("tomtom-reachable-range", ranges()));
    expect(await view.reported()).toMatchObject({ tool: "tomtom-reachable-range", outcome: "drawn" });
    await view.settled();
    // The outlines of the smallest and of the largest range.
    expect(await view.pixels(`ranges-${profile}`, [10, 79, 163])).toBeGreaterThan(60);
    expect(await view.pixels(`ranges-${profile}`, [111, 177, 255])).toBeGreaterThan(150);
    for (const budget of ["15 min", "30 min", "45 min", "1 hr"]) expect(await view.visibleText()).toContain(budget);
    expect(view.violations).toEqual([]);
  });

  test.concurrent("density is painted without WebGL", async (context) => {
    const { expect } = context;
    const { view } = await open(context, { profile });
    await view.result(inline("tomtom-data-viz", heat()));
    expect(await view.reported()).toMatchObject({ tool: "tomtom-data-viz", outcome: "drawn" });
    await view.settled();
    expect(await view.pixels(`heat-${profile}`, [239, 138, 98], 120)).toBeGreaterThan(300);
    expect(await view.visibleText()).toContain("Stores");
    expect(view.violations).toEqual([]);
  });

  test.concurrent("traffic is drawn live for the box of the input", async (context) => {
    const { expect } = context;
    const { view, served } = await open(context, { profile });
    await view.result(result("tomtom-traffic", "none"), { bbox: trafficBox });
    expect(await view.reported()).toMatchObject({ tool: "tomtom-traffic", outcome: "drawn", source: "fetched" });
    await view.settled();
    expect(await view.pixels(`traffic-${profile}`, delayMajor)).toBeGreaterThan(100);
    const asked = new URL(served.asked.find((path) => path.startsWith("/incidents"))!, "http://traffic").searchParams;
    expect(asked.get("bbox")).toBe("4.7,52.2,5.1,52.5");
    expect(asked.get("key")).toBe("key+1");
    expect(await view.visibleText()).toContain("24 traffic incidents");
    expect(view.violations).toEqual([]);
  });
});

test.concurrent("the key goes into the tiles' address, escaped, with the theme's style", async (context) => {
  const { expect } = context;
  const { view, served } = await open(context, { context: { theme: "dark" } });
  await view.result(inline("tomtom-routing", routes()));
  await view.reported();
  await view.settled();
  expect(served.asked.length).toBeGreaterThan(0);
  for (const path of served.asked) expect(path).toMatch(/^\/tile\/\d+\/\d+\/\d+\?key=key%2B1&style=street-dark&size=256$/);
  expect(await view.calls("tomtom-get-api-key")).toHaveLength(1);
});

test.concurrent("without tiles the world's outlines stand in, and a note says so", async (context) => {
  const { expect } = context;
  const { view } = await open(context, { profile: "blocked" });
  await view.result(inline("tomtom-routing", routes()));
  expect(await view.reported()).toMatchObject({ outcome: "drawn" });
  await view.frame.getByText("Detailed map not available").waitFor();
  expect(await view.pixels("no-tiles", land)).toBeGreaterThan(50_000);
  expect(await view.pixels("no-tiles", route)).toBeGreaterThan(800);
  expect(await view.visibleText()).toContain("Natural Earth");
});

test.concurrent("a host that gives no key leaves the outlines too", async (context) => {
  const { expect } = context;
  const { view, served } = await open(context, { tools: { "tomtom-get-api-key": { ...text("no"), isError: true } } });
  await view.result(inline("tomtom-routing", routes()));
  await view.reported();
  await view.frame.getByText("Detailed map not available").waitFor();
  expect(served.asked).toEqual([]);
});

test.concurrent("a click on a place tells about it", async (context) => {
  const { view } = await open(context);
  await view.result(inline("tomtom-fuzzy-search", { type: "FeatureCollection", features: [(places() as any).features[0]] }));
  await view.reported();
  const map = (await view.frame.locator(".map").boundingBox())!;
  const card = (await view.frame.locator(".card").boundingBox())!;
  const left = card.width + 48;
  await view.page.mouse.click((left + map.width - 48) / 2, (24 + map.height - 32) / 2);
  await view.frame.locator(".detail", { hasText: "+31 20 555 0100" }).waitFor();
  await view.pixels("picked", land);
});

test.concurrent("a new theme repaints the map, and the teardown is answered", async (context) => {
  const { expect } = context;
  const { view } = await open(context, { profile: "blocked" });
  await view.result(inline("tomtom-routing", routes()));
  await view.reported();
  await view.notify("ui/notifications/host-context-changed", { theme: "dark" });
  await view.frame.locator("html[data-theme=dark]").waitFor();
  expect(await view.pixels("dark", [39, 49, 59])).toBeGreaterThan(50_000);
  await view.page.evaluate(() => (window as any).askView(7, "ui/resource-teardown", { reason: "test" }));
  await view.page.waitForFunction(() => (window as any).viewSaid().some((m: any) => m.id === 7 && m.result !== undefined));
});

test.concurrent("a narrow frame has the map above its card", async (context) => {
  const { expect } = context;
  const { view } = await open(context, { width: 340, profile: "blocked" });
  await view.result(fitted("tomtom-routing", routes(), 12.5));
  await view.reported();
  await view.frame.getByText("Detailed map not available").waitFor();
  expect(await view.pixels("narrow", route)).toBeGreaterThan(300);
  const card = (await view.frame.locator(".card").boundingBox())!;
  expect(card.x).toBeGreaterThanOrEqual(0);
  expect(card.x + card.width).toBeLessThanOrEqual(340);
});

test.concurrent("a host may fix the height, and full screen is asked for", async (context) => {
  const { expect } = context;
  const { view } = await open(context, {
    context: { theme: "light", containerDimensions: { height: 150 }, availableDisplayModes: ["inline", "fullscreen"] },
  });
  await view.result(inline("tomtom-routing", routes()));
  await view.reported();
  expect((await view.frame.locator("#app").boundingBox())!.height).toBe(150);
  await view.frame.getByRole("button", { name: "Full screen" }).click();
  await view.frame.getByRole("button", { name: "Leave full screen" }).waitFor();
  const said = await view.said();
  // Whatever is said before the handshake is said without knowing the host.
  expect(said.slice(0, 2).map(({ method }) => method)).toEqual(["ui/initialize", "ui/notifications/initialized"]);
  expect(said.filter(({ method }) => method === "ui/request-display-mode")).toMatchObject([{ params: { mode: "fullscreen" } }]);
});

test.concurrent("messages of another window are not heard", async (context) => {
  const { expect } = context;
  const { view } = await open(context);
  await view.frame.evaluate((message) => {
    // The frame itself is a window, and not the parent.
    window.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: message }, "*");
  }, inline("tomtom-routing", routes(50)));
  await view.notify("ui/notifications/tool-input-partial", {});
  await view.frame.locator(".message", { hasText: "The request is being written…" }).waitFor();
  expect(await view.state()).toBe("waiting");
});
