// Places: every search, geocoding both ways, and what a search along a route found.

import { asArray, asNumber, asText, at } from "../json.ts";
import type { Brief } from "./brief.ts";
import { featuresOf, pointsOf, polygonsOf, propertiesOf } from "./geojson.ts";
import { gathered } from "./gather.ts";
import { openingHours } from "./hours.ts";
import { routeScene } from "./routes.ts";
import type { AreaShape, Detail, Field, PointShape, Row, Scene } from "./scene.ts";
import { plugName } from "./stops.ts";

export function placeScene(document: unknown, brief: Brief): Scene {
  const points = places(document, brief);
  return { shapes: [...boundaries(document, brief), ...gathered(points, brief)], rows: rowsOf(points), legend: [] };
}

export function alongRouteScene(document: unknown, brief: Brief): Scene {
  const points = places(at(document, "pois"), brief);
  return withPlaces(routeScene(at(document, "route"), brief), points, brief);
}

/** withPlaces keeps the places where another route is put on top. */
function withPlaces(route: Scene, points: readonly PointShape[], brief: Brief): Scene {
  const { choose } = route;
  return {
    ...route,
    shapes: [...route.shapes, ...gathered(points, brief)],
    rows: [...route.rows, ...rowsOf(points)],
    ...(choose === undefined
      ? {}
      : {
          choose: (id) => {
            const variant = choose(id);
            return variant === undefined ? undefined : withPlaces(variant, points, brief);
          },
        }),
  };
}

function places(collection: unknown, brief: Brief): PointShape[] {
  const features = featuresOf(collection);
  const found: PointShape[] = [];
  for (const feature of features) {
    const [where] = pointsOf(feature["geometry"]);
    if (where === undefined) continue;
    const detail = placeDetail(propertiesOf(feature), brief);
    const number = found.length + 1;
    // A lone place needs no number to be told from others.
    const told = features.length > 1 ? { number } : {};
    found.push({ kind: "point", id: `place-${number}`, role: "place", lon: where[0], lat: where[1], ...told, label: detail.title, detail });
  }
  return found;
}

function placeDetail(properties: unknown, brief: Brief): Detail {
  const { texts, format } = brief;
  const name = asText(at(properties, "poi", "name"));
  const address = asText(at(properties, "address", "freeformAddress"));
  const categories = asArray(at(properties, "poi", "localizedCategories")).filter((word) => typeof word === "string");
  const distanceM = asNumber(at(properties, "distance"));
  const parking = asText(at(properties, "chargingPark", "name"));
  const title = name ?? parking ?? address ?? texts.place;
  const lines: string[] = [];
  if (address !== undefined && address !== title) lines.push(address);
  if (distanceM !== undefined) lines.push(texts.away(format.distance(distanceM)));
  const fields: Field[] = [];
  const add = (field: string, text: string | undefined): void => {
    if (text !== undefined && text !== "") fields.push({ name: field, text });
  };
  add(texts.phone, asText(at(properties, "poi", "phone")));
  add(texts.connectors, charging(at(properties, "chargingPark"), brief));
  add(texts.openingHours, openingHours(at(properties, "poi", "openingHours"), brief));
  const link = webAddress(asText(at(properties, "poi", "url")));
  return {
    title,
    ...(categories.length > 0 ? { kind: [...new Set(categories)].join(", ") } : {}),
    lines,
    ...(fields.length > 0 ? { fields } : {}),
    ...(link !== undefined ? { link } : {}),
  };
}

/** webAddress answers an http or https address. The data leaves the scheme out. */
export function webAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const whole = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`;
  if (!/^https?:\/\//i.test(whole) || !URL.canParse(whole)) return undefined;
  return new URL(whole).hostname.includes(".") ? whole : undefined;
}

/** charging lists a station's plugs, one a line, and how many points are free. */
function charging(park: unknown, { texts, format }: Brief): string | undefined {
  const lines = asArray(at(park, "connectors")).flatMap((entry) => {
    const plug = at(entry, "connector") ?? entry;
    const kind = asText(at(plug, "type"));
    if (kind === undefined) return [];
    const powerKW = asNumber(at(plug, "ratedPowerKW"));
    const count = asNumber(at(entry, "count"));
    const times = count === undefined ? "" : `${format.number(count)} × `;
    return [`${times}${plugName(kind)}${powerKW === undefined ? "" : ` · ${format.number(powerKW)} kW`}`];
  });
  const points = at(park, "availability", "chargingPointAvailability");
  const total = asNumber(at(points, "count"));
  const free = asNumber(at(points, "statusCounts", "Available"));
  if (total !== undefined && free !== undefined) lines.push(texts.free(format.number(free), format.number(total)));
  return lines.length === 0 ? undefined : lines.join("\n");
}

function rowsOf(points: readonly PointShape[]): Row[] {
  return points.map(({ id, number, detail }) => ({
    ...(id !== undefined ? { id } : {}),
    title: detail?.title ?? "",
    text: detail?.lines[0] ?? detail?.kind ?? "",
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
