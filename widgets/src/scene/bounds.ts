// Bounds of shapes.

import type { Bounds, Path, Shape } from "./scene.ts";

class Growing {
  west = Infinity;
  south = Infinity;
  east = -Infinity;
  north = -Infinity;

  point(lon: number, lat: number): void {
    if (lon < this.west) this.west = lon;
    if (lon > this.east) this.east = lon;
    if (lat < this.south) this.south = lat;
    if (lat > this.north) this.north = lat;
  }

  path(path: Path, stride: number): void {
    for (let i = 0; i + 1 < path.length; i += stride) this.point(path[i]!, path[i + 1]!);
  }

  shape(shape: Shape): void {
    switch (shape.kind) {
      case "line":
        this.path(shape.path, 2);
        break;
      case "point":
        this.point(shape.lon, shape.lat);
        break;
      case "area":
        for (const rings of shape.polygons) if (rings[0] !== undefined) this.path(rings[0], 2);
        break;
      case "cluster":
        for (const point of shape.points) this.point(point.lon, point.lat);
        break;
      case "heat":
        this.path(shape.points, 3);
    }
  }
}

/** boundsOf answers undefined where there is nothing to see. */
export function boundsOf(shapes: readonly Shape[]): Bounds | undefined {
  const grown = new Growing();
  for (const shape of shapes) grown.shape(shape);
  if (grown.west > grown.east) return undefined;
  return { west: grown.west, south: grown.south, east: grown.east, north: grown.north };
}
