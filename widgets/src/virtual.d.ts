declare module "virtual:world" {
  export const unitsPerDegree: number;
  /** Polygons of rings of differences: x, y, dx, dy, … in 1/unitsPerDegree. */
  export const land: number[][][];
  export const borders: number[][];
}
