declare module "virtual:world" {
  export const unitsPerDegree: number;
  /** Polygons of rings of differences: x, y, dx, dy, … in 1/unitsPerDegree. */
  export const land: number[][][];
  export const borders: number[][];
  /** UN M49 number and the degrees where its name goes, from the largest country to the smallest. */
  export const countries: (readonly [number, number, number])[];
}
