// Makes the embedded world: Natural Earth's 1:110m land and country borders (public domain, by way of world-atlas),
// rounded and written as differences, since a blocked tile origin must not leave an empty frame and a map of the world
// must not weigh more than the program that draws it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import type { Plugin } from "vite";

const moduleName = "virtual:world";

/** unitsPerDegree: a twentieth of a degree is half a pixel at the closest zoom where these outlines make sense. */
const unitsPerDegree = 20;

type Position = number[];

/** unwrapped takes each step the short way round, so that a line across the antimeridian goes on past 180. */
function unwrapped(line: Position[]): Position[] {
  let before = line[0]?.[0] ?? 0;
  return line.map(([lon = 0, lat = 0]) => {
    before = lon + 360 * Math.round((before - lon) / 360);
    return [before, lat];
  });
}

/**
 * onFlatMap answers the rings of a polygon as a flat map has to draw them: Antarctica, which goes round the pole, is
 * closed along the map's lower edge, and what reaches past 180 is there twice, once at either edge.
 */
function onFlatMap(rings: Position[][]): Position[][][] {
  const flat = rings.map((ring) => {
    const line = unwrapped(ring);
    const first = line[0]![0]!;
    const last = line.at(-1)![0]!;
    return Math.abs(last - first) < 180 ? line : [...line, [last, -90], [first, -90], line[0]!];
  });
  const lons = flat.flat().map(([lon = 0]) => lon);
  const copies = [0];
  if (Math.max(...lons) > 180) copies.push(-360);
  if (Math.min(...lons) < -180) copies.push(360);
  return copies.map((by) => flat.map((ring) => ring.map(([lon = 0, lat = 0]) => [lon + by, lat])));
}

/** differences of a line's rounded positions: x, y, dx, dy, dx, dy, … without the points that did not move. */
function differences(line: Position[]): number[] {
  const written: number[] = [];
  let x = 0;
  let y = 0;
  for (const [lon = 0, lat = 0] of line) {
    const nextX = Math.round(lon * unitsPerDegree);
    const nextY = Math.round(lat * unitsPerDegree);
    if (written.length > 0 && nextX === x && nextY === y) continue;
    written.push(nextX - x, nextY - y);
    x = nextX;
    y = nextY;
  }
  return written;
}

export function worldModule(): string {
  const path = createRequire(import.meta.url).resolve("world-atlas/countries-110m.json");
  const topology = JSON.parse(readFileSync(path, "utf8")) as Topology<{
    countries: GeometryCollection;
    land: GeometryCollection;
  }>;
  const land = feature(topology, topology.objects.land).features.flatMap((shape) =>
    shape.geometry.type === "MultiPolygon"
      ? shape.geometry.coordinates
      : shape.geometry.type === "Polygon"
        ? [shape.geometry.coordinates]
        : [],
  );
  const borders = mesh(topology, topology.objects.countries, (a, b) => a !== b).coordinates;
  const polygons = land
    .flatMap(onFlatMap)
    .map((rings) => rings.map(differences).filter((ring) => ring.length >= 8))
    .filter((rings) => rings.length > 0);
  const lines = borders.map(unwrapped).map(differences).filter((line) => line.length >= 4);
  return [
    `export const unitsPerDegree=${unitsPerDegree};`,
    `export const land=${JSON.stringify(polygons)};`,
    `export const borders=${JSON.stringify(lines)};`,
  ].join("\n");
}

export function world(): Plugin {
  return {
    name: "world",
    resolveId: (id) => (id === moduleName ? "\0" + moduleName : undefined),
    load: (id) => (id === "\0" + moduleName ? worldModule() : undefined),
  };
}
