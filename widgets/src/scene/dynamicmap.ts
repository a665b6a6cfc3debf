// tomtom-dynamic-map: a map that the agent composed of routes, markers and polygons, with a view of its own.

import { asArray, asNumber, asText, at, type JsonObject } from "../json.ts";
import type { Brief } from "./brief.ts";
import { asColour } from "./colour.ts";
import { gathered } from "./gather.ts";
import { featuresOf, linesOf, pointsOf, polygonsOf, position, propertiesOf } from "./geojson.ts";
import type { AreaShape, Bounds, Detail, LineShape, PointShape, Row, Scene } from "./scene.ts";

export function dynamicMapScene(document: unknown, brief: Brief): Scene {
  const source = (name: string): readonly JsonObject[] => featuresOf(at(document, "sources", name, "data"));
  const routes = source("routes").flatMap((feature, place) => routeLines(feature, place, brief));
  const areas = source("polygons").flatMap((feature, place) => areaShapes(feature, place, brief));
  const markers = source("markers").flatMap((feature, place) => markerShapes(feature, place, brief));
  const labels = source("polygonCenters").flatMap((feature) => labelShapes(feature));
  // The upstream's own markers stand at a route's ends where it has any.
  const ends = markers.length > 0 ? [] : routeEnds(source("routeLabels"), brief);
  const shapes = [...areas, ...routes, ...ends, ...gathered(markers, brief), ...labels];
  const bounds = shapes.length === 0 || choseView(brief) ? viewBounds(at(document, "view")) : undefined;
  return {
    shapes,
    rows: [...routes, ...markers, ...areas].flatMap(rowOf),
    legend: categories(source("markers")),
    ...(bounds !== undefined ? { bounds } : {}),
  };
}

/** choseView: the caller gave a view. One that the upstream made up is for a picture of another size than ours. */
function choseView({ input }: Brief): boolean {
  return ["center", "zoom", "bbox"].some((name) => input?.[name] !== undefined);
}

/** colourOf tries the names that the upstream gives a feature's colour. */
function colourOf(properties: JsonObject, ...names: string[]): { colour: string } | Record<string, never> {
  for (const name of names) {
    const colour = asColour(properties[name]);
    if (colour !== undefined) return { colour };
  }
  return {};
}

function detailOf(properties: JsonObject, fallback: string): Detail {
  const title = asText(properties["label"]) ?? asText(properties["routeName"]) ?? asText(properties["name"]) ?? fallback;
  const tags = asArray(properties["tags"]).filter((tag) => typeof tag === "string");
  const kind = asText(properties["category"]);
  const lines = [properties["description"], properties["address"], tags.join(", ")];
  return { title, ...(kind !== undefined ? { kind } : {}), lines: lines.flatMap((line) => asText(line) ?? []) };
}

/** categories explains the colours of markers that have one. */
function categories(features: readonly JsonObject[]): Row[] {
  const seen = new Map<string, Row>();
  for (const properties of features.map(propertiesOf)) {
    const title = asText(properties["category"]);
    if (title === undefined || seen.has(title)) continue;
    seen.set(title, { title, text: "", swatch: "data", ...colourOf(properties, "color") });
  }
  return [...seen.values()];
}

function routeLines(feature: JsonObject, place: number, { texts, format }: Brief): LineShape[] {
  const properties = propertiesOf(feature);
  const lengthM = asNumber(properties["lengthInMeters"]);
  const durationS = asNumber(properties["travelTimeInSeconds"]);
  const delayS = asNumber(properties["trafficDelayInSeconds"]);
  const lines: string[] = [];
  if (lengthM !== undefined) lines.push(format.distance(lengthM));
  if (durationS !== undefined) lines.push(format.duration(durationS));
  if (delayS !== undefined && delayS >= 60) lines.push(texts.delay(format.duration(delayS)));
  const title = asText(properties["routeName"]) ?? asText(properties["name"]) ?? asText(properties["label"]) ?? texts.route;
  return linesOf(feature["geometry"]).map((path) => ({
    kind: "line",
    id: `route-${place}`,
    role: "route",
    path,
    ...colourOf(properties, "trafficColor", "color"),
    detail: { title, lines },
  }));
}

function rowOf({ id, role, detail, colour }: LineShape | PointShape | AreaShape): Row[] {
  if (detail === undefined) return [];
  const text = [detail.kind ?? "", ...detail.lines].filter((part) => part !== "").join(" · ");
  return [{ ...(id !== undefined ? { id } : {}), title: detail.title, text, swatch: role, ...(colour !== undefined ? { colour } : {}) }];
}

function routeEnds(features: readonly JsonObject[], { texts }: Brief): PointShape[] {
  return features.flatMap((feature) => {
    const properties = propertiesOf(feature);
    const role = properties["type"] === "start" ? "start" : properties["type"] === "end" ? "end" : undefined;
    if (role === undefined) return [];
    return pointsOf(feature["geometry"]).map(([lon, lat]) => ({
      kind: "point" as const,
      role,
      lon,
      lat,
      detail: detailOf(properties, role === "start" ? texts.start : texts.end),
    }));
  });
}

const priorities: Readonly<Record<string, number>> = { critical: 3, high: 2, normal: 1, low: 0 };

function markerShapes(feature: JsonObject, place: number, { texts }: Brief): PointShape[] {
  const properties = propertiesOf(feature);
  const label = asText(properties["label"]);
  const isDot = properties["markerType"] !== undefined && properties["markerType"] !== "pin";
  return pointsOf(feature["geometry"]).map(([lon, lat]) => ({
    kind: "point",
    id: `marker-${place}`,
    role: isDot ? "data" : "place",
    lon,
    lat,
    ...(label !== undefined ? { label } : {}),
    ...colourOf(properties, "color"),
    // The upstream puts its own first: a caller's marker at a route's end is to be seen, not the one for the end.
    priority: (priorities[asText(properties["priority"]) ?? ""] ?? 1) + place / 100_000,
    detail: detailOf(properties, texts.place),
  }));
}

function areaShapes(feature: JsonObject, place: number, { texts }: Brief): AreaShape[] {
  const properties = propertiesOf(feature);
  const polygons = polygonsOf(feature["geometry"]);
  if (polygons.length === 0) return [];
  const strokeColour = asColour(properties["strokeColor"]);
  const strokePx = asNumber(properties["strokeWidth"]);
  return [
    {
      kind: "area",
      id: `area-${place}`,
      role: "data",
      polygons,
      ...colourOf(properties, "fillColor", "color", "strokeColor"),
      ...(strokeColour !== undefined ? { strokeColour } : {}),
      ...(strokePx !== undefined ? { strokePx: Math.min(10, Math.max(0.5, strokePx)) } : {}),
      detail: detailOf(properties, texts.area),
    },
  ];
}

function labelShapes(feature: JsonObject): PointShape[] {
  const label = asText(propertiesOf(feature)["label"]) ?? asText(propertiesOf(feature)["name"]);
  if (label === undefined) return [];
  return pointsOf(feature["geometry"]).map(([lon, lat]) => ({ kind: "point", role: "label", lon, lat, label }));
}

/** Tiles and the view of the upstream are 512 pixels wide at zoom 0; this is a map of about that size. */
const viewPx = { width: 600, height: 400 };

function viewBounds(view: unknown): Bounds | undefined {
  const bounds = at(view, "bounds");
  const [west, south, east, north] = ["west", "south", "east", "north"].map((side) => asNumber(at(bounds, side)));
  if (west !== undefined && south !== undefined && east !== undefined && north !== undefined) {
    return south < north && west !== east ? { west, south, north, east: east < west ? east + 360 : east } : undefined;
  }
  const center = position(at(view, "center"));
  const zoom = asNumber(at(view, "zoom"));
  if (center === undefined || zoom === undefined) return undefined;
  const degreesPerPx = 360 / (512 * 2 ** zoom);
  const halfLat = (viewPx.height / 2) * degreesPerPx * Math.cos((center[1] * Math.PI) / 180);
  return {
    west: center[0] - (viewPx.width / 2) * degreesPerPx,
    east: center[0] + (viewPx.width / 2) * degreesPerPx,
    south: Math.max(-85, center[1] - halfLat),
    north: Math.min(85, center[1] + halfLat),
  };
}
