// From a scene to layers, from the bottom up: areas, lines, density, points.

import type Feature from "ol/Feature.js";
import type BaseLayer from "ol/layer/Base.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorImageLayer from "ol/layer/VectorImage.js";
import Cluster from "ol/source/Cluster.js";
import VectorSource from "ol/source/Vector.js";
import type { ClusterShape, PointShape, Scene, SingleShape } from "../scene/scene.ts";
import { featureOf, membersOf, shapeOf, vertices } from "./features.ts";
import { heatLayer } from "./heat.ts";
import type { Palette } from "./palette.ts";
import { clusterStyle, styleOf } from "./style.ts";

/** From this many vertices on, a picture of the lines is moved while the map moves, and painted anew afterwards. */
const longVertices = 4000;
/** So many points have no room for labels; they are painted like lines. */
const crowdedPoints = 1500;
/** How much more than the frame such a picture holds. */
const imageRatio = 2;

/** Layers' places in the pile. What is chosen lies over its kind: lines under points, points over all. */
export const pile = { areas: 1, lines: 2, density: 3, chosenLine: 4, points: 5, chosenPoint: 6 } as const;

export type PickLayer = BaseLayer;

/** layersOf reads the palette when it paints, so that a new theme needs no new layers. */
export function layersOf(scene: Scene, palette: () => Palette): BaseLayer[] {
  const features: Record<SingleShape["kind"], Feature[]> = { area: [], line: [], point: [] };
  const layers: BaseLayer[] = [];
  let count = 0;
  for (const shape of scene.shapes) {
    if (shape.kind === "heat") layers.push(placed(heatLayer(shape), pile.density));
    else if (shape.kind === "cluster") layers.push(placed(clusterLayer(shape, palette), pile.points));
    else {
      features[shape.kind].push(featureOf(shape));
      if (shape.kind !== "point") count += vertices(shape);
    }
  }
  const style = (feature: { get(key: string): unknown }): ReturnType<typeof styleOf> => styleOf(shapeOf(feature)!, palette());
  const flat = (list: Feature[], zIndex: number, long: boolean): void => {
    if (list.length === 0) return;
    const source = new VectorSource({ features: list });
    layers.push(placed(long ? new VectorImageLayer({ source, style, imageRatio }) : new VectorLayer({ source, style }), zIndex));
  };
  flat(features.area, pile.areas, count > longVertices);
  flat(features.line, pile.lines, count > longVertices);
  if (features.point.length > crowdedPoints) flat(features.point, pile.points, true);
  else if (features.point.length > 0) {
    const source = new VectorSource({ features: features.point });
    layers.push(placed(new VectorLayer({ source, style, declutter: true }), pile.points));
  }
  return layers;
}

function placed<Layer extends BaseLayer>(layer: Layer, zIndex: number): Layer {
  layer.setZIndex(zIndex);
  return layer;
}

function clusterLayer(shape: ClusterShape, palette: () => Palette): BaseLayer {
  const source = new VectorSource({ features: shape.points.map(featureOf) });
  return new VectorLayer({
    source: new Cluster({ source, distance: shape.radiusPx }),
    declutter: true,
    properties: { tell: shape.tell },
    style: (feature) => {
      const members = membersOf(feature).map((member) => shapeOf(member) as PointShape);
      return members.length === 1 ? styleOf(members[0]!, palette()) : clusterStyle(members, palette());
    },
  });
}
