// How each role looks. What lies higher has the larger zIndex.

import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import { between } from "../scene/colour.ts";
import type { AreaShape, LineRole, LineShape, PointShape, SingleShape } from "../scene/scene.ts";
import { disc, inside } from "./marks.ts";
import { pointStyle } from "./points.ts";
import { translucent, type Palette } from "./palette.ts";

/** styleOf answers how a shape is painted; chosen ones stand out, and are painted over the others. */
export function styleOf(shape: SingleShape, palette: Palette, chosen = false): Style | Style[] {
  switch (shape.kind) {
    case "line":
      return lineStyle(shape, palette, chosen);
    case "point":
      return pointStyle(shape, palette, chosen);
    case "area":
      return areaStyle(shape, palette, chosen);
  }
}

function stroke(color: string, width: number, zIndex: number, lineDash?: number[], butt = false): Style {
  return new Style({
    zIndex,
    stroke: new Stroke({
      color,
      width,
      lineCap: butt ? "butt" : "round",
      lineJoin: "round",
      ...(lineDash !== undefined ? { lineDash } : {}),
    }),
  });
}

const delayOrder: readonly LineRole[] = ["delay-unknown", "delay-minor", "delay-moderate", "delay-major"];
const routePx = 5.5;

function lineStyle(shape: LineShape, palette: Palette, chosen: boolean): Style[] {
  const { role, colour, widthPx } = shape;
  const color = colour ?? palette.role[role];
  if (chosen) {
    const width = Math.max(widthPx ?? routePx, routePx) + 1;
    return [stroke(palette.ink, width + 7, 30), stroke(palette.halo, width + 4, 31), stroke(color, width, 32)];
  }
  switch (role) {
    case "alternative":
      return [stroke(palette.alternativeCasing, 7, 0), stroke(color, 4.5, 1)];
    case "route":
      return [stroke(colour === undefined ? palette.casing : palette.halo, 8.5, 2), stroke(color, routePx, 3)];
    case "tunnel":
      return [stroke(color, 2.5, 4, [5, 4], true)];
    case "ferry":
      return [stroke(palette.halo, routePx, 4), stroke(palette.role.route, 3, 4.5, [1, 7])];
    case "toll":
      return [stroke(color, 2.5, 5)];
    case "data":
      return [stroke(palette.halo, (widthPx ?? 3) + 2, 2), stroke(color, widthPx ?? 3, 3)];
    default: {
      const zIndex = 6 + delayOrder.indexOf(role);
      // Round ends keep a short delay on a long route in sight.
      if (shape.alone !== true) return [stroke(color, routePx, zIndex)];
      return [stroke(palette.halo, 7, zIndex), stroke(color, 4.5, zIndex + 0.5)];
    }
  }
}

function areaStyle(shape: AreaShape, palette: Palette, chosen: boolean): Style | Style[] {
  const color = areaColour(shape, palette);
  const edge = shape.role === "boundary" ? palette.role.boundary : (shape.strokeColour ?? color);
  if (chosen) return [stroke(palette.halo, 6, 30), stroke(edge, 3.5, 31)];
  if (shape.role === "boundary") {
    return new Style({
      fill: new Fill({ color: translucent(color, 0.08) }),
      stroke: new Stroke({ color: edge, width: 1.5, lineDash: [6, 5] }),
    });
  }
  const opacity = shape.opacity ?? (shape.role === "range" ? 0.2 : 0.3);
  return new Style({
    // The smaller of two nested areas lies on top.
    zIndex: shape.rank === undefined ? 0 : 1 - shape.rank,
    fill: new Fill({ color: translucent(color, opacity) }),
    stroke: new Stroke({ color: edge, width: shape.strokePx ?? (shape.role === "range" ? 2 : 1.25) }),
  });
}

function areaColour(shape: AreaShape, palette: Palette): string {
  if (shape.colour !== undefined) return shape.colour;
  if (shape.role === "range") return between(palette.ranges[0], palette.ranges[1], shape.rank ?? 0.5);
  return palette.role[shape.role];
}

/** clusterStyle shows how many points there are in the colour of the first: they are of one kind. */
export function clusterStyle(members: readonly PointShape[], palette: Palette): Style[] {
  const count = members.length;
  const color = members[0]?.colour ?? palette.role[members[0]?.role ?? "data"];
  const radius = Math.round(Math.min(26, 12 + 2.5 * Math.log2(count)));
  const numbered = members[0]?.number !== undefined;
  // Beside numbers that count up a list, a number of places has to look like one.
  const text = numbered ? `${count}×` : count < 1000 ? String(count) : `${(count / 1000).toPrecision(2)}k`;
  return [
    new Style({ zIndex: 1500, image: disc(radius + 4, translucent(color, 0.3), "transparent", 0) }),
    new Style({ zIndex: 1501, image: disc(radius, color, palette.ring, 1.5), text: inside(text, palette.onMark) }),
  ];
}
