// The embedded world: land and country borders, so that the map is never an empty frame.

import Feature from "ol/Feature.js";
import LineString from "ol/geom/LineString.js";
import Polygon from "ol/geom/Polygon.js";
import VectorImageLayer from "ol/layer/VectorImage.js";
import VectorSource from "ol/source/Vector.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import { borders, land, unitsPerDegree } from "virtual:world";
import type { Path } from "../scene/scene.ts";
import { projectPath } from "./mercator.ts";
import type { Palette } from "./palette.ts";

/** pathOf sums up differences into degrees. */
export function pathOf(differences: readonly number[], units: number): Path {
  const path = new Float64Array(differences.length);
  let x = 0;
  let y = 0;
  for (let i = 0; i + 1 < differences.length; i += 2) {
    x += differences[i]!;
    y += differences[i + 1]!;
    path[i] = x / units;
    path[i + 1] = y / units;
  }
  return path;
}

function landFeature(rings: readonly (readonly number[])[]): Feature {
  const flat: number[] = [];
  const ends: number[] = [];
  for (const ring of rings) {
    flat.push(...projectPath(pathOf(ring, unitsPerDegree)));
    ends.push(flat.length);
  }
  return new Feature(new Polygon(flat, "XY", ends));
}

export type WorldLayer = VectorImageLayer<VectorSource>;

export function worldLayer(): WorldLayer {
  const features = [
    ...land.map(landFeature),
    ...borders.map((line) => new Feature(new LineString(projectPath(pathOf(line, unitsPerDegree)), "XY"))),
  ];
  return new VectorImageLayer({ source: new VectorSource({ features }), imageRatio: 1.5 });
}

export function paintWorld(layer: WorldLayer, palette: Palette): void {
  const landStyle = new Style({
    fill: new Fill({ color: palette.land }),
    stroke: new Stroke({ color: palette.outline, width: 0.75 }),
  });
  const borderStyle = new Style({ stroke: new Stroke({ color: palette.border, width: 1 }) });
  layer.setStyle((feature) => (feature.getGeometry()?.getType() === "Polygon" ? landStyle : borderStyle));
}
