// How each role looks. What lies higher has the larger zIndex.

import CircleStyle from "ol/style/Circle.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import Text from "ol/style/Text.js";
import { between } from "../scene/colour.ts";
import type { AreaShape, LineRole, LineShape, PointShape } from "../scene/scene.ts";
import type { DrawnShape } from "./features.ts";
import type { Palette } from "./palette.ts";

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export function styleOf(shape: DrawnShape, palette: Palette): Style | Style[] {
  switch (shape.kind) {
    case "line":
      return lineStyle(shape, palette);
    case "point":
      return pointStyle(shape, palette);
    case "area":
      return areaStyle(shape, palette);
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

function lineStyle({ role, colour, widthPx, alone }: LineShape, palette: Palette): Style | Style[] {
  const color = colour ?? palette.role[role];
  switch (role) {
    case "alternative":
      return [stroke(palette.alternativeCasing, 6.5, 0), stroke(color, 4.5, 1)];
    case "route":
      return [stroke(colour === undefined ? palette.casing : palette.halo, 8, 2), stroke(color, 5.5, 3)];
    case "tunnel":
      return stroke(color, 3, 4, [5, 4], true);
    case "ferry":
      return stroke(color, 3, 4, [1, 7]);
    case "toll":
      return stroke(color, 2.5, 5);
    case "data":
      return stroke(color, widthPx ?? 3, 3);
    default: {
      const zIndex = 6 + delayOrder.indexOf(role);
      // Round ends keep a short delay on a long route in sight.
      if (alone !== true) return stroke(color, 5.5, zIndex);
      return [stroke(palette.halo, 6.5, zIndex), stroke(color, 5, zIndex + 0.5)];
    }
  }
}

/** translucent writes a plain #rrggbb with an opacity; other notations carry their own. */
function translucent(color: string, opacity: number): string {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return color;
  const alpha = Math.round(opacity * 255);
  return color + alpha.toString(16).padStart(2, "0");
}

function areaStyle(shape: AreaShape, palette: Palette): Style {
  if (shape.role === "boundary") {
    return new Style({
      fill: new Fill({ color: translucent(palette.role.boundary, 0.08) }),
      stroke: new Stroke({ color: palette.role.boundary, width: 1.5, lineDash: [6, 5] }),
    });
  }
  const rangeColor = between(palette.ranges[0], palette.ranges[1], shape.rank ?? 0.5);
  const color = shape.colour ?? (shape.role === "range" ? rangeColor : palette.role.data);
  const opacity = shape.opacity ?? (shape.role === "range" ? 0.28 : 0.3);
  return new Style({
    // The smaller of two nested areas lies on top.
    zIndex: shape.rank === undefined ? 0 : 1 - shape.rank,
    fill: new Fill({ color: translucent(color, opacity) }),
    stroke: new Stroke({ color, width: shape.role === "range" ? 1.75 : 1.25 }),
  });
}

function disc(radius: number, color: string, ring: string, ringPx: number): CircleStyle {
  return new CircleStyle({
    radius,
    fill: new Fill({ color }),
    stroke: new Stroke({ color: ring, width: ringPx }),
    declutterMode: "none",
  });
}

function pointStyle(shape: PointShape, palette: Palette): Style | Style[] {
  const color = shape.colour ?? palette.role[shape.role];
  const label = shape.label === undefined ? undefined : labelText(shape, palette);
  const withText = label === undefined ? {} : { text: label };
  switch (shape.role) {
    case "label":
      return new Style(withText);
    case "start":
    case "via":
      return new Style({ zIndex: 20, image: disc(shape.role === "start" ? 6 : 5, palette.halo, color, 3.5), ...withText });
    case "end":
      return [
        new Style({ zIndex: 21, image: disc(9, color, "#ffffff", 2), ...withText }),
        new Style({ zIndex: 22, image: disc(2.5, "#ffffff", "#ffffff", 0.5) }),
      ];
    case "charge":
      return new Style({ zIndex: 20, image: disc(9, color, "#ffffff", 2), text: inside("⚡") });
    case "border":
      return new Style({ zIndex: 18, image: disc(4, palette.halo, color, 2) });
    case "place":
      return placeStyle(shape, color, withText);
    default:
      return new Style({ zIndex: 10, image: disc(shape.radiusPx ?? 6, color, palette.halo, 1.5), ...withText });
  }
}

/** Of places that crowd, the first of the list is on top. */
function placeStyle({ number }: PointShape, color: string, withText: { text?: Text }): Style {
  const zIndex = 1000 - Math.min(900, number ?? 900);
  if (number === undefined || number > 99) return new Style({ zIndex, image: disc(7, color, "#ffffff", 2), ...withText });
  return new Style({ zIndex, image: disc(11, color, "#ffffff", 2), text: inside(String(number)) });
}

function inside(text: string): Text {
  return new Text({ text, font: `600 11px ${font}`, fill: new Fill({ color: "#ffffff" }), declutterMode: "none", offsetY: 0.5 });
}

function labelText({ label, role }: PointShape, palette: Palette): Text {
  return new Text({
    text: label ?? "",
    font: `600 12px ${font}`,
    fill: new Fill({ color: palette.ink }),
    stroke: new Stroke({ color: palette.halo, width: 3.5 }),
    offsetY: role === "label" ? 0 : 18,
    declutterMode: "declutter",
  });
}

export function clusterStyle(count: number, palette: Palette): Style {
  return new Style({
    image: disc(Math.min(26, 11 + 3 * Math.log2(count)), palette.role.data, palette.halo, 2),
    text: inside(String(count)),
  });
}
