// Routes, alternatives and charging stops: tomtom-routing, tomtom-ev-routing, and the route of a search along one.

import { asArray, asNumber, asObject, asText, at, type JsonObject } from "../json.ts";
import type { Brief } from "./brief.ts";
import { featuresOf, lineOf, position, propertiesOf } from "./geojson.ts";
import type { Detail, PointShape, Row, Scene, Shape } from "./scene.ts";
import { sectionLegend, sectionShapes } from "./sections.ts";

interface Route {
  readonly path: Float64Array;
  readonly properties: JsonObject;
}

/** routeScene draws the best route, the first, over the others. */
export function routeScene(document: unknown, brief: Brief): Scene {
  const routes = readRoutes(document);
  const [best] = routes;
  if (best === undefined) return { shapes: [], rows: [], legend: [] };
  const detailOf = (route: Route, place: number): Detail => ({
    title: routeName(place, routes.length, brief),
    lines: summaryLines(route.properties, brief),
  });
  const alternatives: Shape[] = routes
    .map((route, place) => ({ route, place }))
    .slice(1)
    .reverse()
    .map(({ route, place }) => ({
      kind: "line",
      role: "alternative",
      path: route.path,
      detail: detailOf(route, place),
    }));
  const sections = sectionShapes(best.path, best.properties, brief);
  const shapes: Shape[] = [
    ...alternatives,
    { kind: "line", role: "route", path: best.path, detail: detailOf(best, 0) },
    ...sections,
    ...stops(best, brief),
  ];
  return {
    shapes,
    rows: routes.map((route, place) => routeRow(route, place, routes.length, brief)),
    legend: sectionLegend(sections, brief),
  };
}

/** readRoutes also takes the geometry that response_detail "geometry" puts beside the trimmed routes. */
function readRoutes(document: unknown): Route[] {
  const beside = featuresOf(at(document, "geometry"));
  return featuresOf(document).flatMap((feature, place) => {
    let path = lineOf(at(beside[place], "geometry", "coordinates"));
    if (path.length < 4) path = lineOf(at(feature, "geometry", "coordinates"));
    return path.length < 4 ? [] : [{ path, properties: propertiesOf(feature) }];
  });
}

function routeName(place: number, count: number, { texts }: Brief): string {
  if (count === 1) return texts.route;
  return place === 0 ? texts.fastestRoute : texts.alternative(place);
}

function summaryLines(properties: JsonObject, { texts, format }: Brief): string[] {
  const summary = properties["summary"];
  const lengthM = asNumber(at(summary, "lengthInMeters"));
  const durationS = asNumber(at(summary, "travelTimeInSeconds"));
  const delayS = asNumber(at(summary, "trafficDelayInSeconds"));
  const chargingS = asNumber(at(summary, "totalChargingTimeInSeconds"));
  const lines: string[] = [];
  if (lengthM !== undefined) lines.push(format.distance(lengthM));
  if (durationS !== undefined) lines.push(format.duration(durationS));
  if (delayS !== undefined && delayS >= 60) lines.push(texts.delay(format.duration(delayS)));
  if (chargingS !== undefined && chargingS > 0) lines.push(texts.charging(format.duration(chargingS)));
  return lines;
}

function routeRow(route: Route, place: number, count: number, brief: Brief): Row {
  return {
    title: routeName(place, count, brief),
    text: summaryLines(route.properties, brief).join(" · "),
    swatch: place === 0 ? "route" : "alternative",
  };
}

/** stops are the start, the end, what lies between legs, and where a car charges. */
function stops({ path, properties }: Route, brief: Brief): PointShape[] {
  const legs = asArray(at(properties, "sections", "leg"));
  const found: PointShape[] = [];
  for (const leg of legs.slice(0, -1)) {
    const charging = asObject(at(leg, "summary", "chargingInformationAtEndOfLeg"));
    const end = asNumber(at(leg, "endPointIndex"));
    const where = position(at(charging, "geometry", "coordinates")) ?? vertex(path, end);
    if (where === undefined) continue;
    const [lon, lat] = where;
    found.push({
      kind: "point",
      role: charging === undefined ? "via" : "charge",
      lon,
      lat,
      detail: charging === undefined ? { title: brief.texts.stop, lines: [] } : chargingDetail(charging, brief),
    });
  }
  const end = path.length - 2;
  return [
    ...found,
    { kind: "point", role: "start", lon: path[0]!, lat: path[1]!, detail: { title: brief.texts.start, lines: [] } },
    { kind: "point", role: "end", lon: path[end]!, lat: path[end + 1]!, detail: { title: brief.texts.end, lines: [] } },
  ];
}

function vertex(path: Float64Array, index: number | undefined): readonly [number, number] | undefined {
  if (index === undefined || index < 0) return undefined;
  const i = 2 * Math.min(Math.floor(index), path.length / 2 - 1);
  return [path[i]!, path[i + 1]!];
}

function chargingDetail(charging: JsonObject, { texts, format }: Brief): Detail {
  const properties = propertiesOf(charging);
  const powerKW = asNumber(properties["chargingParkPowerInkW"]);
  const timeS = asNumber(properties["chargingTimeInSeconds"]);
  const target = asNumber(properties["targetChargeInPCT"]);
  const address = asText(at(properties, "address", "freeformAddress"));
  const lines: string[] = [];
  if (address !== undefined) lines.push(address);
  if (powerKW !== undefined) lines.push(`${format.number(powerKW)} kW`);
  if (timeS !== undefined) lines.push(texts.charging(format.duration(timeS)));
  if (target !== undefined) lines.push(texts.chargeTo(format.percent(target)));
  return { title: asText(properties["chargingParkName"]) ?? texts.chargingStop, lines };
}
