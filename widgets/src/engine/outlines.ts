// Land and country borders, painted straight onto a canvas: made into features, the whole world would take longer to
// paint than any route.

import ImageLayer from "ol/layer/Image.js";
import ImageCanvasSource from "ol/source/ImageCanvas.js";
import { borders, land, unitsPerDegree } from "virtual:world";
import { projectX, projectY, worldM } from "./mercator.ts";
import type { Palette } from "./palette.ts";

/** How much more than the frame is painted, so that the map can be moved a little without painting anew. */
const ratio = 1.5;
/** Steps shorter than this are not seen. */
const leastStepPx = 0.6;

/** A ring or a line in the map's metres, and the box around it. */
interface Outline {
  /** x, y, x, y, … */
  readonly flat: Float64Array;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** outlineOf sums up differences, in 1/units of a degree, and projects the sums. */
export function outlineOf(differences: readonly number[], units: number): Outline {
  const flat = new Float64Array(differences.length);
  let lon = 0;
  let lat = 0;
  let west = Infinity;
  let south = Infinity;
  let east = -Infinity;
  let north = -Infinity;
  for (let i = 0; i + 1 < differences.length; i += 2) {
    lon += differences[i]!;
    lat += differences[i + 1]!;
    const x = (flat[i] = projectX(lon / units));
    const y = (flat[i + 1] = projectY(lat / units));
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  }
  return { flat, west, south, east, north };
}

interface World {
  readonly land: readonly Outline[];
  readonly borders: readonly Outline[];
}

let world: World | undefined;

/** outlines are worked out when they are first painted. */
function outlines(): World {
  const made = (line: readonly number[]): Outline => outlineOf(line, unitsPerDegree);
  return (world ??= { land: land.flat().map(made), borders: borders.map(made) });
}

/** Sheet is a canvas and the part of the map that it shows, with one copy of the world moved by shiftM. */
class Sheet {
  constructor(
    readonly context: CanvasRenderingContext2D,
    readonly extent: readonly [number, number, number, number],
    readonly pixelsPerM: number,
  ) {}

  /** begin starts a path of those outlines that are in sight. */
  begin(lines: readonly Outline[], shiftM: number, closed: boolean): void {
    const [west, south, east, north] = this.extent;
    this.context.beginPath();
    for (const line of lines) {
      const isSeen = line.east + shiftM > west && line.west + shiftM < east && line.north > south && line.south < north;
      if (isSeen) this.#trace(line.flat, shiftM, closed);
    }
  }

  #trace(flat: Float64Array, shiftM: number, closed: boolean): void {
    const { context, pixelsPerM } = this;
    const [west, , , north] = this.extent;
    let beforeX = Infinity;
    let beforeY = Infinity;
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const x = (flat[i]! + shiftM - west) * pixelsPerM;
      const y = (north - flat[i + 1]!) * pixelsPerM;
      const isEnd = i === 0 || i + 2 === flat.length;
      if (!isEnd && Math.abs(x - beforeX) + Math.abs(y - beforeY) < leastStepPx) continue;
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
      beforeX = x;
      beforeY = y;
    }
    if (closed) context.closePath();
  }
}

export class Outlines {
  readonly layer: ImageLayer<ImageCanvasSource>;
  readonly #source: ImageCanvasSource;
  #palette: Palette;

  constructor(palette: Palette) {
    this.#palette = palette;
    this.#source = new ImageCanvasSource({
      ratio,
      canvasFunction: (extent, resolution, pixelRatio, [width = 1, height = 1]) => {
        const canvas = document.createElement("canvas");
        canvas.width = Math.max(1, Math.round(width));
        canvas.height = Math.max(1, Math.round(height));
        this.#paint(canvas, extent as [number, number, number, number], pixelRatio, resolution);
        return canvas;
      },
    });
    this.layer = new ImageLayer({ source: this.#source });
  }

  setPalette(palette: Palette): void {
    this.#palette = palette;
    this.#source.changed();
  }

  #paint(canvas: HTMLCanvasElement, extent: [number, number, number, number], pixelRatio: number, resolution: number): void {
    const context = canvas.getContext("2d");
    // A browser that is out of canvases leaves water everywhere: what lies over it may still be drawn.
    if (context === null) return;
    const { land: landColour, outline, border } = this.#palette;
    const all = outlines();
    const sheet = new Sheet(context, extent, pixelRatio / resolution);
    context.lineJoin = "round";
    const copyAt = (x: number): number => Math.floor(x / worldM + 0.5);
    for (let copy = copyAt(extent[0]); copy <= copyAt(extent[2]); copy++) {
      sheet.begin(all.land, copy * worldM, true);
      context.fillStyle = landColour;
      context.fill("evenodd");
      context.strokeStyle = outline;
      context.lineWidth = 0.75 * pixelRatio;
      context.stroke();
      sheet.begin(all.borders, copy * worldM, false);
      context.strokeStyle = border;
      context.lineWidth = pixelRatio;
      context.stroke();
    }
  }
}
