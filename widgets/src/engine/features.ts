// Shapes into the features that OpenLayers draws.

import Feature from "ol/Feature.js";
import LineString from "ol/geom/LineString.js";
import MultiPolygon from "ol/geom/MultiPolygon.js";
import Point from "ol/geom/Point.js";
import Polygon from "ol/geom/Polygon.js";
import type { AreaShape, LineShape, PointShape } from "../scene/scene.ts";
import { projectPath, projectX, projectY } from "./mercator.ts";

const shapeKey = "shape";

export type DrawnShape = LineShape | PointShape | AreaShape;

export function featureOf(shape: DrawnShape): Feature {
  const feature = new Feature(geometryOf(shape));
  feature.set(shapeKey, shape, true);
  return feature;
}

export function shapeOf(feature: { get(key: string): unknown }): DrawnShape | undefined {
  return feature.get(shapeKey) as DrawnShape | undefined;
}

function geometryOf(shape: DrawnShape): LineString | Point | Polygon | MultiPolygon {
  switch (shape.kind) {
    case "line":
      return new LineString(projectPath(shape.path), "XY");
    case "point":
      return new Point([projectX(shape.lon), projectY(shape.lat)]);
    case "area": {
      const flat: number[] = [];
      const ends: number[][] = [];
      for (const rings of shape.polygons) {
        ends.push([]);
        for (const ring of rings) {
          for (const value of projectPath(ring)) flat.push(value);
          ends.at(-1)!.push(flat.length);
        }
      }
      return ends.length === 1 ? new Polygon(flat, "XY", ends[0]!) : new MultiPolygon(flat, "XY", ends);
    }
  }
}
