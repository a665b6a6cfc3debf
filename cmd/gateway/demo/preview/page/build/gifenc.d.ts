// What the animation uses of gifenc, which comes without types.
declare module "gifenc" {
  export type Palette = readonly (readonly [number, number, number])[];
  export interface Encoder {
    writeFrame(index: Uint8Array, width: number, height: number, options: { palette: Palette; delay: number; transparent?: boolean; transparentIndex?: number; dispose?: number; repeat?: number }): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  export function GIFEncoder(): Encoder;
  export function quantize(rgba: Uint8ClampedArray, most: number): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette): Uint8Array;
}
