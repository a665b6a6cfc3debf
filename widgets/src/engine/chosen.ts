// What is chosen, painted over the rest, and the spot on the map that its box points at.

import type OLMap from "ol/Map.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import type { SingleShape } from "../scene/scene.ts";
import { featureOf, shapeOf } from "./features.ts";
import { pile } from "./layers.ts";
import { projectX, projectY } from "./mercator.ts";
import type { Palette } from "./palette.ts";
import { styleOf } from "./style.ts";

/** A whole route is told by lying on top; painted over, it would hide its own delays. */
function isPainted(shape: SingleShape): boolean {
  return shape.kind !== "line" || (shape.role !== "route" && shape.role !== "alternative");
}

export class Chosen {
  readonly #source = new VectorSource();
  readonly layer: VectorLayer<VectorSource>;
  #anchor: number[] | undefined;
  #shapes: readonly SingleShape[] = [];

  constructor(palette: () => Palette) {
    this.layer = new VectorLayer({
      source: this.#source,
      style: (feature) => styleOf(shapeOf(feature)!, palette(), true),
      declutter: true,
    });
  }

  /** set takes the shapes, and the spot in degrees; undefined ends the choice. */
  set(shapes: readonly SingleShape[], anchor: readonly [number, number] | undefined): void {
    this.#anchor = anchor === undefined ? undefined : [projectX(anchor[0]), projectY(anchor[1])];
    this.#put(shapes);
  }

  /** replace trades what is chosen for its like, which is at the same spot. */
  replace(twin: (shape: SingleShape) => SingleShape | undefined): void {
    this.#put(this.#shapes.flatMap((shape) => twin(shape) ?? []));
  }

  #put(shapes: readonly SingleShape[]): void {
    this.#shapes = shapes;
    this.#source.clear();
    this.#source.addFeatures(shapes.filter(isPainted).map(featureOf));
    this.layer.setZIndex(shapes.some(({ kind }) => kind === "point") ? pile.chosenPoint : pile.chosenLine);
  }

  /** pixel is undefined where nothing is chosen, and where the spot lies outside the frame. */
  pixel(map: OLMap): { x: number; y: number } | undefined {
    if (this.#anchor === undefined) return undefined;
    const [x, y] = map.getPixelFromCoordinate(this.#anchor) ?? [];
    const [width = 0, height = 0] = map.getSize() ?? [];
    if (x === undefined || y === undefined || x < 0 || y < 0 || x > width || y > height) return undefined;
    return { x, y };
  }
}
