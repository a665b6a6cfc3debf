// An animated GIF of screenshots. After the first, a frame holds only what changed, so that a still page costs nothing.

import { applyPalette, GIFEncoder, quantize } from "gifenc";
import type { Picture } from "../../../../../../widgets/test/browser/png.ts";

export interface Shot {
  readonly picture: Picture;
  /** How long it is shown. */
  readonly ms: number;
}

/** One colour of a palette is for what stays as it was. */
const mostColours = 255;
const keep = 1;

/** animation answers the GIF's bytes. All pictures have one size. */
export function animation(shots: readonly Shot[]): Uint8Array {
  const gif = GIFEncoder();
  let before: Picture | undefined;
  for (const { picture, ms } of shots) {
    const { width, height } = picture;
    const changed = changedPixels(picture, before);
    const palette = quantize(changed.rgba.subarray(0, 4 * Math.max(1, changed.count)), mostColours);
    const coloured = applyPalette(changed.rgba.subarray(0, 4 * changed.count), palette);
    const index = new Uint8Array(width * height);
    for (let i = 0; i < changed.count; i++) index[changed.at[i]!] = coloured[i]! + 1;
    gif.writeFrame(index, width, height, { palette: [[0, 0, 0], ...palette], delay: ms, transparent: true, transparentIndex: 0, dispose: keep, repeat: 0 });
    before = picture;
  }
  gif.finish();
  return gif.bytes();
}

/** changedPixels answers the colours and the places of what differs from the picture before: the whole first one. */
function changedPixels(picture: Picture, before: Picture | undefined): { rgba: Uint8ClampedArray; at: Uint32Array; count: number } {
  const { width, height } = picture;
  const rgba = new Uint8ClampedArray(4 * width * height);
  const at = new Uint32Array(width * height);
  let count = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [r, g, b] = picture.at(x, y);
      const was = before?.at(x, y);
      if (was !== undefined && was[0] === r && was[1] === g && was[2] === b) continue;
      rgba.set([r, g, b, 255], 4 * count);
      at[count++] = y * width + x;
    }
  }
  return { rgba, at, count };
}
