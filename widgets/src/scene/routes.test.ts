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
    expect(parts[3]!.detail).toEqual({ title: "Traffic", lines: ["2 min delay"] });
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
      lines: ["A2, Bunde", "150 kW", "25 min charging", "Charge to 80%"],
    });
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
