// tomtom-data-viz: a caller's own GeoJSON in up to ten layers.

import { asNumber, asText, at, objectsOf, type JsonObject } from "../json.ts";
import { asColour } from "./colour.ts";
import { featuresOf, linesOf, pointsOf, polygonsOf, propertiesOf } from "./geojson.ts";
import type { Detail, PointShape, Row, Scene, Shape } from "./scene.ts";
import { colourScale, numberScale, type ColourScale } from "./scale.ts";

export function dataVizScene(document: unknown): Scene {
  const features = featuresOf(at(document, "geojson"));
  const layers = objectsOf(at(document, "layers"));
  const drawn = layers.map((layer) => drawLayer(layer, features));
  const title = asText(at(document, "title"));
  return {
    shapes: drawn.flatMap(({ shapes }) => shapes),
    rows: [],
    legend: drawn.flatMap(({ legend }) => legend),
    ...(title !== undefined ? { title } : {}),
  };
}

interface Drawn {
  readonly shapes: readonly Shape[];
  readonly legend: readonly Row[];
}

function drawLayer(layer: JsonObject, all: readonly JsonObject[]): Drawn {
  const features = all.filter((feature) => isIn(layer, propertiesOf(feature)));
  const colours = colourScale(layer, features);
  switch (layer["type"]) {
    case "heatmap":
      return { shapes: heat(layer, features), legend: [] };
    case "clusters": {
      const points = markers(layer, features, undefined);
      const radiusPx = Math.min(200, Math.max(10, asNumber(layer["cluster_radius"]) ?? 50));
      return { shapes: points.length > 0 ? [{ kind: "cluster", points, radiusPx }] : [], legend: [] };
    }
    case "line":
      return { shapes: lines(layer, features, colours), legend: colours?.legend ?? [] };
    case "fill":
    case "choropleth":
      return { shapes: areas(layer, features, colours), legend: colours?.legend ?? [] };
    case "markers":
      return { shapes: markers(layer, features, colours), legend: colours?.legend ?? [] };
    default:
      return { shapes: [], legend: [] };
  }
}

function isIn(layer: JsonObject, properties: JsonObject): boolean {
  const name = asText(layer["filter_property"]);
  const values = layer["filter_values"];
  if (name === undefined || !Array.isArray(values)) return true;
  // "1" and 1 are one value to whoever wrote the filter.
  return values.some((value) => String(value) === String(properties[name]));
}

function markers(layer: JsonObject, features: readonly JsonObject[], colours: ColourScale | undefined): PointShape[] {
  const radius = numberScale(asText(layer["size_property"]), features, 4, 18);
  return features.flatMap((feature) => {
    const properties = propertiesOf(feature);
    const colour = colours?.colourOf(properties);
    const radiusPx = radius?.(properties);
    return pointsOf(feature["geometry"]).map(([lon, lat]) => ({
      kind: "point" as const,
      role: "data" as const,
      lon,
      lat,
      ...(colour !== undefined ? { colour } : {}),
      ...(radiusPx !== undefined ? { radiusPx } : {}),
      detail: detailOf(layer, properties),
    }));
  });
}

function lines(layer: JsonObject, features: readonly JsonObject[], colours: ColourScale | undefined): Shape[] {
  const plainPx = Math.min(20, Math.max(0.5, asNumber(layer["line_width"]) ?? 2));
  const width = numberScale(asText(layer["size_property"]), features, 1, 10);
  return features.flatMap((feature) => {
    const properties = propertiesOf(feature);
    const colour = colours?.colourOf(properties);
    return linesOf(feature["geometry"]).map((path) => ({
      kind: "line" as const,
      role: "data" as const,
      path,
      widthPx: width?.(properties) ?? plainPx,
      ...(colour !== undefined ? { colour } : {}),
      detail: detailOf(layer, properties),
    }));
  });
}

function areas(layer: JsonObject, features: readonly JsonObject[], colours: ColourScale | undefined): Shape[] {
  const opacity = Math.min(1, Math.max(0, asNumber(layer["fill_opacity"]) ?? 0.7));
  return features.flatMap((feature) => {
    const properties = propertiesOf(feature);
    const polygons = polygonsOf(feature["geometry"]);
    const colour = colours?.colourOf(properties) ?? asColour(properties["fill"]);
    if (polygons.length === 0) return [];
    return [
      {
        kind: "area" as const,
        role: "data" as const,
        polygons,
        opacity,
        ...(colour !== undefined ? { colour } : {}),
        detail: detailOf(layer, properties),
      },
    ];
  });
}

function heat(layer: JsonObject, features: readonly JsonObject[]): Shape[] {
  const weight = numberScale(asText(layer["heatmap_weight"]), features, 0.05, 1);
  const points = features.flatMap((feature) =>
    pointsOf(feature["geometry"]).flatMap(([lon, lat]) => [lon, lat, weight?.(propertiesOf(feature)) ?? 1]),
  );
  const intensity = Math.min(10, Math.max(0.1, asNumber(layer["heatmap_intensity"]) ?? 1));
  return points.length === 0 ? [] : [{ kind: "heat", points: Float64Array.from(points), intensity }];
}

/** A caller's feature may have hundreds of properties; a card holds a few. */
const maxFields = 12;

function detailOf(layer: JsonObject, properties: JsonObject): Detail {
  const chosen = Array.isArray(layer["popup_fields"]) ? layer["popup_fields"].map(String) : Object.keys(properties);
  const titleName = asText(layer["label_property"]) ?? (Object.hasOwn(properties, "name") ? "name" : undefined);
  const title = titleName === undefined ? "" : plain(properties[titleName]);
  const lines = chosen
    .filter((name) => name !== titleName && Object.hasOwn(properties, name))
    .slice(0, maxFields)
    .map((name) => `${name}: ${plain(properties[name])}`);
  return { title, lines };
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value).slice(0, 200) : String(value);
}
