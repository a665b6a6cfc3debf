import { describe, expect, test } from "vitest";
import { alongRouteScene } from "./places.ts";
import { routeScene } from "./routes.ts";
import { lines, points, rolesOf, testBrief } from "./testbrief.ts";

const coordinates = Array.from({ length: 11 }, (_, i) => [4 + i, 52]);

function route(sections: object = {}, summary: object = {}, line: unknown = coordinates): object {
  return { type: "Feature", geometry: { type: "LineString", coordinates: line }, properties: { sections, summary } };
}

function drawn(...features: object[]) {
  return routeScene({ type: "FeatureCollection", features }, testBrief());
}

describe("routeScene", () => {
  test("draws the best route over its alternatives, then the ends", () => {
    const scene = drawn(
      route({}, { lengthInMeters: 640892, travelTimeInSeconds: 23945, trafficDelayInSeconds: 10158 }),
      route({}, { lengthInMeters: 700000, travelTimeInSeconds: 25000 }),
      route(),
    );
    expect(rolesOf(scene.shapes)).toEqual(["line:alternative", "line:alternative", "line:route", "point:start", "point:end"]);
    expect(scene.rows.map(({ title, text }) => `${title}: ${text}`)).toEqual([
      "Best route: 641 km · 6 hr 39 min · 2 hr 49 min delay",
      "Alternative 1: 700 km · 6 hr 57 min",
      "Alternative 2: ",
    ]);
    expect(points(scene).map(({ lon }) => lon)).toEqual([4, 14]);
  });

  test("cuts sections out of the line, ends included", () => {
    const scene = drawn(
      route({
        traffic: [
          { startPointIndex: 2, endPointIndex: 4, magnitudeOfDelay: "minor", delayInSeconds: 120 },
          { startPointIndex: 5, endPointIndex: 6, magnitudeOfDelay: "moderate" },
          { startPointIndex: 6, endPointIndex: 7, magnitudeOfDelay: "major" },
          { startPointIndex: 7, endPointIndex: 8, magnitudeOfDelay: "new" },
        ],
        toll: [{ startPointIndex: 0, endPointIndex: 1 }],
        ferry: [{ startPointIndex: 8, endPointIndex: 9 }],
        tunnel: [{ startPointIndex: 9, endPointIndex: 10 }],
      }),
    );
    const parts = lines(scene).slice(1);
    expect(parts.map(({ role, path }) => [role, path[0], path.at(-2)])).toEqual([
      ["tunnel", 13, 14],
      ["ferry", 12, 13],
      ["toll", 4, 5],
      ["delay-minor", 6, 8],
      ["delay-moderate", 9, 10],
      ["delay-major", 10, 11],
      ["delay-unknown", 11, 12],
    ]);
    expect(parts[3]!.detail).toEqual({ title: "Minor delay", lines: ["2 min delay"] });
    expect(scene.legend.map(({ title }) => title)).toEqual([
      "Minor delay",
      "Moderate delay",
      "Major delay",
      "Closed or unknown delay",
      "Toll",
      "Ferry",
      "Tunnel",
    ]);
  });

  test.each([
    ["an end past the line is clamped", { startPointIndex: 8, endPointIndex: 11 }, [12, 14]],
    ["a far end too", { startPointIndex: 0, endPointIndex: 1e9 }, [4, 14]],
    ["a negative start too", { startPointIndex: -3, endPointIndex: 1 }, [4, 5]],
    ["nothing between", { startPointIndex: 4, endPointIndex: 4 }, undefined],
    ["backwards", { startPointIndex: 5, endPointIndex: 2 }, undefined],
    ["past the line", { startPointIndex: 40, endPointIndex: 50 }, undefined],
    ["no end", { startPointIndex: 4 }, undefined],
    ["texts", { startPointIndex: "1", endPointIndex: "2" }, undefined],
    ["nothing at all", null, undefined],
  ])("a section with odd indices: %s", (_name, section, want) => {
    const [part] = lines(drawn(route({ toll: [section] }))).filter(({ role }) => role === "toll");
    expect(part === undefined ? undefined : [part.path[0], part.path.at(-2)]).toEqual(want);
  });

  test("marks borders where the next country begins", () => {
    const country = [
      { startPointIndex: 0, endPointIndex: 5, countryCodeISO3: "NLD" },
      { startPointIndex: 5, endPointIndex: 8, countryCodeISO3: "DEU" },
      { startPointIndex: 8, endPointIndex: 10, countryCodeISO3: "DEU" },
    ];
    const borders = points(drawn(route({ country }))).filter(({ role }) => role === "border");
    expect(borders).toMatchObject([{ lon: 9, detail: { title: "Border NLD – DEU" } }]);
  });

  test("marks stops between legs, and charging stops with what they say", () => {
    const charging = {
      type: "Feature",
      geometry: { type: "Point", coordinates: [7.5, 52.1] },
      properties: {
        chargingParkName: "Park <1>",
        chargingParkPowerInkW: 150,
        chargingTimeInSeconds: 1500,
        targetChargeInPCT: 80,
        address: { freeformAddress: "A2, Bunde" },
      },
    };
    const leg = [
      { endPointIndex: 3, summary: { chargingInformationAtEndOfLeg: charging } },
      { startPointIndex: 3, endPointIndex: 6, summary: {} },
      { startPointIndex: 6, endPointIndex: 10 },
    ];
    const scene = drawn(route({ leg }));
    expect(points(scene).map(({ role, lon }) => [role, lon])).toEqual([
      ["charge", 7.5],
      ["via", 10],
      ["start", 4],
      ["end", 14],
    ]);
    expect(points(scene)[0]!.detail).toEqual({
      title: "Park <1>",
      kind: "Charging stop",
      lines: ["A2, Bunde"],
      fields: [
        { name: "Charge to", text: "80%" },
        { name: "Charging time", text: "25 min" },
        { name: "Power", text: "150 kW" },
      ],
    });
    expect(scene.rows[1]).toMatchObject({ id: "stop-0", title: "Park <1>", swatch: "charge" });
    expect(scene.rows[1]!.text).toMatch(/^after \d+ km · 25 min · 150 kW · Charge to 80%$/);
  });

  test("puts an alternative on top when it is chosen, with what is known of it", () => {
    const toll = [{ startPointIndex: 1, endPointIndex: 2 }];
    const scene = drawn(route({}, { lengthInMeters: 1000 }), route({ toll }, { lengthInMeters: 2000 }));
    expect(scene.chosen).toBe("route-0");
    expect(scene.choose!("route-0")).toBeUndefined();
    expect(scene.choose!("route-7")).toBeUndefined();
    const other = scene.choose!("route-1")!;
    expect(rolesOf(other.shapes)).toEqual(["line:alternative", "line:route", "line:toll", "point:start", "point:end"]);
    expect(lines(other).map(({ id }) => id)).toEqual(["route-0", "route-1", "toll-0"]);
    expect(other.rows.map(({ title, swatch }) => [title, swatch])).toEqual([["Best route", "alternative"], ["Alternative 1", "route"]]);
    expect(rolesOf(other.choose!("route-0")!.shapes)).toEqual(rolesOf(scene.shapes));
  });

  test("lists what comes on the way, in order, with how far it is", () => {
    const sections = {
      traffic: [{ startPointIndex: 8, endPointIndex: 9, magnitudeOfDelay: "major", delayInSeconds: 600, effectiveSpeedInKmh: 30, categories: ["roadworks", "lane-closed"] }],
      tunnel: [{ startPointIndex: 0, endPointIndex: 1 }],
      country: [{ startPointIndex: 0, countryCodeISO3: "NLD" }, { startPointIndex: 5, countryCodeISO3: "DEU" }],
      leg: [{ endPointIndex: 2 }, {}],
    };
    const scene = drawn(route(sections, { lengthInMeters: 100_000 }));
    const [list] = scene.lists!;
    expect(list!.title).toBe("On the way");
    expect(list!.rows.map(({ id, title, text }) => [id, title, text])).toEqual([
      ["tunnel-0", "Tunnel", "10 km"],
      ["stop-0", "Stop", "after 20 km"],
      ["border-1", "Border NLD – DEU", "after 50 km"],
      ["traffic-0", "Major delay", "after 80 km · +10 min · Roadworks, Lane closed"],
    ]);
    const delay = lines(scene).find(({ id }) => id === "traffic-0")!;
    expect(delay.detail).toMatchObject({ kind: "Roadworks, Lane closed", lines: ["10 min delay"], fields: [{ name: "Speed", text: "30 km/h" }] });
  });

  test("lists directions where the answer has guidance", () => {
    const instructions = [
      { maneuver: "DEPART", pathPointIndex: 0, routeOffsetInMeters: 0, nextRoadInfo: { streetName: { text: "Damrak" } } },
      { maneuver: "MOTORWAY_EXIT_RIGHT", pathPointIndex: 4, routeOffsetInMeters: 4200, nextRoadInfo: { roadShields: [{ shieldContent: "A2" }, { shieldContent: "A2" }] } },
      { maneuver: "SOMETHING_NEW", pathPointIndex: 5, routeOffsetInMeters: 5000 },
      { maneuver: "TURN_LEFT", message: "Turn left at the church", pathPointIndex: 6 },
      { maneuver: "ARRIVE" },
    ];
    const feature = route({}, { lengthInMeters: 10_000 }) as { properties: object };
    const scene = drawn({ ...feature, properties: { ...feature.properties, guidance: { instructions } } });
    expect(scene.lists!.map(({ title }) => title)).toEqual(["Directions"]);
    expect(scene.lists![0]!.rows.map(({ title, text }) => `${title}: ${text}`)).toEqual([
      "Set off: Damrak",
      "Take the exit: after 4.2 km · A2",
      "Go straight on: after 5 km",
      "Turn left at the church: after 6 km",
    ]);
    expect(points(scene).filter(({ role }) => role === "turn").map(({ id, lon }) => [id, lon])).toEqual([["turn-0", 4], ["turn-1", 8], ["turn-2", 9], ["turn-3", 10]]);
  });

  test("takes the geometry that stands beside trimmed routes", () => {
    const scene = routeScene(
      {
        features: [route({ toll: [{ startPointIndex: 1, endPointIndex: 2 }] }, {}, undefined)],
        geometry: { type: "FeatureCollection", features: [{ geometry: { type: "LineString", coordinates } }] },
      },
      testBrief(),
    );
    expect(rolesOf(scene.shapes)).toEqual(["line:route", "line:toll", "point:start", "point:end"]);
  });

  test.each([
    ["nothing", undefined],
    ["no features", { features: [] }],
    ["a line of one vertex", { features: [route({}, {}, [[1, 1]])] }],
    ["a line of bad positions", { features: [route({}, {}, [[null], ["a", "b"]])] }],
    ["features of no kind", { features: [null, 3, {}] }],
  ])("draws nothing from %s", (_name, document) => {
    expect(routeScene(document, testBrief()).shapes).toEqual([]);
  });
});

test("a search along a route draws both", () => {
  const pois = { features: [{ geometry: { type: "Point", coordinates: [5, 52.1] }, properties: { poi: { name: "Fuel" } } }] };
  const scene = alongRouteScene({ route: { features: [route()] }, pois }, testBrief());
  expect(rolesOf(scene.shapes)).toEqual(["line:route", "point:start", "point:end", "point:place"]);
  expect(scene.rows.map(({ title }) => title)).toEqual(["Route", "Fuel"]);
});

test("a search along a route keeps its places where another route is chosen", () => {
  const pois = { features: [{ geometry: { type: "Point", coordinates: [5, 52.1] }, properties: { poi: { name: "Fuel" } } }] };
  const scene = alongRouteScene({ route: { features: [route(), route()] }, pois }, testBrief()).choose!("route-1")!;
  expect(scene.rows.map(({ title }) => title)).toEqual(["Best route", "Alternative 1", "Fuel"]);
  expect(rolesOf(scene.shapes).at(-1)).toBe("point:place");
});
