// Reachable ranges: nested areas, the largest at the bottom, and where they start.

import { asNumber, asText, at } from "../json.ts";
import type { Brief } from "./brief.ts";
import { featuresOf, polygonsOf, position, propertiesOf } from "./geojson.ts";
import type { AreaShape, Path, PointShape, Row, Scene } from "./scene.ts";

interface Range {
  readonly polygons: Path[][];
  readonly name: string;
  readonly size: number;
  readonly budget: number;
}

export function rangeScene(document: unknown, brief: Brief): Scene {
  const features = featuresOf(document);
  const ranges: Range[] = features
    .map((feature) => {
      const polygons = polygonsOf(feature["geometry"]);
      const budget = propertiesOf(feature)["budget"];
      return {
        polygons,
        name: budgetName(budget, brief),
        size: sizeOf(polygons),
        budget: asNumber(at(budget, "value")) ?? 0,
      };
    })
    .filter(({ polygons }) => polygons.length > 0)
    .sort((a, b) => a.size - b.size || a.budget - b.budget);
  const rankOf = (place: number): number => (ranges.length > 1 ? place / (ranges.length - 1) : 0.5);
  const areas: AreaShape[] = ranges.map(({ polygons, name }, place) => ({
    kind: "area",
    role: "range",
    polygons,
    rank: rankOf(place),
    detail: { title: name, lines: [] },
  }));
  const legend: Row[] = ranges.map(({ name }, place) => ({ title: name, text: "", swatch: "range", rank: rankOf(place) }));
  return { shapes: [...areas.reverse(), ...origins(features, brief)], rows: [], legend };
}

function origins(features: readonly unknown[], { texts }: Brief): PointShape[] {
  const seen = new Map<string, PointShape>();
  for (const feature of features) {
    const where = position(at(feature, "properties", "origin"));
    if (where === undefined) continue;
    const [lon, lat] = where;
    seen.set(`${lon},${lat}`, { kind: "point", role: "start", lon, lat, detail: { title: texts.start, lines: [] } });
  }
  return [...seen.values()];
}

function budgetName(budget: unknown, { texts, format }: Brief): string {
  const value = asNumber(at(budget, "value"));
  if (value === undefined) return texts.reachable;
  switch (asText(at(budget, "type"))) {
    case "timeMinutes":
      return format.duration(value * 60);
    case "timeSeconds":
      return format.duration(value);
    case "distanceKM":
      return format.distance(value * 1000);
    case "distanceMeters":
      return format.distance(value);
    case "energyKWh":
    case "spentChargeKWh":
      return `${format.number(value)} kWh`;
    case "spentChargePCT":
    case "remainingChargeCPT":
    case "remainingChargePCT":
      return format.percent(value);
    case "spentFuelLiters":
      return `${format.number(value)} L`;
    default:
      return format.number(value);
  }
}

/** sizeOf compares areas of one place: square degrees will do. */
function sizeOf(polygons: readonly (readonly Path[])[]): number {
  let size = 0;
  for (const [outside] of polygons) {
    if (outside === undefined) continue;
    let twice = 0;
    for (let i = 0, j = outside.length - 2; i < outside.length; j = i, i += 2) {
      twice += outside[j]! * outside[i + 1]! - outside[i]! * outside[j + 1]!;
    }
    size += Math.abs(twice) / 2;
  }
  return size;
}
