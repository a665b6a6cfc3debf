// Pictures as PNG: stand-in tiles are written with few colours, screenshots are read back to count theirs.

import { crc32, deflateSync, inflateSync } from "node:zlib";

export type Colour = readonly [number, number, number];

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** indexed writes a square picture of at most 256 colours; indices are row by row, clear is the index that is not seen. */
export function indexed(indices: Uint8Array, size: number, palette: readonly Colour[], clear?: number): Buffer {
  const rows = Buffer.alloc(size * (1 + size));
  for (let y = 0; y < size; y++) rows.set(indices.subarray(y * size, (y + 1) * size), y * (1 + size) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const parts = [signature, chunk("IHDR", header), chunk("PLTE", Buffer.from(palette.flat()))];
  if (clear !== undefined) {
    const alpha = Buffer.alloc(palette.length, 255);
    alpha[clear] = 0;
    parts.push(chunk("tRNS", alpha));
  }
  return Buffer.concat([...parts, chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

/** tile is a picture of one colour with a line along two edges. */
export function tile(colour: Colour, edge: Colour, size = 256): Buffer {
  const indices = new Uint8Array(size * size);
  for (let i = 0; i < size; i++) indices[i] = indices[i * size] = 1;
  return indexed(indices, size, [colour, edge]);
}

/** Picture is a screenshot: 8 bits a channel, three or four channels, not interlaced. */
export class Picture {
  readonly width: number;
  readonly height: number;
  readonly #channels: number;
  readonly #pixels: Uint8Array;

  constructor(png: Buffer) {
    const data: Buffer[] = [];
    let header: Buffer | undefined;
    for (let at = signature.length; at < png.length; ) {
      const length = png.readUInt32BE(at);
      const type = png.toString("latin1", at + 4, at + 8);
      const body = png.subarray(at + 8, at + 8 + length);
      if (type === "IHDR") header = body;
      if (type === "IDAT") data.push(body);
      at += 12 + length;
    }
    if (header === undefined || header[8] !== 8 || (header[9] !== 2 && header[9] !== 6) || header[12] !== 0) {
      throw new Error("a screenshot of an unknown kind");
    }
    this.width = header.readUInt32BE(0);
    this.height = header.readUInt32BE(4);
    this.#channels = header[9] === 6 ? 4 : 3;
    this.#pixels = unfiltered(inflateSync(Buffer.concat(data)), this.width * this.#channels, this.height, this.#channels);
  }

  at(x: number, y: number): Colour {
    const i = (y * this.width + x) * this.#channels;
    return [this.#pixels[i]!, this.#pixels[i + 1]!, this.#pixels[i + 2]!];
  }

  /** count answers how many pixels are within a distance (summed over the channels) of a colour. */
  count([r, g, b]: Colour, distance = 24): number {
    let count = 0;
    for (let i = 0; i < this.#pixels.length; i += this.#channels) {
      const off =
        Math.abs(this.#pixels[i]! - r) + Math.abs(this.#pixels[i + 1]! - g) + Math.abs(this.#pixels[i + 2]! - b);
      if (off <= distance) count++;
    }
    return count;
  }

  /** colours answers how many different colours there are: one for a blank frame. */
  colours(): number {
    const seen = new Set<number>();
    for (let i = 0; i < this.#pixels.length; i += this.#channels) {
      seen.add((this.#pixels[i]! << 16) | (this.#pixels[i + 1]! << 8) | this.#pixels[i + 2]!);
    }
    return seen.size;
  }
}

/** unfiltered takes the row filters of PNG back. */
function unfiltered(raw: Uint8Array, stride: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!;
    const from = y * (stride + 1) + 1;
    const to = y * stride;
    for (let x = 0; x < stride; x++) {
      const left = x >= step ? out[to + x - step]! : 0;
      const up = y > 0 ? out[to + x - stride]! : 0;
      const corner = x >= step && y > 0 ? out[to + x - stride - step]! : 0;
      out[to + x] = raw[from + x]! + predicted(filter, left, up, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const sum = left + up - corner;
      const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
      return a <= b && a <= c ? left : b <= c ? up : corner;
    }
    default:
      return 0;
  }
}

/** rgb reads #rrggbb. */
export function rgb(hex: string): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
