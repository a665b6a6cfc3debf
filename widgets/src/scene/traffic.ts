// tomtom-traffic: incidents on the map, as TomTom answers them.

import { asArray, asNumber, asText, at, type JsonObject } from "../json.ts";
import type { IncidentKind } from "../ui/texts.ts";
import type { Brief } from "./brief.ts";
import { linesOf, pointsOf, propertiesOf } from "./geojson.ts";
import type { Bounds, Detail, Field, LineRole, PointShape, Row, Scene, Shape } from "./scene.ts";
import { roleName } from "./sections.ts";

/** By TomTom's magnitudeOfDelay: 0 unknown, 1 minor, 2 moderate, 3 major, 4 undefined, used for closed roads. */
const roles: readonly LineRole[] = ["delay-unknown", "delay-minor", "delay-moderate", "delay-major", "delay-unknown"];

/** By TomTom's iconCategory. */
const kinds: readonly IncidentKind[] = [
  "other",
  "accident",
  "weather",
  "weather",
  "weather",
  "weather",
  "jam",
  "laneClosed",
  "closed",
  "roadworks",
  "weather",
  "flooding",
  "other",
  "other",
  "breakdown",
];

const signs: Readonly<Record<IncidentKind, string>> = {
  other: "!",
  accident: "!",
  weather: "!",
  jam: "!",
  laneClosed: "–",
  closed: "✕",
  roadworks: "▲",
  flooding: "!",
  breakdown: "!",
};

interface Incident {
  readonly role: LineRole;
  readonly kind: IncidentKind;
  /** Of two, the one with more is told first, and keeps its mark. */
  readonly weight: number;
  readonly detail: Detail;
  readonly geometry: unknown;
}

/** trafficScene frames the box that was asked about, wherever its incidents lie. */
export function trafficScene(document: unknown, brief: Brief): Scene {
  const incidents = asArray(at(document, "incidents"))
    .map((incident) => readIncident(incident, brief))
    .filter(({ geometry }) => linesOf(geometry).length + pointsOf(geometry).length > 0)
    .sort((a, b) => b.weight - a.weight);
  const order: readonly LineRole[] = ["delay-major", "delay-moderate", "delay-minor", "delay-unknown"];
  const legend: Row[] = order.flatMap((role) => {
    const count = incidents.filter((incident) => incident.role === role).length;
    return count === 0 ? [] : [{ title: roleName(role, brief), text: brief.format.number(count), swatch: role }];
  });
  const bounds = inputBounds(brief.input);
  const title = brief.texts.incidents(incidents.length, brief.format.number(incidents.length));
  return {
    shapes: shapesOf(incidents),
    rows: [],
    lists: incidents.length === 0 ? [] : [{ id: "incidents", title, rows: incidents.map(rowOf), open: true, counted: true }],
    legend,
    ...(bounds !== undefined ? { bounds } : {}),
  };
}

/** shapesOf draws lines under marks, and the worst of both on top. */
function shapesOf(incidents: readonly Incident[]): Shape[] {
  const lines: Shape[] = [];
  const marks: PointShape[] = [];
  for (const [place, { role, kind, detail, geometry, weight }] of [...incidents.entries()].reverse()) {
    const id = `incident-${place}`;
    const paths = linesOf(geometry);
    for (const path of paths) lines.push({ kind: "line", id, role, path, alone: true, detail });
    const [first] = paths;
    const where = first === undefined ? pointsOf(geometry)[0] : [first[0]!, first[1]!];
    const [lon, lat] = where ?? [];
    if (lon === undefined || lat === undefined) continue;
    marks.push({ kind: "point", id, role: "incident", as: role, lon, lat, sign: signs[kind], priority: weight, detail });
  }
  return [...lines, ...marks];
}

function rowOf({ role, detail }: Incident, place: number): Row {
  const told = [detail.kind ?? "", ...detail.lines].filter((line) => line !== "");
  return { id: `incident-${place}`, title: detail.title, text: told.join(" · "), swatch: role };
}

function readIncident(incident: unknown, brief: Brief): Incident {
  const properties = propertiesOf(incident);
  const magnitude = asNumber(properties["magnitudeOfDelay"]) ?? 0;
  const kind = kinds[asNumber(properties["iconCategory"]) ?? 0] ?? "other";
  const delayS = asNumber(properties["delay"]) ?? 0;
  // A closed road has no delay, and is the worst of all.
  const weight = kind === "closed" ? 5 : (magnitude === 4 ? 0.5 : magnitude) + Math.min(0.9, delayS / 7200);
  return { role: roles[magnitude] ?? "delay-unknown", kind, weight, detail: detailOf(properties, kind, brief), geometry: at(incident, "geometry") };
}

function detailOf(properties: JsonObject, kind: IncidentKind, { texts, format }: Brief): Detail {
  const events = asArray(properties["events"]).flatMap((event) => asText(at(event, "description")) ?? asText(event) ?? []);
  const roads = asArray(properties["roadNumbers"]).filter((road) => typeof road === "string");
  const from = asText(properties["from"]);
  const to = asText(properties["to"]);
  const delayS = asNumber(properties["delay"]);
  const lengthM = asNumber(properties["length"]);
  const lines: string[] = [];
  if (delayS !== undefined && delayS >= 60) lines.push(texts.delay(format.duration(delayS)));
  if (from !== undefined && to !== undefined) lines.push(texts.fromTo(from, to));
  const fields: Field[] = [];
  const add = (name: string, text: string | undefined): void => {
    if (text !== undefined) fields.push({ name, text });
  };
  if (lengthM !== undefined && lengthM > 0) add(texts.length, format.distance(lengthM));
  add(texts.startsAt, format.moment(asText(properties["startTime"]) ?? ""));
  add(texts.endsAt, format.moment(asText(properties["endTime"]) ?? ""));
  return {
    title: [...new Set(events)].join(", ") || texts.incidentKinds[kind],
    ...(roads.length > 0 ? { kind: roads.join(", ") } : {}),
    lines,
    ...(fields.length > 0 ? { fields } : {}),
  };
}

/** inputBounds reads bbox, [minLon, minLat, maxLon, maxLat]. */
export function inputBounds(input: JsonObject | undefined): Bounds | undefined {
  const [west, south, east, north] = asArray(input?.["bbox"]).map(asNumber);
  if (west === undefined || south === undefined || east === undefined || north === undefined) return undefined;
  if (Math.abs(west) > 180 || Math.abs(east) > 180 || south < -90 || north > 90) return undefined;
  return west < east && south < north ? { west, south, east, north } : undefined;
}
