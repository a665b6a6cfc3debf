// Whether a text JSON holds enough to draw from. The trimmed text of a route keeps a line's first and last point; a
// straight line between them would be a lie.

import { asArray, asObject, at, type JsonObject } from "../json.ts";

const lineTools = new Set(["tomtom-routing", "tomtom-ev-routing", "tomtom-search-along-route"]);

export function holdsGeometry(text: JsonObject, tool: string): boolean {
  if (hasShapes(text["geometry"])) return true;
  if (lineTools.has(tool)) return hasShapes(text["route"] ?? text, ["LineString"]);
  if (hasShapes(text) || hasShapes(text["geojson"])) return true;
  if (asArray(text["incidents"]).some((incident) => isDrawable(incident))) return true;
  return asObject(text["sources"]) !== undefined && asObject(text["view"]) !== undefined;
}

function hasShapes(value: unknown, types?: readonly string[]): boolean {
  if (isDrawable(value, types)) return true;
  return asArray(at(value, "features")).some((feature) => isDrawable(feature, types));
}

function isDrawable(feature: unknown, types?: readonly string[]): boolean {
  const type = at(feature, "geometry", "type");
  const coordinates = asArray(at(feature, "geometry", "coordinates"));
  if (typeof type !== "string" || coordinates.length === 0) return false;
  if (types !== undefined && !types.includes(type)) return false;
  return type !== "LineString" || coordinates.length > 2;
}
