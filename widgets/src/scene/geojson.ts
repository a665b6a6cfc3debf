// GeoJSON of unknown origin into paths. A bad position does not cost the others.

import { asArray, asNumber, asObject, at, objectsOf, type JsonObject } from "../json.ts";
import type { Path } from "./scene.ts";

/** featuresOf answers the features of a collection, or a lone feature. */
export function featuresOf(value: unknown): readonly JsonObject[] {
  if (at(value, "type") === "Feature") return [value as JsonObject];
  return objectsOf(at(value, "features"));
}

export function propertiesOf(feature: unknown): JsonObject {
  return asObject(at(feature, "properties")) ?? {};
}

/** position answers [lon, lat], or undefined where either is no number or off the globe. */
export function position(value: unknown): readonly [number, number] | undefined {
  const [lonValue, latValue] = asArray(value);
  const lon = asNumber(lonValue);
  const lat = asNumber(latValue);
  if (lon === undefined || lat === undefined || Math.abs(lat) > 90 || Math.abs(lon) > 540) return undefined;
  return [lon, lat];
}

/** lineOf keeps one vertex a position, so that vertex indices stay right: a bad position repeats the one before. */
export function lineOf(coordinates: unknown): Path {
  const positions = asArray(coordinates);
  const first = positions.map(position).find((found) => found !== undefined);
  if (first === undefined) return new Float64Array(0);
  const path = new Float64Array(positions.length * 2);
  let [lon, lat] = first;
  for (let i = 0; i < positions.length; i++) {
    const found = position(positions[i]);
    if (found !== undefined) {
      // The short way round: a step of more than half the globe is a step across the antimeridian.
      lon = found[0] + 360 * Math.round((lon - found[0]) / 360);
      lat = found[1];
    }
    path[2 * i] = lon;
    path[2 * i + 1] = lat;
  }
  return path;
}

export function linesOf(geometry: unknown): Path[] {
  const coordinates = at(geometry, "coordinates");
  const type = at(geometry, "type");
  const lists = type === "LineString" ? [coordinates] : type === "MultiLineString" ? asArray(coordinates) : [];
  return [...lists.map(lineOf), ...nested(geometry).flatMap(linesOf)].filter((path) => path.length >= 4);
}

export function polygonsOf(geometry: unknown): Path[][] {
  const coordinates = at(geometry, "coordinates");
  const type = at(geometry, "type");
  const lists = type === "Polygon" ? [coordinates] : type === "MultiPolygon" ? asArray(coordinates) : [];
  const polygons = lists.map((rings) =>
    asArray(rings)
      .map(lineOf)
      .filter((ring) => ring.length >= 6),
  );
  return [...polygons, ...nested(geometry).flatMap(polygonsOf)].filter((rings) => rings.length > 0);
}

export function pointsOf(geometry: unknown): (readonly [number, number])[] {
  const coordinates = at(geometry, "coordinates");
  const type = at(geometry, "type");
  const lists = type === "Point" ? [coordinates] : type === "MultiPoint" ? asArray(coordinates) : [];
  return [...lists.flatMap((list) => [position(list) ?? []].filter(isPosition)), ...nested(geometry).flatMap(pointsOf)];
}

function isPosition(value: readonly number[]): value is readonly [number, number] {
  return value.length === 2;
}

function nested(geometry: unknown): readonly unknown[] {
  return at(geometry, "type") === "GeometryCollection" ? asArray(at(geometry, "geometries")) : [];
}
