// Degrees into the Web Mercator metres that the map is drawn in.

import type { Bounds, Path } from "../scene/scene.ts";

const radiusM = 6378137;
/** Where the square map ends. */
const maxLat = 85.0511287798;
/** The square map's width, in its metres. */
export const worldM = 2 * Math.PI * radiusM;

export function projectX(lon: number): number {
  return radiusM * lon * (Math.PI / 180);
}

export function projectY(lat: number): number {
  const clamped = Math.max(-maxLat, Math.min(maxLat, lat));
  return radiusM * Math.log(Math.tan(Math.PI / 4 + (clamped * Math.PI) / 360));
}

/** projectPath answers x, y, x, y, …; the path is not changed. */
export function projectPath(path: Path): number[] {
  const flat = new Array<number>(path.length);
  for (let i = 0; i + 1 < path.length; i += 2) {
    flat[i] = projectX(path[i]!);
    flat[i + 1] = projectY(path[i + 1]!);
  }
  return flat;
}

/** projectBounds answers [west, south, east, north]. */
export function projectBounds({ west, south, east, north }: Bounds): number[] {
  return [projectX(west), projectY(south), projectX(east), projectY(north)];
}

export function lonOf(x: number): number {
  return (x / radiusM) * (180 / Math.PI);
}

export function latOf(y: number): number {
  return (2 * Math.atan(Math.exp(y / radiusM)) - Math.PI / 2) * (180 / Math.PI);
}

/** boundsOfExtent is the way back of projectBounds. */
export function boundsOfExtent(extent: readonly number[]): Bounds {
  const [west = 0, south = 0, east = 0, north = 0] = extent;
  return { west: lonOf(west), south: latOf(south), east: lonOf(east), north: latOf(north) };
}

/** groundMPerPx is what a pixel covers at a latitude: the map's metres are longer towards the poles. */
export function groundMPerPx(resolution: number, y: number): number {
  return resolution * Math.cos((latOf(y) * Math.PI) / 180);
}
