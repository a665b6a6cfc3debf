declare module "virtual:world" {
  export const unitsPerDegree: number;
  /** Polygons of rings of differences: x, y, dx, dy, … in 1/unitsPerDegree. */
  export const land: number[][][];
  export const borders: number[][];
  /** UN M49 number and the degrees where its name goes, from the largest country to the smallest. */
  export const countries: (readonly [number, number, number])[];
}

declare module "virtual:licences" {
  /** Name, version and licence text of every package of which a part is in the document. */
  export const thirdParty: string;
}
