// How points look: rings for where a route begins, drops and numbers for places, signs for what to look out for.

import Style from "ol/style/Style.js";
import type { PointShape } from "../scene/scene.ts";
import { disc, inside, label, pin, pinCentrePx } from "./marks.ts";
import { translucent, type Palette } from "./palette.ts";

export function pointStyle(shape: PointShape, palette: Palette, chosen: boolean): Style[] {
  const color = shape.colour ?? palette.role[shape.as ?? shape.role];
  const zIndex = chosen ? 2000 : zIndexOf(shape);
  switch (shape.role) {
    case "label":
      return labelled(shape, palette, zIndex, 0);
    case "start":
    case "via": {
      const radius = (shape.role === "start" ? 6 : 5) + (chosen ? 2 : 0);
      return [new Style({ zIndex, image: disc(radius, palette.halo, color, 3.5) }), ...labelled(shape, palette, zIndex, radius)];
    }
    case "end":
      return [
        new Style({ zIndex, image: pin(color, palette.ring, chosen ? 1.2 : 1) }),
        new Style({ zIndex, text: inside("●", palette.onMark, pinCentrePx) }),
        ...labelled(shape, palette, zIndex, pinTipPx),
      ];
    case "charge":
      return [mark(chosen ? 13 : 10, color, palette, zIndex, "⚡"), ...labelled(shape, palette, zIndex, 11)];
    case "border":
      return [new Style({ zIndex, image: disc(chosen ? 6 : 4, palette.halo, color, 2) }), ...labelled(shape, palette, zIndex, 6)];
    case "turn":
      // A route has hundreds of them.
      return chosen ? [new Style({ zIndex, image: disc(6, palette.halo, color, 3) })] : [];
    case "place":
      return place(shape, color, palette, zIndex, chosen);
    case "incident":
      return [incident(shape, color, palette, zIndex, chosen)];
    default:
      return [mark((shape.radiusPx ?? 6) + (chosen ? 3 : 0), sized(shape, color), palette, zIndex), ...labelled(shape, palette, zIndex, (shape.radiusPx ?? 6) + 1)];
  }
}

/** sized lets what lies under large circles be seen. */
function sized({ radiusPx }: PointShape, color: string): string {
  return radiusPx === undefined ? color : translucent(color, 0.85);
}

const order = { end: 22, charge: 21, start: 20, via: 19, border: 18, turn: 17, incident: 12, data: 10, place: 100, label: 5 };

/** Of places that crowd, the first of the list is on top. */
function zIndexOf({ role, number, priority }: PointShape): number {
  if (role === "place" && number !== undefined) return 1000 - Math.min(890, number);
  return order[role] + (priority ?? 0) / 100;
}

function mark(radius: number, color: string, palette: Palette, zIndex: number, sign?: string): Style {
  const image = disc(radius, color, palette.ring, radius > 8 ? 2 : 1.5);
  return new Style({ zIndex, image, ...(sign !== undefined ? { text: inside(sign, palette.onMark) } : {}) });
}

/** Incidents that crowd are seen as lines; the worst of them keep their marks. */
function incident({ sign }: PointShape, color: string, palette: Palette, zIndex: number, chosen: boolean): Style {
  const image = disc(chosen ? 12 : 8.5, color, palette.ring, 2, chosen ? "none" : "declutter");
  return new Style({ zIndex, image, ...(sign === undefined ? {} : { text: inside(sign, palette.onMark, 0.5, chosen ? "none" : "declutter") }) });
}

function place(shape: PointShape, color: string, palette: Palette, zIndex: number, chosen: boolean): Style[] {
  const { number } = shape;
  if (number === undefined) {
    return [
      new Style({ zIndex, image: pin(color, palette.ring, chosen ? 1.2 : 1) }),
      new Style({ zIndex, text: inside("●", palette.onMark, chosen ? 1.2 * pinCentrePx : pinCentrePx) }),
      ...labelled(shape, palette, zIndex, pinTipPx),
    ];
  }
  const radius = chosen ? 14 : 11;
  return [mark(radius, color, palette, zIndex, number > 999 ? undefined : String(number)), ...labelled(shape, palette, zIndex, radius + 1)];
}

/** How far a mark reaches below its spot; a pin's tip does not. */
const pinTipPx = 1;
/** What a label's own edge takes: touching its own mark, it would give way to it. */
const clearPx = 5;

/**
 * labelled puts the name under the mark, which reaches so far down; a lone label is its own middle. Of what is
 * decluttered the higher goes first: every mark has to lie higher than every label, or labels would cover marks.
 */
function labelled({ label: text, role }: PointShape, palette: Palette, zIndex: number, reachPx: number): Style[] {
  if (text === undefined) return [];
  const under = role === "label" ? {} : { offsetY: reachPx + clearPx };
  return [new Style({ zIndex: zIndex / 10_000, text: label(text, { ink: palette.ink, halo: palette.halo, ...under }) })];
}
