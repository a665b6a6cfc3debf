// Stand-in tiles that look like a map: made-up streets, parks and water, equal for equal addresses. Far out they are
// only a few lines on nothing, so that the document's own outlines are seen through them.

import { indexed, type Colour } from "./png.ts";

interface Look {
  readonly land: Colour;
  readonly park: Colour;
  readonly water: Colour;
  readonly street: Colour;
  readonly road: Colour;
}

export const looks: Readonly<Record<"street-light" | "street-dark", Look>> = {
  "street-light": { land: [240, 238, 232], park: [205, 226, 192], water: [168, 208, 226], street: [255, 255, 255], road: [248, 222, 160] },
  "street-dark": { land: [44, 50, 58], park: [42, 62, 54], water: [28, 52, 74], street: [64, 72, 82], road: [98, 92, 70] },
};

const sidePx = 256;
/** Below this zoom a tile is nearly empty. */
const closeZoom = 9;

/** hash answers a number from 0 to 1 that a lattice point always has. */
function hash(x: number, y: number, seed: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ Math.imul(seed, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

/** noise is smooth between the lattice's points, from 0 to 1. */
function noise(x: number, y: number, seed: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const ease = (t: number): number => t * t * (3 - 2 * t);
  const [u, v] = [ease(x - left), ease(y - top)];
  const mix = (a: number, b: number, t: number): number => a + (b - a) * t;
  return mix(
    mix(hash(left, top, seed), hash(left + 1, top, seed), u),
    mix(hash(left, top + 1, seed), hash(left + 1, top + 1, seed), u),
    v,
  );
}

/** field answers a tile's noise, and one row and column more, for the slopes. */
function field(x0: number, y0: number, cellPx: number, seed: number): Float32Array {
  const values = new Float32Array((sidePx + 1) ** 2);
  for (let row = 0; row <= sidePx; row++) {
    for (let column = 0; column <= sidePx; column++) {
      values[row * (sidePx + 1) + column] = noise((x0 + column) / cellPx, (y0 + row) / cellPx, seed);
    }
  }
  return values;
}

/** contour answers for each pixel how far it is, roughly, from where the noise is a half. */
function contour(x0: number, y0: number, cellPx: number, seed: number): (row: number, column: number) => number {
  const values = field(x0, y0, cellPx, seed);
  return (row, column) => {
    const i = row * (sidePx + 1) + column;
    const slope = Math.hypot(values[i + 1]! - values[i]!, values[i + sidePx + 1]! - values[i]!);
    return Math.abs(values[i]! - 0.5) / Math.max(slope, 1e-4);
  };
}

const [land, park, water, street, road, nothing] = [0, 1, 2, 3, 4, 5];

/** paint answers the kind of ground of each pixel of a tile. */
function paint(x0: number, y0: number, close: boolean): Uint8Array {
  const roads = contour(x0, y0, 520, 3);
  const [bank, green] = [field(x0, y0, 1100, 7), field(x0, y0, 170, 19)];
  const streets = close ? [contour(x0, y0, 66, 11), contour(x0, y0, 88, 5)] : [];
  const kinds = new Uint8Array(sidePx * sidePx);
  for (let row = 0; row < sidePx; row++) {
    for (let column = 0; column < sidePx; column++) {
      const i = row * (sidePx + 1) + column;
      let kind = nothing;
      if (roads(row, column) < (close ? 2 : 0.7)) kind = road;
      else if (close && Math.abs(bank[i]! - 0.5) < 0.014) kind = water;
      else if (streets.some((distancePx) => distancePx(row, column) < 1)) kind = street;
      else if (close) kind = green[i]! > 0.74 ? park : land;
      kinds[row * sidePx + column] = kind;
    }
  }
  return kinds;
}

const made = new Map<string, Buffer>();

function doubled(indices: Uint8Array): Uint8Array {
  const side = 2 * sidePx;
  return Uint8Array.from({ length: side * side }, (_, i) => indices[(Math.floor(i / side) >> 1) * sidePx + ((i % side) >> 1)]!);
}

/** dense doubles every pixel, for the screens that ask for it. */
export function mapTile(z: number, x: number, y: number, style: "street-light" | "street-dark", dense: boolean): Buffer {
  const name = `${z}/${x}/${y}/${style}/${dense}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  const indices = paint(x * sidePx, y * sidePx, z >= closeZoom);
  const look = looks[style];
  const palette = [look.land, look.park, look.water, look.street, look.road, look.land];
  const picture = dense ? indexed(doubled(indices), 2 * sidePx, palette, nothing) : indexed(indices, sidePx, palette, nothing);
  made.set(name, picture);
  return picture;
}
