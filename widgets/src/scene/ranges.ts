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
  const sizeText = ({ polygons }: Range): string => brief.format.area(squareMetres(polygons));
  const areas: AreaShape[] = ranges.map((range, place) => ({
    kind: "area",
    id: `range-${place}`,
    role: "range",
    polygons: range.polygons,
    rank: rankOf(place),
    detail: { title: range.name, kind: brief.texts.reachable, lines: [brief.texts.areaSize(sizeText(range))] },
  }));
  const rows: Row[] = ranges.map((range, place) => ({
    id: `range-${place}`,
    title: range.name,
    text: sizeText(range),
    swatch: "range",
    rank: rankOf(place),
  }));
  return { shapes: [...areas.reverse(), ...origins(features, brief)], rows, legend: [] };
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
  return polygons.reduce((size, [outside]) => size + (outside === undefined ? 0 : Math.abs(ringArea(outside, () => 1))), 0);
}

const metresPerDegree = 111_195;

/** squareMetres leaves holes out. Each strip of a ring is as wide as its own latitude has it. */
function squareMetres(polygons: readonly (readonly Path[])[]): number {
  const widthAt = (lat: number): number => Math.cos((lat * Math.PI) / 180);
  const degrees = polygons.reduce((whole, rings) => {
    const [outside = 0, ...holes] = rings.map((ring) => Math.abs(ringArea(ring, widthAt)));
    return whole + outside - holes.reduce((sum, hole) => sum + hole, 0);
  }, 0);
  return degrees * metresPerDegree ** 2;
}

/** ringArea sums the strips between each edge and the ring's west, in square degrees. */
function ringArea(ring: Path, widthAt: (lat: number) => number): number {
  const west = ring[0] ?? 0;
  let area = 0;
  for (let i = 0, j = ring.length - 2; i + 1 < ring.length; j = i, i += 2) {
    const height = ring[i + 1]! - ring[j + 1]!;
    area += height * ((ring[i]! + ring[j]!) / 2 - west) * widthAt((ring[i + 1]! + ring[j + 1]!) / 2);
  }
  return area;
}
