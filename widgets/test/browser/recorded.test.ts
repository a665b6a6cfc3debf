// Every kind of app data that a real server was recorded with, where the recordings stand beside the repository.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { inline } from "./fixtures.ts";
import { OpenView } from "./harness.ts";
import { serve, type Served } from "./serve.ts";

const captures = join(import.meta.dirname, "../../../../shared/captures");

describe.skipIf(!existsSync(captures))("recorded app data (../shared is absent where this is skipped)", () => {
    let served: Served;
  beforeAll(async () => {
      served = await serve();
  });
  afterAll(async () => {
    await served.close();
  });

  const route = [26, 124, 240] as const;
  const red = [223, 27, 18] as const;
  test.concurrent.for([
    ["routing-8240", "tomtom-routing", route, 300],
    ["routing-39414", "tomtom-routing", [10, 79, 163], 200],
    ["ev-routing-8240", "tomtom-ev-routing", route, 300],
    ["search-along-route-8240", "tomtom-search-along-route", route, 300],
    ["dynamic-map-routes", "tomtom-dynamic-map", [249, 115, 22], 300],
    ["reachable-range-time", "tomtom-reachable-range", [10, 79, 163], 300],
    ["fuzzy-search-q", "tomtom-fuzzy-search", red, 300],
    ["area-search-circle", "tomtom-area-search", red, 300],
    ["reverse-geocode-q", "tomtom-reverse-geocode", red, 100],
    ["data-viz-points", "tomtom-data-viz", [188, 57, 73], 200],
  ] as const)("%s is drawn", async ([name, tool, colour, least], { expect }) => {
    const message = JSON.parse(readFileSync(join(captures, `tomtom-get-viz-data-${name}.json`), "utf8"));
    const view = await OpenView.open(served, { profile: "blocked" });
    await view.result(inline(tool, JSON.parse(message.response.result.content[0].text)));
    const report = await view.reported();
    expect(report).toMatchObject({ tool, outcome: "drawn", source: "inline" });
    expect(report["reason"]).toBeUndefined();
    await view.frame.getByText("Detailed map not available").waitFor();
    expect(await view.pixels(`recorded-${name}`, colour, 40)).toBeGreaterThan(least);
    console.log(`${name}: ${String(report["duration_ms"])} ms from the result to the drawn map`);
    expect(view.errors).toEqual([]);
    await view.close();
  });
});
