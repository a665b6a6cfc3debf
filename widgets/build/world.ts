// Makes the embedded world: Natural Earth's 1:50m land and country borders (public domain, by way of world-atlas),
// rounded and written as differences, since a blocked tile origin must not leave an empty frame and a map of the world
// must not weigh more than the program that draws it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";
import type { Feature } from "geojson";
import type { GeometryCollection, Topology } from "topojson-specification";
import type { Plugin } from "vite";

const moduleName = "virtual:world";

/** unitsPerDegree: a twentieth of a degree is half a pixel at the closest zoom where these outlines make sense. */
const unitsPerDegree = 20;

/** How far a simplified outline may be from Natural Earth's, in degrees. */
const tolerance = 0.08;

/** An island of less than this is a speck; twice square degrees. */
const leastIsland = 0.1;

type Position = number[];

/** unwrapped takes each step the short way round, so that a line across the antimeridian goes on past 180. */
function unwrapped(line: Position[]): Position[] {
  let before = line[0]?.[0] ?? 0;
  return line.map(([lon = 0, lat = 0]) => {
    before = lon + 360 * Math.round((before - lon) / 360);
    return [before, lat];
  });
}

/** isPole: the pole itself, which the data has as a ring of its own. */
function isPole(ring: Position[]): boolean {
  return ring.every(([, lat = 0]) => lat < -89.9);
}

/**
 * onFlatMap answers the rings of a polygon as a flat map has to draw them: Antarctica, which goes round the pole, is
 * closed along the map's lower edge, and what reaches past 180 is there twice, once at either edge.
 */
function onFlatMap(rings: Position[][]): Position[][][] {
  const flat = rings.filter((ring) => !isPole(ring)).map((ring) => {
    const line = unwrapped(ring);
    const first = line[0]![0]!;
    const last = line.at(-1)![0]!;
    return Math.abs(last - first) < 180 ? line : [...line, [last, -90], [first, -90], line[0]!];
  });
  const lons = flat.flat().map(([lon = 0]) => lon);
  const west = Math.min(...lons);
  const east = Math.max(...lons);
  const copies = [0, -360, 360].filter((by) => west + by < 179.9 && east + by > -179.9);
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

/** absoluteArcs answers the topology's arcs in degrees. */
function absoluteArcs({ arcs, transform }: Topology): Position[][] {
  const [scaleX, scaleY] = transform?.scale ?? [1, 1];
  const [offsetX, offsetY] = transform?.translate ?? [0, 0];
  return arcs.map((arc) => {
    let x = 0;
    let y = 0;
    return arc.map(([dx = 0, dy = 0]) => {
      x = transform === undefined ? dx : x + dx;
      y = transform === undefined ? dy : y + dy;
      return [x * scaleX + offsetX, y * scaleY + offsetY];
    });
  });
}

/** simplified drops what lies within the tolerance (Douglas and Peucker). An arc's ends stay: others meet it there. */
function simplified(arc: Position[]): Position[] {
  const [first, last] = [arc[0], arc.at(-1)];
  if (arc.length < 3 || first === undefined || last === undefined) return arc;
  let farthest = 0;
  let distance = 0;
  for (let i = 1; i < arc.length - 1; i++) {
    const off = offLine(arc[i]!, first, last);
    if (off > distance) [distance, farthest] = [off, i];
  }
  if (distance <= tolerance) return [first, last];
  return [...simplified(arc.slice(0, farthest + 1)).slice(0, -1), ...simplified(arc.slice(farthest))];
}

function offLine([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): number {
  const length2 = (bx - ax) ** 2 + (by - ay) ** 2;
  const share = length2 === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2));
  return Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay));
}

/** polygonsOf answers rings by polygon. */
function polygonsOf({ geometry }: Feature): Position[][][] {
  if (geometry.type === "MultiPolygon") return geometry.coordinates;
  return geometry.type === "Polygon" ? [geometry.coordinates] : [];
}

/** middleOf answers a ring's centre of area, and twice that area, in degrees. */
function middleOf(ring: Position[]): { lon: number; lat: number; size: number } {
  let size = 0;
  let lon = 0;
  let lat = 0;
  for (let i = 1; i < ring.length; i++) {
    const [x1 = 0, y1 = 0] = ring[i - 1]!;
    const [x2 = 0, y2 = 0] = ring[i]!;
    const cross = x1 * y2 - x2 * y1;
    size += cross;
    lon += (x1 + x2) * cross;
    lat += (y1 + y2) * cross;
  }
  return { lon: lon / (3 * size), lat: lat / (3 * size), size: Math.abs(size) };
}

/** Countries smaller than this have no room for a name where these outlines make sense; twice square degrees. */
const leastNamed = 0.1;

/** It goes round the pole, and so has no middle on a flat map. */
const antarctica = 10;

/** countryMiddles answers [UN M49 number, lon, lat] of each country's largest part, the largest country first. */
function countryMiddles(countries: Feature[]): number[][] {
  return countries
    .flatMap((country) => {
      const middles = polygonsOf(country).map((rings) => middleOf(unwrapped(rings[0]!)));
      const [largest] = middles.sort((a, b) => b.size - a.size);
      const number = Number(country.id);
      const isNamed = Number.isInteger(number) && number !== antarctica;
      return largest === undefined || !isNamed || largest.size < leastNamed ? [] : [{ number, ...largest }];
    })
    .sort((a, b) => b.size - a.size)
    .map(({ number, lon, lat }) => [number, Number(lon.toFixed(1)), Number(lat.toFixed(1))]);
}

export function worldModule(): string {
  const path = createRequire(import.meta.url).resolve("world-atlas/countries-50m.json");
  const topology = JSON.parse(readFileSync(path, "utf8")) as Topology<{
    countries: GeometryCollection;
    land: GeometryCollection;
  }>;
  topology.arcs = absoluteArcs(topology).map(simplified);
  delete topology.transform;
  const land = feature(topology, topology.objects.land)
    .features.flatMap(polygonsOf)
    .filter(([outside = []]) => middleOf(unwrapped(outside)).size > leastIsland);
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
    `export const countries=${JSON.stringify(countryMiddles(feature(topology, topology.objects.countries).features))};`,
  ].join("\n");
}

export function world(): Plugin {
  return {
    name: "world",
    resolveId: (id) => (id === moduleName ? "\0" + moduleName : undefined),
    load: (id) => (id === "\0" + moduleName ? worldModule() : undefined),
  };
}
