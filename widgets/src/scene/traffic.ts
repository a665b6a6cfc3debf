// tomtom-traffic: incidents on the map, as TomTom answers them.

import { asArray, asNumber, asText, at, type JsonObject } from "../json.ts";
import type { Brief } from "./brief.ts";
import { linesOf, pointsOf, propertiesOf } from "./geojson.ts";
import type { Bounds, Detail, LineRole, Row, Scene, Shape } from "./scene.ts";
import { roleName } from "./sections.ts";

/** By TomTom's magnitudeOfDelay: 0 unknown, 1 minor, 2 moderate, 3 major, 4 undefined, used for closed roads. */
const roles: readonly LineRole[] = ["delay-unknown", "delay-minor", "delay-moderate", "delay-major", "delay-unknown"];

/** trafficScene frames the box that was asked about, wherever its incidents lie. */
export function trafficScene(document: unknown, brief: Brief): Scene {
  const incidents = asArray(at(document, "incidents"));
  const shapes: Shape[] = [];
  const counts = new Map<LineRole, number>();
  for (const incident of incidents) {
    const properties = propertiesOf(incident);
    const role = roles[asNumber(properties["magnitudeOfDelay"]) ?? 0] ?? "delay-unknown";
    const drawn = incidentShapes(at(incident, "geometry"), role, incidentDetail(properties, brief));
    if (drawn.length === 0) continue;
    counts.set(role, (counts.get(role) ?? 0) + 1);
    shapes.push(...drawn);
  }
  const order: readonly LineRole[] = ["delay-major", "delay-moderate", "delay-minor", "delay-unknown"];
  const legend: Row[] = order.flatMap((role) => {
    const count = counts.get(role);
    return count === undefined ? [] : [{ title: roleName(role, brief), text: brief.format.number(count), swatch: role }];
  });
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const bounds = inputBounds(brief.input);
  return {
    shapes,
    rows: total > 0 ? [{ title: brief.texts.incidents(total, brief.format.number(total)), text: "" }] : [],
    legend,
    ...(bounds !== undefined ? { bounds } : {}),
  };
}

function incidentShapes(geometry: unknown, role: LineRole, detail: Detail): Shape[] {
  const lines = linesOf(geometry);
  if (lines.length > 0) return lines.map((path) => ({ kind: "line", role, path, alone: true, detail }));
  return pointsOf(geometry).map(([lon, lat]) => ({ kind: "point", role: "incident", lon, lat, detail }));
}

function incidentDetail(properties: JsonObject, { texts, format }: Brief): Detail {
  const events = asArray(properties["events"]).flatMap((event) => asText(at(event, "description")) ?? asText(event) ?? []);
  const roads = asArray(properties["roadNumbers"]).filter((road) => typeof road === "string");
  const from = asText(properties["from"]);
  const to = asText(properties["to"]);
  const delayS = asNumber(properties["delay"]);
  const lengthM = asNumber(properties["length"]);
  const lines: string[] = [];
  if (roads.length > 0) lines.push(roads.join(", "));
  if (from !== undefined && to !== undefined) lines.push(texts.fromTo(from, to));
  if (delayS !== undefined && delayS >= 60) lines.push(texts.delay(format.duration(delayS)));
  if (lengthM !== undefined && lengthM > 0) lines.push(format.distance(lengthM));
  return { title: events.join(", ") || texts.traffic, lines };
}

/** inputBounds reads bbox, [minLon, minLat, maxLon, maxLat]. */
export function inputBounds(input: JsonObject | undefined): Bounds | undefined {
  const [west, south, east, north] = asArray(input?.["bbox"]).map(asNumber);
  if (west === undefined || south === undefined || east === undefined || north === undefined) return undefined;
  if (Math.abs(west) > 180 || Math.abs(east) > 180 || south < -90 || north > 90) return undefined;
  return west < east && south < north ? { west, south, east, north } : undefined;
}
