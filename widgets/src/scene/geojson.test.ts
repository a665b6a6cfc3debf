import { describe, expect, test } from "vitest";
import { featuresOf, lineOf, linesOf, pointsOf, polygonsOf } from "./geojson.ts";

const flat = (path: Float64Array): number[] => [...path];

describe("lineOf", () => {
  test("drops altitude and keeps one vertex a position", () => {
    expect(flat(lineOf([[4, 52, 11], [5, 53]]))).toEqual([4, 52, 5, 53]);
  });

  test("repeats the vertex before a bad position, so that indices stay right", () => {
    const bad = [null, [7], ["5", 52], [5, 95], [Infinity, 1], { lon: 1 }];
    expect(flat(lineOf([[4, 52], ...bad, [5, 53]]))).toEqual([...Array(7).fill([4, 52]).flat(), 5, 53]);
    expect(flat(lineOf([null, [5, 53]]))).toEqual([5, 53, 5, 53]);
  });

  test("goes on past the antimeridian, either way", () => {
    expect(flat(lineOf([[179, 0], [-179, 1], [-178, 2]]))).toEqual([179, 0, 181, 1, 182, 2]);
    expect(flat(lineOf([[-179, 0], [179, 1]]))).toEqual([-179, 0, -181, 1]);
  });

  test.each([undefined, null, "x", {}, [], [[]], [null]])("answers an empty path for %j", (value) => {
    expect(lineOf(value)).toHaveLength(0);
  });
});

test("geometries come apart by kind, collections too", () => {
  const geometry = {
    type: "GeometryCollection",
    geometries: [
      { type: "Point", coordinates: [1, 2] },
      { type: "MultiPoint", coordinates: [[3, 4], [5]] },
      { type: "LineString", coordinates: [[0, 0], [1, 1]] },
      { type: "MultiLineString", coordinates: [[[0, 0], [2, 2]], [[9, 9]]] },
      { type: "Polygon", coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]], [[0, 0]]] },
      { type: "MultiPolygon", coordinates: [[[[5, 5], [6, 5], [6, 6], [5, 5]]], []] },
    ],
  };
  expect(pointsOf(geometry)).toEqual([[1, 2], [3, 4]]);
  expect(linesOf(geometry).map(flat)).toEqual([[0, 0, 1, 1], [0, 0, 2, 2]]);
  expect(polygonsOf(geometry).map((rings) => rings.map((ring) => ring.length / 2))).toEqual([[4], [4]]);
});

test("featuresOf takes a collection, a lone feature, and nothing else", () => {
  expect(featuresOf({ type: "FeatureCollection", features: [{ a: 1 }, null, 7] })).toEqual([{ a: 1 }]);
  expect(featuresOf({ type: "Feature", geometry: null })).toHaveLength(1);
  for (const value of [undefined, null, [], "x", { features: "x" }]) expect(featuresOf(value)).toEqual([]);
});
