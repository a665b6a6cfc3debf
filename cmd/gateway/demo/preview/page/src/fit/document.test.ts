import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { drawnLines, linesOf } from "./document.ts";

const line = { type: "LineString", coordinates: [[1, 2], [3, 4, 17]] };

test("lines and rings are found wherever they are", () => {
  const document = {
    routes: [{ features: [{ geometry: line }, { geometry: { type: "Point", coordinates: [9, 9] } }] }],
    ranges: { geometry: { type: "MultiPolygon", coordinates: [[[[0, 0], [1, 0], [0, 1], [0, 0]]], [[[5, 5], [6, 5], [5, 6], [5, 5]]]] } },
  };
  expect(linesOf(document)).toEqual([
    [[1, 2], [3, 4]],
    [[0, 0], [1, 0], [0, 1], [0, 0]],
    [[5, 5], [6, 5], [5, 6], [5, 5]],
  ]);
});

test("positions that are none are left out, and depth has an end", () => {
  expect(linesOf({ type: "LineString", coordinates: [[1, 2], ["x", 4], null, [5]] })).toEqual([[[1, 2]]]);
  const endless: Record<string, unknown> = {};
  endless["again"] = endless;
  expect(linesOf(endless)).toEqual([]);
});

test("a result's map data is unpacked; what cannot be is no line", async () => {
  const packed = gzipSync(JSON.stringify({ features: [{ geometry: line }] })).toString("base64");
  expect(await drawnLines({ _meta: { "com.tomtom/app-data": packed } })).toEqual([[[1, 2], [3, 4]]]);
  expect(await drawnLines({ _meta: { "com.tomtom/app-data": "no base64 §" } })).toEqual([]);
  expect(await drawnLines({ _meta: { "com.tomtom/app-data": btoa("no gzip") } })).toEqual([]);
  expect(await drawnLines({ content: [] })).toEqual([]);
});
