// Where a route begins, halts and ends, and where a car charges.

import { asArray, asNumber, asObject, asText, at, type JsonObject } from "../json.ts";
import type { Brief } from "./brief.ts";
import { position, propertiesOf } from "./geojson.ts";
import type { Course, Stage } from "./journey.ts";
import type { Detail, Field, Path, PointShape, Row } from "./scene.ts";

export interface Stops {
  /** From the bottom up. */
  readonly shapes: readonly PointShape[];
  /** A row for each charging stop, in order. */
  readonly charging: readonly Row[];
  /** The other stops between start and end. */
  readonly stages: readonly Stage[];
}

export function stopsOf(course: Course, properties: JsonObject, brief: Brief): Stops {
  const { path } = course;
  const between: PointShape[] = [];
  const charging: Row[] = [];
  const stages: Stage[] = [];
  for (const [place, leg] of asArray(at(properties, "sections", "leg")).slice(0, -1).entries()) {
    const park = asObject(at(leg, "summary", "chargingInformationAtEndOfLeg"));
    const vertex = asNumber(at(leg, "endPointIndex"));
    const where = position(at(park, "geometry", "coordinates")) ?? vertexAt(path, vertex);
    if (where === undefined) continue;
    const [lon, lat] = where;
    const id = `stop-${place}`;
    const atM = vertex === undefined ? undefined : course.metresAt(vertex);
    if (park === undefined) {
      const detail: Detail = { title: brief.texts.stop, lines: afterLines(atM, brief) };
      between.push({ kind: "point", id, role: "via", lon, lat, detail });
      stages.push({ atM: atM ?? 0, row: { id, title: detail.title, text: "", swatch: "via" } });
    } else {
      const detail = chargingDetail(park, asNumber(at(leg, "summary", "remainingChargeAtArrivalInPCT")), brief);
      between.push({ kind: "point", id, role: "charge", lon, lat, detail });
      charging.push({ id, title: detail.title, text: chargingText(park, atM, brief), swatch: "charge" });
    }
  }
  return { shapes: [...between, ...ends(path, brief)], charging, stages };
}

function ends(path: Path, { texts }: Brief): PointShape[] {
  const end = path.length - 2;
  return [
    { kind: "point", id: "start", role: "start", lon: path[0]!, lat: path[1]!, detail: { title: texts.start, lines: [] } },
    { kind: "point", id: "end", role: "end", lon: path[end]!, lat: path[end + 1]!, detail: { title: texts.end, lines: [] } },
  ];
}

function afterLines(atM: number | undefined, { texts, format }: Brief): string[] {
  return atM === undefined ? [] : [texts.after(format.distance(atM))];
}

/** vertexAt clamps an index past the line to its end. */
export function vertexAt(path: Path, index: number | undefined): readonly [number, number] | undefined {
  if (index === undefined || index < 0 || path.length < 2) return undefined;
  const i = 2 * Math.min(Math.floor(index), path.length / 2 - 1);
  return [path[i]!, path[i + 1]!];
}

/** chargingText is what a driver plans with: how far, how long, how strong, how full. */
function chargingText(park: JsonObject, atM: number | undefined, brief: Brief): string {
  const { texts, format } = brief;
  const { powerKW, timeS, targetPct } = charge(park);
  const parts = afterLines(atM, brief);
  if (timeS !== undefined) parts.push(format.duration(timeS));
  if (powerKW !== undefined) parts.push(`${format.number(powerKW)} kW`);
  if (targetPct !== undefined) parts.push(texts.chargeTo(format.percent(targetPct)));
  return parts.join(" · ");
}

function chargingDetail(park: JsonObject, arrivalPct: number | undefined, { texts, format }: Brief): Detail {
  const properties = propertiesOf(park);
  const { powerKW, timeS, targetPct } = charge(park);
  const operator = asText(properties["chargingParkOperatorName"]);
  const plug = asText(at(properties, "chargingConnectionInfo", "plugType"));
  const address = asText(at(properties, "address", "freeformAddress"));
  const fields: Field[] = [];
  const add = (name: string, text: string | undefined): void => {
    if (text !== undefined) fields.push({ name, text });
  };
  if (arrivalPct !== undefined) add(texts.arrivalCharge, format.percent(arrivalPct));
  if (targetPct !== undefined) add(texts.chargeTarget, format.percent(targetPct));
  if (timeS !== undefined) add(texts.chargingTime, format.duration(timeS));
  if (powerKW !== undefined) add(texts.power, `${format.number(powerKW)} kW`);
  add(texts.connectors, plug === undefined ? undefined : plugName(plug));
  add(texts.operator, operator);
  return {
    title: asText(properties["chargingParkName"]) ?? texts.chargingStop,
    kind: texts.chargingStop,
    lines: address === undefined ? [] : [address],
    fields,
  };
}

function charge(park: JsonObject): { powerKW: number | undefined; timeS: number | undefined; targetPct: number | undefined } {
  const properties = propertiesOf(park);
  return {
    powerKW: asNumber(properties["chargingParkPowerInkW"]),
    timeS: asNumber(properties["chargingTimeInSeconds"]),
    targetPct: asNumber(properties["targetChargeInPCT"]),
  };
}

/** What people call plugs. Others keep the upstream's word, spaced. */
const plugs: readonly (readonly [RegExp, string])[] = [
  [/62196.*type.?2.*(ccs|base|combo)|combo.*type.?2/i, "CCS (Type 2)"],
  [/62196.*type.?1.*(ccs|base|combo)|combo.*type.?1/i, "CCS (Type 1)"],
  [/62196.*type.?2/i, "Type 2"],
  [/62196.*type.?1/i, "Type 1"],
  [/chademo/i, "CHAdeMO"],
  [/tesla/i, "Tesla"],
];

export function plugName(word: string): string {
  return plugs.find(([words]) => words.test(word))?.[1] ?? word.replaceAll("_", " ");
}
