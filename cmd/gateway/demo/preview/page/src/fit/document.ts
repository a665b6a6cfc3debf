// The lines of a result's map data, as the widget would draw them.

import type { Position } from "../api/types.ts";
import { asArray, asNumber, asObject, asText, at, type JsonObject } from "../json.ts";

export type Line = readonly Position[];

/** drawnLines unpacks a result's app data; none where it has none, or none that can be read. */
export async function drawnLines(result: JsonObject): Promise<readonly Line[]> {
  const packed = asText(at(result, "_meta", "com.tomtom/app-data"));
  if (packed === undefined) return [];
  try {
    return linesOf(await unpacked(packed));
  } catch {
    return [];
  }
}

async function unpacked(packed: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

const mostDepth = 12;

/** linesOf finds every line and every ring of a GeoJSON document, wherever in it they are. */
export function linesOf(value: unknown, depth = 0): Line[] {
  if (depth > mostDepth) return [];
  if (Array.isArray(value)) return value.flatMap((item) => linesOf(item, depth + 1));
  const object = asObject(value);
  if (object === undefined) return [];
  const line = geometryLines(object);
  return line ?? Object.values(object).flatMap((member) => linesOf(member, depth + 1));
}

function geometryLines({ type, coordinates }: JsonObject): Line[] | undefined {
  switch (type) {
    case "LineString":
      return [positions(coordinates)];
    case "MultiLineString":
    case "Polygon":
      return asArray(coordinates).map(positions);
    case "MultiPolygon":
      return asArray(coordinates).flatMap((polygon) => asArray(polygon).map(positions));
    default:
      return undefined;
  }
}

function positions(list: unknown): Position[] {
  return asArray(list).flatMap((position) => {
    const [lon, lat] = asArray(position).map(asNumber);
    return lon === undefined || lat === undefined ? [] : [[lon, lat] as const];
  });
}
