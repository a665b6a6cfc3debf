// Routes and their alternatives: tomtom-routing, tomtom-ev-routing, and the route of a search along one.

import { asNumber, at, type JsonObject } from "../json.ts";
import type { Brief } from "./brief.ts";
import { featuresOf, lineOf, propertiesOf } from "./geojson.ts";
import { Course, directions, inOrder } from "./journey.ts";
import { emptyScene, type Detail, type List, type PointShape, type Row, type Scene, type Shape } from "./scene.ts";
import { sectionLegend, sectionsOf } from "./sections.ts";
import { stopsOf, vertexAt } from "./stops.ts";

interface Route {
  readonly path: Float64Array;
  readonly properties: JsonObject;
}

/** routeScene draws the best route, the first, over the others. */
export function routeScene(document: unknown, brief: Brief): Scene {
  const routes = readRoutes(document);
  return routes.length === 0 ? emptyScene : sceneOf(routes, 0, brief);
}

/** sceneOf has one of the routes on top, with all that is known of it; any other can take its place. */
function sceneOf(routes: readonly Route[], top: number, brief: Brief): Scene {
  const chosen = routes[top]!;
  const lengthM = asNumber(at(chosen.properties, "summary", "lengthInMeters"));
  const course = new Course(chosen.path, lengthM);
  const sections = sectionsOf(course, chosen.properties, brief);
  const stops = stopsOf(course, chosen.properties, brief);
  const turns = directions(chosen.properties, course, brief);
  const turnMarks = turns.flatMap(({ vertex, row }): PointShape[] => {
    const where = vertexAt(chosen.path, vertex);
    const [lon, lat] = where ?? [];
    if (lon === undefined || lat === undefined) return [];
    const detail = { title: row.title, lines: row.text === "" ? [] : [row.text] };
    return [{ kind: "point", ...(row.id !== undefined ? { id: row.id } : {}), role: "turn", lon, lat, detail }];
  });
  const lists: List[] = [
    { id: "way", title: brief.texts.onTheWay, rows: inOrder([...sections.stages, ...stops.stages], brief) },
    { id: "directions", title: brief.texts.directions, rows: inOrder(turns, brief) },
  ].filter(({ rows }) => rows.length > 0);
  return {
    shapes: [...lineShapes(routes, top, brief), ...sections.shapes, ...turnMarks, ...stops.shapes],
    rows: [...routes.map((route, place) => routeRow(route, place, top, routes.length, brief)), ...stops.charging],
    lists,
    legend: sectionLegend(sections.shapes, brief),
    chosen: idOf(top),
    choose: (id) => {
      const place = routes.findIndex((_, other) => idOf(other) === id);
      return place < 0 || place === top ? undefined : sceneOf(routes, place, brief);
    },
  };
}

function idOf(place: number): string {
  return `route-${place}`;
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

function lineShapes(routes: readonly Route[], top: number, brief: Brief): Shape[] {
  const shapeOf = (place: number, role: "route" | "alternative"): Shape => {
    const { path, properties } = routes[place]!;
    const detail: Detail = { title: routeName(place, routes.length, brief), lines: summaryLines(properties, brief) };
    return { kind: "line", id: idOf(place), role, path, detail };
  };
  const others = routes.map((_, place) => place).filter((place) => place !== top);
  return [...others.reverse().map((place) => shapeOf(place, "alternative")), shapeOf(top, "route")];
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

function routeRow(route: Route, place: number, top: number, count: number, brief: Brief): Row {
  return {
    id: idOf(place),
    title: routeName(place, count, brief),
    text: summaryLines(route.properties, brief).join(" · "),
    swatch: place === top ? "route" : "alternative",
  };
}
