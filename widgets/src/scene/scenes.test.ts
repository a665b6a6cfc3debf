import { describe, expect, test } from "vitest";
import { boundsOf } from "./bounds.ts";
import { buildScene } from "./build.ts";
import { asColour, between } from "./colour.ts";
import { webAddress } from "./places.ts";
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
    // The first lies on top.
    expect(points(scene).map(({ number }) => number)).toEqual([3, 2, 1]);
    expect(points(scene)[2]!.detail).toEqual({
      title: "De Kas",
      kind: "restaurant",
      lines: ["Damrak 10", "221 m away"],
      fields: [{ name: "Phone", text: "+31 20 555" }],
    });
    expect(scene.rows.map(({ id, number }) => [id, number])).toEqual([["place-1", 1], ["place-2", 2], ["place-3", 3]]);
    expect(scene.rows.map(({ title, text }) => [title, text])).toEqual([["De Kas", "Damrak 10"], ["B", ""], ["Place", ""]]);
  });

  test("of a reverse geocode are one feature, without a number", () => {
    const [only, ...others] = points(buildScene("tomtom-reverse-geocode", place, testBrief()));
    expect(others).toEqual([]);
    expect(only).toMatchObject({ label: "De Kas" });
    expect(only!.number).toBeUndefined();
  });

  test("are gathered where there are many, and told about where they cannot be parted", () => {
    const many = Array.from({ length: 13 }, (_, i) => point(4.9, 52.3, { poi: { name: `P${i}` } }));
    const [cluster, ...others] = buildScene("tomtom-nearby", { features: many }, testBrief()).shapes;
    expect(others).toEqual([]);
    if (cluster?.kind !== "cluster") throw new Error("no cluster");
    expect(cluster.points).toHaveLength(13);
    expect(cluster.tell!(cluster.points.slice(0, 2))).toEqual({ title: "2 places here", lines: ["1 P0", "2 P1"] });
    expect(cluster.tell!(cluster.points).lines).toHaveLength(10);
  });

  test("have opening hours by run of days, plugs, and an address on the web", () => {
    const range = (day: number, from: number, to: number): object => ({
      start: { year: 2026, month: 6, day, hour: from, minute: 0 },
      end: { year: 2026, month: 6, day, hour: to, minute: 30 },
    });
    const openingHours = { timeRanges: [range(24, 9, 22), range(25, 9, 22), range(26, 9, 12), range(26, 13, 20), { start: {} }] };
    const chargingPark = {
      connectors: [{ connector: { type: "IEC62196Type2CCS", ratedPowerKW: 150 }, count: 4 }, { type: "Chademo", ratedPowerKW: 50, count: 1 }, 7],
      availability: { chargingPointAvailability: { count: 5, statusCounts: { Available: 3 } } },
    };
    const full = point(5, 52, { poi: { name: "X", openingHours, url: "www.example.nl" }, chargingPark });
    const [shape] = points(buildScene("tomtom-ev-search", full, testBrief()));
    expect(shape!.detail!.link).toBe("https://www.example.nl");
    const plain = Object.fromEntries(shape!.detail!.fields!.map(({ name, text }) => [name, text.replaceAll(/[\u202f\u00a0]/g, " ")]));
    expect(plain["Connectors"]).toBe("4 × CCS (Type 2) · 150 kW\n1 × CHAdeMO · 50 kW\n3 of 5 free");
    expect(plain["Opening hours"]).toBe("Wed – Thu: 9:00 AM – 10:30 PM\nFri: 9:00 AM – 12:30 PM, 1:00 PM – 8:30 PM");
  });

  test.each([
    ["www.example.nl", "https://www.example.nl"],
    ["http://example.com/a?b", "http://example.com/a?b"],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["nonsense", undefined],
    ["http://", undefined],
    [undefined, undefined],
  ])("have a web address or none: %s", (text, want) => {
    expect(webAddress(text)).toBe(want);
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
    expect(scene.rows.map(({ id, title, rank }) => [id, title, rank])).toEqual([["range-0", "15 min", 0], ["range-1", "30 min", 0.5], ["range-2", "1 hr", 1]]);
    expect(scene.rows.map(({ text }) => text)).toEqual(["12,364 km²", "49,450 km²", "111,241 km²"]);
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
    expect(buildScene("tomtom-reachable-range", { features: [range(1, budget)] }, testBrief()).rows[0]!.title).toBe(name);
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
  const area = { type: "Feature", geometry: { type: "Polygon", coordinates: [square(1)] }, properties: { fillColor: "rgba(255,0,0,0.3)", strokeColor: "#007bff", strokeWidth: 3, label: "Zone" } };

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
          markers: source(point(4, 52, { label: "A", markerType: "pin" }), point(5, 53, { label: "B", markerType: "dot", category: "Food", color: "#00ff00" })),
        },
      },
      testBrief(),
    );
    expect(rolesOf(scene.shapes)).toEqual(["area:data", "line:route", "point:data", "point:place", "point:label"]);
    expect(scene.rows.map(({ id, title, swatch }) => [id, title, swatch])).toEqual([
      ["route-0", "Route 1", "route"],
      ["marker-0", "A", "place"],
      ["marker-1", "B", "data"],
      ["area-0", "Zone", "data"],
    ]);
    expect(scene.shapes[0]).toMatchObject({ colour: "rgba(255,0,0,0.3)", strokeColour: "#007bff", strokePx: 3 });
    expect(scene.legend).toEqual([{ title: "Food", text: "", swatch: "data", colour: "#00ff00" }]);
    expect(lines(scene)[0]).toMatchObject({ colour: "#f97316", detail: { lines: ["641 km", "6 hr 39 min", "2 hr 49 min delay"] } });
    expect(points(scene)[0]).toMatchObject({ colour: "#00ff00", label: "B", detail: { kind: "Food" } });
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
    expect(scene.legend).toEqual([
      { title: "sales", text: "" },
      { title: "0", text: "100", ramp: ["#000000", "#808080", "#ffffff"] },
      { title: "Size: sales", text: "0 – 100" },
    ]);
    expect(scene.lists).toMatchObject([{ title: "Entries", total: 3, rows: [{ id: "data-0-0", title: "S0", text: "sales: 0" }, {}, {}] }]);
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
      { title: "S1", lines: [], fields: [{ name: "sales", text: "50" }] },
      { title: "S2", lines: [], fields: [{ name: "sales", text: "100" }] },
    ]);
  });

  test("has density and clusters", () => {
    const scene = draw({ type: "heatmap", heatmap_weight: "sales", heatmap_intensity: 2 }, { type: "clusters", cluster_radius: 80 }, { type: "later" });
    expect(rolesOf(scene.shapes)).toEqual(["heat", "cluster"]);
    expect(scene.shapes[0]).toMatchObject({ intensity: 2 });
    expect(scene.legend).toMatchObject([{ title: "few", text: "many" }]);
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
    // The worst on top, and marks over lines.
    expect(rolesOf(scene.shapes)).toEqual([
      "line:delay-unknown",
      "line:delay-minor",
      "line:delay-major",
      "point:incident",
      "point:incident",
      "point:incident",
      "point:incident",
    ]);
    expect(points(scene).at(-1)).toMatchObject({ id: "incident-0", as: "delay-major", lon: 4, lat: 52 });
    expect(lines(scene).at(-1)!.detail).toEqual({
      title: "Roadworks",
      kind: "A1",
      lines: ["5 min delay", "A → B"],
      fields: [{ name: "Length", text: "1.2 km" }],
    });
    expect(scene.lists).toMatchObject([{ title: "4 traffic incidents", open: true, rows: [{ id: "incident-0", text: "A1 · 5 min delay · A → B" }, {}, {}, {}] }]);
    expect(scene.bounds).toEqual({ west: 4.7, south: 52.2, east: 5.1, north: 52.5 });
  });

  test("names what has no words of its own by its category, and puts closed roads first", () => {
    const properties = { iconCategory: 8, magnitudeOfDelay: 4, startTime: "2026-06-24T07:12:00Z", endTime: "soon" };
    const scene = buildScene("tomtom-traffic", { incidents: [incident(3, line), { geometry: line, properties }] }, testBrief());
    expect(scene.lists![0]!.rows.map(({ title }) => title)).toEqual(["Road closed", "Roadworks"]);
    expect(points(scene).at(-1)).toMatchObject({ sign: "✕", detail: { fields: [{ name: "Since" }] } });
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
  expect(rolesOf(buildScene("", { incidents: [{ geometry, properties: {} }] }, brief).shapes)).toEqual(["line:delay-unknown", "point:incident"]);
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
