// Places: every search, geocoding both ways, and what a search along a route found.

import { asArray, asNumber, asText, at } from "../json.ts";
import type { Brief } from "./brief.ts";
import { featuresOf, pointsOf, polygonsOf, propertiesOf } from "./geojson.ts";
import { routeScene } from "./routes.ts";
import type { AreaShape, Detail, PointShape, Row, Scene } from "./scene.ts";

export function placeScene(document: unknown, brief: Brief): Scene {
  const points = places(document, brief);
  return { shapes: [...boundaries(document, brief), ...points], rows: rowsOf(points), legend: [] };
}

export function alongRouteScene(document: unknown, brief: Brief): Scene {
  const route = routeScene(at(document, "route"), brief);
  const points = places(at(document, "pois"), brief);
  return {
    shapes: [...route.shapes, ...points],
    rows: [...route.rows, ...rowsOf(points)],
    legend: route.legend,
  };
}

function places(collection: unknown, brief: Brief): PointShape[] {
  const found: PointShape[] = [];
  for (const feature of featuresOf(collection)) {
    const [where] = pointsOf(feature["geometry"]);
    if (where === undefined) continue;
    const detail = placeDetail(propertiesOf(feature), brief);
    found.push({ kind: "point", role: "place", lon: where[0], lat: where[1], number: found.length + 1, detail });
  }
  return found;
}

function placeDetail(properties: unknown, { texts, format }: Brief): Detail {
  const name = asText(at(properties, "poi", "name"));
  const address = asText(at(properties, "address", "freeformAddress"));
  const categories = asArray(at(properties, "poi", "localizedCategories")).filter((word) => typeof word === "string");
  const phone = asText(at(properties, "poi", "phone"));
  const distanceM = asNumber(at(properties, "distance"));
  const parking = asText(at(properties, "chargingPark", "name"));
  const lines: string[] = [];
  if (name !== undefined && address !== undefined) lines.push(address);
  if (categories.length > 0) lines.push([...new Set(categories)].join(", "));
  if (phone !== undefined) lines.push(phone);
  if (distanceM !== undefined) lines.push(texts.away(format.distance(distanceM)));
  return { title: name ?? parking ?? address ?? texts.place, lines };
}

function rowsOf(points: readonly PointShape[]): Row[] {
  return points.map(({ number, detail }) => ({
    title: detail?.title ?? "",
    text: detail?.lines[0] ?? "",
    swatch: "place",
    ...(number !== undefined ? { number } : {}),
  }));
}

/** boundaries are the areas that were searched. */
function boundaries(document: unknown, { texts }: Brief): AreaShape[] {
  return featuresOf(at(document, "_searchBoundary")).flatMap((feature) => {
    const polygons = polygonsOf(feature["geometry"]);
    return polygons.length === 0
      ? []
      : [{ kind: "area", role: "boundary", polygons, detail: { title: texts.searchedArea, lines: [] } }];
  });
}
