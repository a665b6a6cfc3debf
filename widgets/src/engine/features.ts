// Shapes into the features that OpenLayers draws.

import Feature from "ol/Feature.js";
import LineString from "ol/geom/LineString.js";
import MultiPolygon from "ol/geom/MultiPolygon.js";
import Point from "ol/geom/Point.js";
import Polygon from "ol/geom/Polygon.js";
import type { SingleShape } from "../scene/scene.ts";
import { projectPath, projectX, projectY } from "./mercator.ts";

const shapeKey = "shape";


export function featureOf(shape: SingleShape): Feature {
  const feature = new Feature(geometryOf(shape));
  feature.set(shapeKey, shape, true);
  return feature;
}

export function shapeOf(feature: { get(key: string): unknown }): SingleShape | undefined {
  return feature.get(shapeKey) as SingleShape | undefined;
}

/** membersOf answers the features that a cluster's mark stands for; none for any other feature. */
export function membersOf(feature: { get(key: string): unknown }): readonly Feature[] {
  const members = feature.get("features");
  return Array.isArray(members) ? (members as Feature[]) : [];
}

export function vertices(shape: SingleShape): number {
  switch (shape.kind) {
    case "line":
      return shape.path.length / 2;
    case "point":
      return 1;
    case "area":
      return shape.polygons.flat().reduce((sum, ring) => sum + ring.length / 2, 0);
  }
}

/** anchorOf is where a box that tells about the shape points at: degrees. */
export function anchorOf(shape: SingleShape): readonly [number, number] {
  switch (shape.kind) {
    case "point":
      return [shape.lon, shape.lat];
    case "line": {
      const middle = 2 * Math.floor(shape.path.length / 4);
      return [shape.path[middle]!, shape.path[middle + 1]!];
    }
    case "area": {
      // The northernmost vertex lies on the outline for sure; a middle may lie in a hole.
      const outside = shape.polygons[0]?.[0] ?? Float64Array.of(0, 0);
      let top = 0;
      for (let i = 2; i + 1 < outside.length; i += 2) if (outside[i + 1]! > outside[top + 1]!) top = i;
      return [outside[top]!, outside[top + 1]!];
    }
  }
}

function geometryOf(shape: SingleShape): LineString | Point | Polygon | MultiPolygon {
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
