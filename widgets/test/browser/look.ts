// Where on a picture something is.

import type { Colour, Picture } from "./png.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** middleOf answers the mean place of a colour within a box, and how many pixels have it. */
export function middleOf(picture: Picture, [r, g, b]: Colour, box: Box, distance = 24): { x: number; y: number; count: number } {
  let [x, y, count] = [0, 0, 0];
  for (let row = Math.ceil(box.y); row < Math.min(picture.height, box.y + box.height); row++) {
    for (let column = Math.ceil(box.x); column < Math.min(picture.width, box.x + box.width); column++) {
      const [red, green, blue] = picture.at(column, row);
      if (Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b) > distance) continue;
      x += column;
      y += row;
      count++;
    }
  }
  return { x: x / count, y: y / count, count };
}
