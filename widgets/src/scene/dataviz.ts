// tomtom-data-viz: a caller's own GeoJSON in up to ten layers.

import { asNumber, asText, at, objectsOf, type JsonObject } from "../json.ts";
import type { Format } from "../ui/format.ts";
import type { Brief } from "./brief.ts";
import { asColour, heatColours } from "./colour.ts";
import { tellIn } from "./gather.ts";
import { featuresOf, linesOf, pointsOf, polygonsOf, propertiesOf } from "./geojson.ts";
import type { AreaShape, Detail, LineShape, List, PointShape, Row, Scene, Shape } from "./scene.ts";
import { colourScale, numberScale, rangeOf, type ColourScale } from "./scale.ts";

export function dataVizScene(document: unknown, brief: Brief): Scene {
  const features = featuresOf(at(document, "geojson"));
  const layers = objectsOf(at(document, "layers"));
  const drawn = layers.map((layer, place) => drawLayer({ layer, place, features: filtered(layer, features), brief }));
  const title = asText(at(document, "title"));
  const shapes = drawn.flatMap(({ shapes: own }) => own);
  return {
    shapes,
    rows: [],
    lists: entries(shapes, brief),
    legend: drawn.flatMap(({ legend }) => legend),
    ...(title !== undefined ? { title } : {}),
  };
}

/** One of the layers that a caller asked for, with the features that it shows. */
interface Layer {
  readonly layer: JsonObject;
  readonly place: number;
  readonly features: readonly JsonObject[];
  readonly brief: Brief;
}

interface Drawn {
  readonly shapes: readonly Shape[];
  readonly legend: readonly Row[];
}

function drawLayer(of: Layer): Drawn {
  const { layer, features, brief } = of;
  const colours = colourScale(layer, features, brief.format.number);
  const legend = [...(colours?.legend ?? []), ...sizeLegend(of)];
  switch (layer["type"]) {
    case "heatmap": {
      const shapes = heat(of);
      const { few: title, many: text } = brief.texts;
      return { shapes, legend: shapes.length === 0 ? [] : [{ title, text, ramp: heatColours }] };
    }
    case "clusters": {
      const points = markers(of, undefined);
      const radiusPx = Math.min(200, Math.max(10, asNumber(layer["cluster_radius"]) ?? 50));
      return { shapes: points.length > 0 ? [{ kind: "cluster", points, radiusPx, tell: tellIn(brief) }] : [], legend: [] };
    }
    case "line":
      return { shapes: lines(of, colours), legend };
    case "fill":
    case "choropleth":
      return { shapes: areas(of, colours), legend: colours?.legend ?? [] };
    case "markers":
      return { shapes: markers(of, colours), legend };
    default:
      return { shapes: [], legend: [] };
  }
}

/** So many are listed; a data set may have tens of thousands. */
const maxEntries = 100;

/** entries lists what has a name of its own: the map, for those who cannot see it. */
function entries(shapes: readonly Shape[], { texts }: Brief): List[] {
  const rows: Row[] = [];
  let total = 0;
  for (const shape of shapes.flatMap(drawnOf)) {
    if (shape.id === undefined || shape.detail === undefined || shape.detail.title === "") continue;
    total++;
    if (rows.length === maxEntries) continue;
    const { id, detail, colour } = shape;
    const [first] = detail.fields ?? [];
    const text = first === undefined ? "" : `${first.name}: ${first.text}`;
    rows.push({ id, title: detail.title, text, swatch: "data", ...(colour !== undefined ? { colour } : {}) });
  }
  return rows.length === 0 ? [] : [{ id: "entries", title: texts.entries, rows, total }];
}

function drawnOf(shape: Shape): readonly (LineShape | PointShape | AreaShape)[] {
  return shape.kind === "cluster" ? shape.points : shape.kind === "heat" ? [] : [shape];
}

function sizeLegend({ layer, features, brief }: Layer): Row[] {
  const name = asText(layer["size_property"]);
  const range = name === undefined ? undefined : rangeOf(name, features);
  if (name === undefined || range === undefined) return [];
  const { least, most } = range;
  return [{ title: brief.texts.sizeBy(name), text: `${brief.format.number(least)} – ${brief.format.number(most)}` }];
}

function filtered(layer: JsonObject, features: readonly JsonObject[]): readonly JsonObject[] {
  return features.filter((feature) => isIn(layer, propertiesOf(feature)));
}

function isIn(layer: JsonObject, properties: JsonObject): boolean {
  const name = asText(layer["filter_property"]);
  const values = layer["filter_values"];
  if (name === undefined || !Array.isArray(values)) return true;
  // "1" and 1 are one value to whoever wrote the filter.
  return values.some((value) => String(value) === String(properties[name]));
}

function markers(of: Layer, colours: ColourScale | undefined): PointShape[] {
  const { layer, features, place } = of;
  const radius = numberScale(asText(layer["size_property"]), features, 4, 18);
  return features.flatMap((feature, index) => {
    const properties = propertiesOf(feature);
    const colour = colours?.colourOf(properties) ?? asColour(properties["marker-color"]);
    const radiusPx = radius?.(properties);
    return pointsOf(feature["geometry"]).map(([lon, lat]) => ({
      kind: "point" as const,
      id: `data-${place}-${index}`,
      role: "data" as const,
      lon,
      lat,
      ...(colour !== undefined ? { colour } : {}),
      // Where circles overlap, the small ones have to stay in sight.
      ...(radiusPx !== undefined ? { radiusPx, priority: -radiusPx } : {}),
      detail: detailOf(layer, properties, of.brief),
    }));
  });
}

function lines(of: Layer, colours: ColourScale | undefined): Shape[] {
  const { layer, features, place } = of;
  const plainPx = Math.min(20, Math.max(0.5, asNumber(layer["line_width"]) ?? 2));
  const width = numberScale(asText(layer["size_property"]), features, 1, 10);
  return features.flatMap((feature, index) => {
    const properties = propertiesOf(feature);
    const colour = colours?.colourOf(properties) ?? asColour(properties["stroke"]);
    return linesOf(feature["geometry"]).map((path) => ({
      kind: "line" as const,
      id: `data-${place}-${index}`,
      role: "data" as const,
      path,
      widthPx: width?.(properties) ?? plainPx,
      ...(colour !== undefined ? { colour } : {}),
      detail: detailOf(layer, properties, of.brief),
    }));
  });
}

function areas(of: Layer, colours: ColourScale | undefined): Shape[] {
  const { layer, features, place } = of;
  const opacity = Math.min(1, Math.max(0, asNumber(layer["fill_opacity"]) ?? 0.7));
  return features.flatMap((feature, index) => {
    const properties = propertiesOf(feature);
    const polygons = polygonsOf(feature["geometry"]);
    const colour = colours?.colourOf(properties) ?? asColour(properties["fill"]);
    if (polygons.length === 0) return [];
    return [
      {
        kind: "area" as const,
        id: `data-${place}-${index}`,
        role: "data" as const,
        polygons,
        opacity,
        ...(colour !== undefined ? { colour } : {}),
        detail: detailOf(layer, properties, of.brief),
      },
    ];
  });
}

function heat({ layer, features }: Layer): Shape[] {
  const weight = numberScale(asText(layer["heatmap_weight"]), features, 0.05, 1);
  const points = features.flatMap((feature) =>
    pointsOf(feature["geometry"]).flatMap(([lon, lat]) => [lon, lat, weight?.(propertiesOf(feature)) ?? 1]),
  );
  const intensity = Math.min(10, Math.max(0.1, asNumber(layer["heatmap_intensity"]) ?? 1));
  return points.length === 0 ? [] : [{ kind: "heat", points: Float64Array.from(points), intensity }];
}

/** A caller's feature may have hundreds of properties; a card holds a few. */
const maxFields = 12;

function detailOf(layer: JsonObject, properties: JsonObject, { format }: Brief): Detail {
  const chosen = Array.isArray(layer["popup_fields"]) ? layer["popup_fields"].map(String) : Object.keys(properties);
  const titleName = asText(layer["label_property"]) ?? ["name", "title"].find((name) => Object.hasOwn(properties, name));
  const title = titleName === undefined ? "" : plain(properties[titleName], format);
  const fields = chosen
    .filter((name) => name !== titleName && Object.hasOwn(properties, name))
    .slice(0, maxFields)
    .map((name) => ({ name, text: plain(properties[name], format) }));
  return { title, lines: [], fields };
}

function plain(value: unknown, format: Format): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return format.exact(value);
  return typeof value === "object" ? JSON.stringify(value).slice(0, 200) : String(value);
}
