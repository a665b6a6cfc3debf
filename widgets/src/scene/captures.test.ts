// The app data of a real server, where its recordings stand beside the repository.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildScene } from "./build.ts";
import { boundsOf } from "./bounds.ts";
import { lines, points, testBrief } from "./testbrief.ts";

const captures = join(import.meta.dirname, "../../../../shared/captures");
const there = existsSync(captures);

function recorded(name: string): unknown {
  const message = JSON.parse(readFileSync(join(captures, `tomtom-get-viz-data-${name}.json`), "utf8"));
  return JSON.parse(message.response.result.content[0].text);
}

describe.skipIf(!there)("recorded app data (../shared is absent where this is skipped)", () => {
  test.each([
    ["routing-8240", "tomtom-routing", 8240],
    ["routing-39414", "tomtom-routing", 39414],
    ["ev-routing-8240", "tomtom-ev-routing", 8240],
    ["search-along-route-8240", "tomtom-search-along-route", 8240],
    ["dynamic-map-routes", "tomtom-dynamic-map", 8240],
  ])("%s has its line", (name, tool, vertices) => {
    const scene = buildScene(tool, recorded(name), testBrief());
    expect(lines(scene).find(({ role }) => role === "route")!.path).toHaveLength(2 * vertices);
    expect(scene.rows[0]!.text).toMatch(/km · .*delay/);
  });

  test("a route has its traffic, tolls, tunnels and border", () => {
    const scene = buildScene("tomtom-routing", recorded("routing-8240"), testBrief());
    const count = (role: string): number => lines(scene).filter((line) => line.role === role).length;
    expect(lines(scene).filter(({ role }) => role.startsWith("delay-"))).toHaveLength(32);
    expect([count("toll"), count("tunnel")]).toEqual([2, 7]);
    expect(points(scene).filter(({ role }) => role === "border")).toHaveLength(1);
  });

  test.each([
    ["fuzzy-search-q", "tomtom-fuzzy-search", 4],
    ["area-search-circle", "tomtom-area-search", 5],
    ["reverse-geocode-q", "tomtom-reverse-geocode", 1],
    ["reachable-range-time", "tomtom-reachable-range", 5],
    ["traffic-bbox", "tomtom-traffic", 280],
    ["data-viz-points", "tomtom-data-viz", 1],
  ])("%s has its shapes", (name, tool, shapes) => {
    const scene = buildScene(tool, recorded(name), testBrief());
    expect(scene.shapes).toHaveLength(shapes);
    expect(boundsOf(scene.shapes)!.west).toBeGreaterThan(4);
  });
});
