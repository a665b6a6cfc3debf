// Density of points, painted on a canvas: WebGL is not to be had under every host's policy.

import ImageLayer from "ol/layer/Image.js";
import ImageCanvasSource from "ol/source/ImageCanvas.js";
import { heatColours } from "../scene/colour.ts";
import type { HeatShape } from "../scene/scene.ts";
import { projectX, projectY } from "./mercator.ts";

const radiusPx = 22;
const peakAlpha = 0.35;
/** From few to many. */
const places = [0.2, 0.45, 0.65, 0.82, 1] as const;
const stops: readonly (readonly [number, string])[] = [
  [0, "rgba(67, 147, 195, 0)"],
  ...heatColours.map((colour, i): [number, string] => [places[i]!, colour]),
];

export function heatLayer(shape: HeatShape): ImageLayer<ImageCanvasSource> {
  const source = new ImageCanvasSource({
    ratio: 1.5,
    canvasFunction: (extent, resolution, pixelRatio, size) => paint(shape, extent, resolution, pixelRatio, size),
  });
  return new ImageLayer({ source, opacity: 0.85 });
}

function canvasOf(width: number, height: number): [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("no 2d canvas");
  return [canvas, context];
}

function paint(
  shape: HeatShape,
  extent: readonly number[],
  resolution: number,
  pixelRatio: number,
  size: readonly number[],
): HTMLCanvasElement {
  const [canvas, context] = canvasOf(size[0]!, size[1]!);
  const radius = radiusPx * pixelRatio;
  const stamp = blob(radius);
  const [west, , , north] = extent as [number, number, number, number];
  const pixelsPerM = pixelRatio / resolution;
  for (let i = 0; i + 2 < shape.points.length; i += 3) {
    const x = (projectX(shape.points[i]!) - west) * pixelsPerM;
    const y = (north - projectY(shape.points[i + 1]!)) * pixelsPerM;
    if (x < -radius || y < -radius || x > canvas.width + radius || y > canvas.height + radius) continue;
    context.globalAlpha = Math.min(1, shape.points[i + 2]! * peakAlpha * shape.intensity);
    context.drawImage(stamp, x - radius, y - radius);
  }
  colour(canvas, context);
  return canvas;
}

function blob(radius: number): HTMLCanvasElement {
  const [canvas, context] = canvasOf(2 * radius, 2 * radius);
  const fade = context.createRadialGradient(radius, radius, 0, radius, radius, radius);
  fade.addColorStop(0, "rgba(0, 0, 0, 1)");
  fade.addColorStop(1, "rgba(0, 0, 0, 0)");
  context.fillStyle = fade;
  context.fillRect(0, 0, 2 * radius, 2 * radius);
  return canvas;
}

/** Below this the densest spot is not painted as if it were dense. */
const leastPeak = 110;

/** colour trades each pixel's alpha, the density, for a colour; the densest spot in sight gets the last one. */
function colour(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D): void {
  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  const scale = ramp();
  const { data } = image;
  let peak = leastPeak;
  for (let i = 3; i < data.length; i += 4) if (data[i]! > peak) peak = data[i]!;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 0) continue;
    const density = Math.round((data[i + 3]! * 255) / peak);
    data[i] = scale[4 * density]!;
    data[i + 1] = scale[4 * density + 1]!;
    data[i + 2] = scale[4 * density + 2]!;
    data[i + 3] = scale[4 * density + 3]!;
  }
  context.putImageData(image, 0, 0);
}

let made: Uint8ClampedArray | undefined;

function ramp(): Uint8ClampedArray {
  if (made !== undefined) return made;
  const [, context] = canvasOf(256, 1);
  const line = context.createLinearGradient(0, 0, 256, 0);
  for (const [where, stopColour] of stops) line.addColorStop(where, stopColour);
  context.fillStyle = line;
  context.fillRect(0, 0, 256, 1);
  made = context.getImageData(0, 0, 256, 1).data;
  return made;
}
