import { describe, expect, test } from "vitest";
import { boundsOf } from "./bounds.ts";
import { buildScene } from "./build.ts";
import { asColour, between } from "./colour.ts";
import type { AreaShape } from "./scene.ts";
import { lines, points, rolesOf, testBrief } from "./testbrief.ts";

const square = (size: number): number[][] => [
  [0, 0],
  [size, 0],
  [size, size],
  [0, size],
  [0, 0],
];
const point = (lon: number, lat: number, properties: object = {}): object => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [lon, lat] },
  properties,
});

describe("places", () => {
  const place = point(4.88, 52.37, {
    poi: { name: "De Kas", localizedCategories: ["restaurant", "restaurant", 7], phone: "+31 20 555" },
    address: { freeformAddress: "Damrak 10" },
    distance: 220.5,
  });

  test("are numbered and told about", () => {
    const scene = buildScene("tomtom-fuzzy-search", { features: [place, point(5, 53, { address: { freeformAddress: "B" } }), point(6, 54)] }, testBrief());
    expect(points(scene).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(points(scene)[0]!.detail).toEqual({ title: "De Kas", lines: ["Damrak 10", "restaurant", "+31 20 555", "221 m away"] });
    expect(scene.rows.map(({ title, text }) => [title, text])).toEqual([["De Kas", "Damrak 10"], ["B", ""], ["Place", ""]]);
  });

  test("of a reverse geocode are one feature", () => {
    expect(points(buildScene("tomtom-reverse-geocode", place, testBrief()))).toHaveLength(1);
  });

  test("lie on the area that was searched", () => {
    const boundary = { type: "Feature", geometry: { type: "Polygon", coordinates: [square(1)] } };
    const scene = buildScene("tomtom-area-search", { features: [place], _searchBoundary: boundary }, testBrief());
    expect(rolesOf(scene.shapes)).toEqual(["area:boundary", "point:place"]);
  });
});

describe("ranges", () => {
  const range = (size: number, budget: object): object => ({
    type: "Feature",
    geometry: { type: "Polygon", coordinates: [square(size)] },
    properties: { origin: [0.5, 0.5], budget, apiKey: "secret" },
  });

  test("lie on each other with the smallest on top, whatever their order", () => {
    const scene = buildScene(
      "tomtom-reachable-range",
      { features: [range(2, { type: "timeMinutes", value: 30 }), range(3, { type: "timeMinutes", value: 60 }), range(1, { type: "timeMinutes", value: 15 })] },
      testBrief(),
    );
    expect(scene.shapes.filter((shape): shape is AreaShape => shape.kind === "area").map(({ rank }) => rank)).toEqual([1, 0.5, 0]);
    expect(scene.legend.map(({ title }) => title)).toEqual(["15 min", "30 min", "1 hr"]);
    expect(points(scene)).toMatchObject([{ role: "start", lon: 0.5 }]);
    expect(JSON.stringify(scene)).not.toContain("secret");
  });

  test.each([
    [{ type: "distanceKM", value: 20 }, "20 km"],
    [{ type: "spentChargePCT", value: 80 }, "80%"],
    [{ type: "remainingChargeCPT", value: 20 }, "20%"],
    [{ type: "energyKWh", value: 20.5 }, "20.5 kWh"],
    [{ type: "spentFuelLiters", value: 5 }, "5 L"],
    [{ type: "later", value: 7 }, "7"],
    [{}, "Reachable area"],
  ])("have names: %j", (budget, name) => {
    expect(buildScene("tomtom-reachable-range", { features: [range(1, budget)] }, testBrief()).legend[0]!.title).toBe(name);
  });
});

describe("dynamic map", () => {
  const source = (...features: object[]): object => ({ type: "geojson", data: { type: "FeatureCollection", features } });
  const line = {
    type: "Feature",
    geometry: { type: "LineString", coordinates: [[4, 52], [5, 53]] },
    properties: { routeName: "Route 1", trafficColor: "#f97316", lengthInMeters: 640892, travelTimeInSeconds: 23945, trafficDelayInSeconds: 10158 },
  };
  const view = { center: [0, 0], zoom: 2, bounds: { north: 60, south: 40, east: 30, west: -10 } };
  const area = { type: "Feature", geometry: { type: "Polygon", coordinates: [square(1)] }, properties: { fillColor: "rgba(255,0,0,0.3)", label: "Zone" } };

  test("draws every source, in the callers' colours", () => {
    const scene = buildScene(
      "tomtom-dynamic-map",
      {
        view,
        sources: {
          routes: source(line),
          routeLabels: source(point(4, 52, { type: "start", label: "Start" }), point(5, 53, { type: "end" })),
          polygons: source(area),
          polygonCenters: source(point(0.5, 0.5, { label: "Zone" })),
          markers: source(point(4, 52, { label: "A", markerType: "pin" }), point(5, 53, { label: "B", markerType: "dot", color: "#00ff00" })),
        },
      },
      testBrief(),
    );
    expect(rolesOf(scene.shapes)).toEqual(["area:data", "line:route", "point:place", "point:data", "point:label"]);
    expect(lines(scene)[0]).toMatchObject({ colour: "#f97316", detail: { lines: ["641 km", "6 hr 39 min", "2 hr 49 min delay"] } });
    expect(points(scene)[1]).toMatchObject({ colour: "#00ff00", label: "B" });
    expect(scene.bounds).toBeUndefined();
  });

  test("without markers a route has its ends", () => {
    const scene = buildScene("tomtom-dynamic-map", { sources: { routes: source(line), routeLabels: source(point(4, 52, { type: "start" }), point(5, 53, { type: "end" })) } }, testBrief());
    expect(rolesOf(scene.shapes)).toEqual(["line:route", "point:start", "point:end"]);
  });

  test("keeps the view that a caller chose", () => {
    const chosen = buildScene("tomtom-dynamic-map", { view, sources: { routes: source(line) } }, testBrief({ bbox: [-10, 40, 30, 60] }));
    expect(chosen.bounds).toEqual({ west: -10, south: 40, east: 30, north: 60 });
    const center = buildScene("tomtom-dynamic-map", { view: { center: [10, 0], zoom: 2 }, sources: {} }, testBrief());
    expect(center.bounds!.west + center.bounds!.east).toBeCloseTo(20);
    expect(center.bounds!.east - center.bounds!.west).toBeCloseTo((600 * 360) / 2048);
  });
});

describe("data-viz", () => {
  const stores = [0, 50, 100].map((sales, i) => point(4 + i, 52, { name: `S${i}`, sales, kind: i % 2 === 0 ? "a" : "b" }));
  const draw = (...layers: object[]) =>
    buildScene("tomtom-data-viz", { geojson: { type: "FeatureCollection", features: stores }, layers, title: "Stores" }, testBrief());

  test("colours by number, with a legend", () => {
    const scene = draw({ type: "markers", color_property: "sales", color_scale: ["#000000", "#ffffff"], size_property: "sales" });
    expect(points(scene).map(({ colour }) => colour)).toEqual(["#000000", "#808080", "#ffffff"]);
    expect(points(scene).map(({ radiusPx }) => Math.round(radiusPx!))).toEqual([4, 14, 18]);
    expect(scene.legend.map(({ title }) => title)).toEqual(["sales: 0", "50", "100"]);
    expect(scene.title).toBe("Stores");
  });

  test("colours by word", () => {
    const scene = draw({ type: "markers", color_property: "kind" });
    const [a, b, again] = points(scene).map(({ colour }) => colour);
    expect(a).toBe(again);
    expect(a).not.toBe(b);
    expect(scene.legend.map(({ title }) => title)).toEqual(["a", "b"]);
  });

  test("filters, and shows the fields that were asked for", () => {
    const scene = draw({ type: "markers", filter_property: "sales", filter_values: ["50", 100], label_property: "name", popup_fields: ["sales", "gone"] });
    expect(points(scene).map(({ detail }) => detail)).toEqual([
      { title: "S1", lines: ["sales: 50"] },
      { title: "S2", lines: ["sales: 100"] },
    ]);
  });

  test("has density and clusters", () => {
    const scene = draw({ type: "heatmap", heatmap_weight: "sales", heatmap_intensity: 2 }, { type: "clusters", cluster_radius: 80 }, { type: "later" });
    expect(rolesOf(scene.shapes)).toEqual(["heat", "cluster"]);
    expect(scene.shapes[0]).toMatchObject({ intensity: 2 });
    expect(boundsOf(scene.shapes)).toEqual({ west: 4, east: 6, south: 52, north: 52 });
  });

  test("draws lines and areas of every kind of geometry", () => {
    const features = [
      { type: "Feature", geometry: { type: "MultiLineString", coordinates: [[[0, 0], [1, 1]], [[2, 2], [3, 3]]] }, properties: { w: 1 } },
      { type: "Feature", geometry: { type: "MultiPolygon", coordinates: [[square(1)], [square(2)]] }, properties: { w: 2 } },
    ];
    const layers = [{ type: "line", line_width: 400 }, { type: "choropleth", color_property: "w", fill_opacity: 0.4 }];
    const scene = buildScene("tomtom-data-viz", { geojson: { features }, layers }, testBrief());
    expect(rolesOf(scene.shapes)).toEqual(["line:data", "line:data", "area:data"]);
    expect(lines(scene)[0]!.widthPx).toBe(20);
    expect(scene.shapes[2]).toMatchObject({ opacity: 0.4 });
  });
});

describe("traffic", () => {
  const incident = (magnitudeOfDelay: unknown, geometry: object): object => ({
    type: "Feature",
    geometry,
    properties: { magnitudeOfDelay, events: [{ description: "Roadworks" }], from: "A", to: "B", delay: 300, length: 1200, roadNumbers: ["A1"] },
  });
  const line = { type: "LineString", coordinates: [[4, 52], [5, 53]] };

  test("draws incidents by magnitude in the box that was asked about", () => {
    const scene = buildScene(
      "tomtom-traffic",
      { incidents: [incident(3, line), incident(1, line), incident(0, { type: "Point", coordinates: [4, 52] }), incident("x", line), { iconCategory: 7 }] },
      testBrief({ bbox: [4.7, 52.2, 5.1, 52.5] }),
    );
    expect(rolesOf(scene.shapes)).toEqual(["line:delay-major", "line:delay-minor", "point:incident", "line:delay-unknown"]);
    expect(lines(scene)[0]!.detail).toEqual({ title: "Roadworks", lines: ["A1", "A → B", "5 min delay", "1.2 km"] });
    expect(scene.rows[0]!.title).toBe("4 traffic incidents");
    expect(scene.bounds).toEqual({ west: 4.7, south: 52.2, east: 5.1, north: 52.5 });
  });

  test.each([[[5, 52, 4, 53]], [[4, 53, 5, 52]], [[400, 0, 401, 1]], ["4,52,5,53"], [[]]])("has no bounds for the box %j", (bbox) => {
    expect(buildScene("tomtom-traffic", { incidents: [] }, testBrief({ bbox })).bounds).toBeUndefined();
  });
});

test("a tool that is not known is drawn by its data", () => {
  const brief = testBrief();
  const geometry = { type: "LineString", coordinates: [[4, 52], [5, 53]] };
  expect(rolesOf(buildScene("tomtom-later", { features: [{ geometry }] }, brief).shapes)[0]).toBe("line:route");
  expect(rolesOf(buildScene("", { features: [point(1, 2)] }, brief).shapes)).toEqual(["point:place"]);
  expect(rolesOf(buildScene("", { incidents: [{ geometry, properties: {} }] }, brief).shapes)).toEqual(["line:delay-unknown"]);
  expect(buildScene("constructor", { features: [] }, brief).shapes).toEqual([]);
});

test("colours are plain, or none", () => {
  for (const colour of ["#fff", "#4285F4", "#4285F4aa", "rgb(1, 2, 3)", "rgba(255,0,0,0.3)", "hsl(120deg 50% 50%)", "rebeccapurple"]) {
    expect(asColour(` ${colour} `)).toBe(colour);
  }
  for (const value of ["url(https://evil.example)", "#12", "red;background:url(x)", "", 7, null, "var(--x)", "#12345"]) {
    expect(asColour(value)).toBeUndefined();
  }
  expect(between("#000000", "#fff", 0.5)).toBe("#808080");
  expect(between("red", "#ffffff", 0.2)).toBe("red");
});

test("bounds grow over the antimeridian and are undefined over nothing", () => {
  expect(boundsOf([{ kind: "line", role: "route", path: Float64Array.of(179, 1, 181, 2) }])).toEqual({ west: 179, south: 1, east: 181, north: 2 });
  expect(boundsOf([])).toBeUndefined();
});
