// What lies under a pointer: marks before lines before areas, and more generously under a finger.

import type Feature from "ol/Feature.js";
import type OLMap from "ol/Map.js";
import type BaseLayer from "ol/layer/Base.js";
import type { Detail, PointShape, SingleShape } from "../scene/scene.ts";
import { membersOf, shapeOf } from "./features.ts";
import { pile } from "./layers.ts";

export type Hit =
  | { readonly kind: "shape"; readonly shape: SingleShape; readonly detail: Detail }
  | { readonly kind: "cluster"; readonly members: readonly PointShape[]; readonly detail: Detail | undefined };

const mousePx = 5;
const fingerPx = 14;

/** Each step looks at the layers of some places in the pile. Areas are hit only where they are. */
const steps: readonly { readonly from: number; readonly to: number; readonly tolerant: boolean }[] = [
  { from: pile.points, to: pile.chosenPoint, tolerant: true },
  { from: pile.lines, to: pile.chosenLine, tolerant: true },
  { from: pile.areas, to: pile.areas, tolerant: false },
];

export function hitAt(map: OLMap, pixel: number[], byFinger: boolean): Hit | undefined {
  for (const { from, to, tolerant } of steps) {
    const hit = map.forEachFeatureAtPixel(pixel, (feature, layer) => hitOf(feature as Feature, layer), {
      hitTolerance: tolerant ? (byFinger ? fingerPx : mousePx) : 0,
      layerFilter: (layer) => within(layer, from, to),
    });
    if (hit !== undefined) return hit;
  }
  return undefined;
}

/** overMark tells whether a pointer is over a mark: cheap enough to be asked at every move. */
export function overMark(map: OLMap, pixel: number[]): boolean {
  const [{ from, to }] = steps as [(typeof steps)[number]];
  return map.hasFeatureAtPixel(pixel, { hitTolerance: 2, layerFilter: (layer) => within(layer, from, to) });
}

function within(layer: BaseLayer, from: number, to: number): boolean {
  const place = layer.getZIndex() ?? 0;
  return place >= from && place <= to;
}

function hitOf(feature: Feature, layer: BaseLayer | null): Hit | undefined {
  const members = membersOf(feature);
  if (members.length > 1) {
    const shapes = members.map((member) => shapeOf(member) as PointShape);
    const tell = layer?.get("tell") as ((of: readonly PointShape[]) => Detail) | undefined;
    return { kind: "cluster", members: shapes, detail: tell?.(shapes) };
  }
  const shape = shapeOf(members[0] ?? feature);
  return shape?.detail === undefined ? undefined : { kind: "shape", shape, detail: shape.detail };
}
