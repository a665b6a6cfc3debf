// From a tool's app data to a scene. Where the tool is not known, the data tells.

import { asArray, asObject, at } from "../json.ts";
import type { Brief } from "./brief.ts";
import { dataVizScene } from "./dataviz.ts";
import { dynamicMapScene } from "./dynamicmap.ts";
import { featuresOf } from "./geojson.ts";
import { alongRouteScene, placeScene } from "./places.ts";
import { rangeScene } from "./ranges.ts";
import { routeScene } from "./routes.ts";
import type { Scene } from "./scene.ts";
import { trafficScene } from "./traffic.ts";

type Builder = (document: unknown, brief: Brief) => Scene;

const builders: Readonly<Record<string, Builder>> = {
  "tomtom-routing": routeScene,
  "tomtom-ev-routing": routeScene,
  "tomtom-search-along-route": alongRouteScene,
  "tomtom-reachable-range": rangeScene,
  "tomtom-fuzzy-search": placeScene,
  "tomtom-poi-search": placeScene,
  "tomtom-nearby": placeScene,
  "tomtom-geocode": placeScene,
  "tomtom-reverse-geocode": placeScene,
  "tomtom-area-search": placeScene,
  "tomtom-ev-search": placeScene,
  "tomtom-dynamic-map": dynamicMapScene,
  "tomtom-data-viz": dataVizScene,
  "tomtom-traffic": trafficScene,
};

export function buildScene(tool: string, document: unknown, brief: Brief): Scene {
  const builder = Object.hasOwn(builders, tool) ? builders[tool]! : builderFor(document);
  return builder(document, brief);
}

function builderFor(document: unknown): Builder {
  if (asObject(at(document, "sources")) !== undefined) return dynamicMapScene;
  if (at(document, "geojson") !== undefined && Array.isArray(at(document, "layers"))) return dataVizScene;
  if (at(document, "route") !== undefined && at(document, "pois") !== undefined) return alongRouteScene;
  if (asArray(at(document, "incidents")).length > 0) return trafficScene;
  const types = new Set(featuresOf(document).map((feature) => at(feature, "geometry", "type")));
  if (types.has("LineString")) return routeScene;
  return types.has("Polygon") || types.has("MultiPolygon") ? rangeScene : placeScene;
}
