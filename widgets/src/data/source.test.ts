import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../json.ts";
import { readResult } from "./result.ts";
import { findAppData } from "./source.ts";

const encode = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");
const answer = (value: unknown): JsonObject => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

const line = (count: number): object => ({
  type: "FeatureCollection",
  features: [
    {
      type: "Feature",
      geometry: { type: "LineString", coordinates: Array.from({ length: count }, (_, i) => [i, i]) },
      properties: {},
    },
  ],
});
const points = { features: [{ type: "Feature", geometry: { type: "Point", coordinates: [4, 52] } }] };

interface Given {
  readonly tool: string;
  readonly meta?: object;
  readonly text?: object;
  readonly input?: JsonObject;
  readonly called?: JsonObject | Error;
}

async function find({ tool, meta, text, input, called }: Given) {
  const callTool = vi.fn(async (_name: string, _input: JsonObject) => {
    if (called instanceof Error) throw called;
    return called ?? {};
  });
  const result = readResult({ content: [{ type: "text", text: JSON.stringify(text ?? {}) }], _meta: meta });
  const found = await findAppData(result, tool, input, callTool).catch((error: unknown) => ({ error }));
  return { ...found, calls: callTool.mock.calls };
}

const inlineMeta = { "com.tomtom/app-data": encode({ a: 1 }), "com.tomtom/app-data-status": "inline" };
const status = (word: string): object => ({ "com.tomtom/app-data-status": word });

describe("findAppData", () => {
  test("takes inline data before anything else, and calls nothing", async () => {
    const found = await find({
      tool: "tomtom-data-viz",
      meta: inlineMeta,
      text: { ...points, app_data_ref: "r" },
      input: { layers: [] },
    });
    expect(found).toEqual({ source: "inline", document: { a: 1 }, calls: [] });
  });

  test.each([["fetch"], [undefined]])("fetches data-viz with its own input (status %s)", async (word) => {
    const input = { data_url: "https://example.com/a.geojson", layers: [{ type: "fill" }] };
    const found = await find({
      tool: "tomtom-data-viz",
      meta: word === undefined ? {} : status(word),
      input,
      called: answer({ app_data: encode({ b: 2 }) }),
    });
    expect(found).toEqual({ source: "fetched", document: { b: 2 }, calls: [["tomtom-get-app-data", input]] });
  });

  test.each(["tomtom-routing", "tomtom-ev-routing", "tomtom-fuzzy-search", "tomtom-dynamic-map", "tomtom-reachable-range"])(
    "never fetches for %s, whatever the status",
    async (tool) => {
      for (const word of ["fetch", "too_large", "unavailable", "none", "inline"]) {
        expect((await find({ tool, meta: status(word), input: { a: 1 } })).calls).toEqual([]);
      }
    },
  );

  test.each([
    ["a full route", "tomtom-routing", line(30)],
    ["a full route along which was searched", "tomtom-search-along-route", { route: line(3), pois: points }],
    ["geometry beside a trimmed route", "tomtom-routing", { features: [], geometry: line(3) }],
    ["places", "tomtom-poi-search", points],
    ["one place", "tomtom-reverse-geocode", points.features[0]!],
    ["incidents", "tomtom-traffic", { incidents: [{ geometry: { type: "LineString", coordinates: [[1, 2], [2, 3], [3, 4]] } }] }],
    ["a map state", "tomtom-dynamic-map", { view: {}, sources: {} }],
    ["a caller's data", "tomtom-data-viz", { geojson: points, layers: [] }],
  ])("draws from a text that holds %s", async (_name, tool, text) => {
    expect(await find({ tool, text, meta: status("text") })).toMatchObject({ source: "text", document: text, calls: [] });
  });

  test.each([
    ["a route's ends", "tomtom-ev-routing", line(2)],
    ["a route without its line", "tomtom-routing", { features: [{ geometry: { type: "LineString" }, properties: {} }] }],
    ["the places along a route whose line is trimmed", "tomtom-search-along-route", { route: line(2), pois: points }],
    ["ranges without outlines", "tomtom-reachable-range", { features: [{ geometry: { type: "Polygon", coordinates: [] } }] }],
  ])("does not draw from %s", async (_name, tool, text) => {
    expect(await find({ tool, text })).toMatchObject({ error: { reason: "data_missing" }, calls: [] });
  });

  test("asks a server on this machine for what it kept", async () => {
    const found = await find({
      tool: "tomtom-routing",
      text: { ...line(2), app_data_ref: "r-1" },
      called: answer({ app_data: encode({ c: 3 }) }),
    });
    expect(found).toEqual({
      source: "fetched",
      document: { c: 3 },
      calls: [["tomtom-get-app-data", { app_data_ref: "r-1" }]],
    });
  });

  test.each([
    ["too_large", "too_large"],
    ["unavailable", "unavailable"],
    ["inline", "data_missing"],
    ["fitted", "data_missing"],
    ["something new", "data_missing"],
  ])("says why there is nothing: %s", async (word, reason) => {
    expect(await find({ tool: "tomtom-routing", meta: status(word) })).toMatchObject({ error: { reason } });
  });

  test.each([
    ["the host refuses", new Error("no")],
    ["the server answers an error", { ...answer({ app_data: encode(1) }), isError: true }],
    ["the answer is empty", {}],
    ["the answer is no JSON", { content: [{ type: "text", text: "ok" }] }],
    ["the answer has no app data", answer({ data: 1 })],
  ])("fails where %s", async (_name, called) => {
    expect(await find({ tool: "tomtom-data-viz", input: {}, called })).toMatchObject({ error: { reason: "fetch_failed" } });
  });

  test("what is damaged is looked for in the next place", async () => {
    const full = line(30);
    const broken = { "com.tomtom/app-data": "H4sI" };
    expect(await find({ tool: "tomtom-routing", meta: broken, text: full })).toMatchObject({ source: "text", document: full, passed: "bad_data" });
    expect(
      await find({ tool: "tomtom-routing", meta: broken, text: { app_data_ref: "r-2" }, called: answer({ app_data: encode({ d: 4 }) }) }),
    ).toMatchObject({ source: "fetched", document: { d: 4 } });
  });

  test("of several failures the first is told", async () => {
    const broken = { "com.tomtom/app-data": "H4sI" };
    const found = await find({ tool: "tomtom-routing", meta: broken, text: { app_data_ref: "r-3" }, called: new Error("no") });
    expect(found).toMatchObject({ error: { reason: "bad_data" }, calls: [["tomtom-get-app-data", { app_data_ref: "r-3" }]] });
  });

  test("a tool without app data has none", async () => {
    expect(await find({ tool: "tomtom-poi-categories", meta: status("none") })).toMatchObject({ source: "none", document: undefined });
  });
});
