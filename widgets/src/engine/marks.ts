// Marks of points. Equal ones are painted once: a data set may have thousands.

import CircleStyle from "ol/style/Circle.js";
import Fill from "ol/style/Fill.js";
import Icon from "ol/style/Icon.js";
import Stroke from "ol/style/Stroke.js";
import Text from "ol/style/Text.js";

export const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

const maxKept = 500;
const discs = new Map<string, CircleStyle>();

/** How a mark gets on with others: labels keep clear of an obstacle; one that is decluttered gives way itself. */
export type Crowding = "obstacle" | "declutter" | "none";

/** disc answers a shared image. */
export function disc(radius: number, color: string, ring: string, ringPx: number, declutterMode: Crowding = "obstacle"): CircleStyle {
  const key = `${radius} ${color} ${ring} ${ringPx} ${declutterMode}`;
  const known = discs.get(key);
  if (known !== undefined) return known;
  const made = new CircleStyle({
    radius,
    fill: new Fill({ color }),
    stroke: new Stroke({ color: ring, width: ringPx }),
    declutterMode,
  });
  if (discs.size >= maxKept) discs.clear();
  discs.set(key, made);
  return made;
}

const pins = new Map<string, Icon>();
const pinPx = { width: 26, height: 34 };
/** Twice the size on paper, so that it is sharp on dense screens. */
const pinScale = 2;

/** pin answers a drop whose tip is the place. */
export function pin(color: string, ring: string, scale = 1): Icon {
  const key = `${color} ${ring} ${scale}`;
  const known = pins.get(key);
  if (known !== undefined) return known;
  const made = new Icon({
    img: paintPin(color, ring),
    scale: scale / pinScale,
    anchor: [0.5, 1],
    declutterMode: "obstacle",
  });
  if (pins.size >= maxKept) pins.clear();
  pins.set(key, made);
  return made;
}

function paintPin(color: string, ring: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = pinPx.width * pinScale;
  canvas.height = pinPx.height * pinScale;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no 2d canvas");
  context.scale(pinScale, pinScale);
  context.beginPath();
  context.arc(13, 13, 11, Math.PI * 0.82, Math.PI * 0.18);
  context.quadraticCurveTo(19, 25, 13, 32.5);
  context.quadraticCurveTo(7, 25, 13 - 11 * Math.cos(Math.PI * 0.18), 13 + 11 * Math.sin(Math.PI * 0.18));
  context.closePath();
  context.fillStyle = color;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = ring;
  context.stroke();
  return canvas;
}

/** pinCentrePx is where the middle of a pin's head lies, from its tip. */
export const pinCentrePx = -20.5;

/** inside is a sign or a number within a mark. */
export function inside(text: string, color: string, offsetY = 0.5, declutterMode: "declutter" | "none" = "none"): Text {
  return new Text({ text, font: `600 11px ${font}`, fill: new Fill({ color }), declutterMode, offsetY });
}

export interface LabelLook {
  readonly ink: string;
  readonly halo: string;
  readonly offsetY?: number;
  readonly sizePx?: number;
  readonly weight?: number;
}

/** label gives way to marks and to labels before it. */
export function label(text: string, look: LabelLook): Text {
  return new Text({
    text: wrapped(text),
    font: `${look.weight ?? 600} ${look.sizePx ?? 12}px ${font}`,
    fill: new Fill({ color: look.ink }),
    stroke: new Stroke({ color: look.halo, width: 3.5 }),
    offsetY: look.offsetY ?? 0,
    textBaseline: look.offsetY === undefined ? "middle" : "top",
    declutterMode: "declutter",
  });
}

const lineChars = 24;
const maxLabelChars = 64;

/** wrapped breaks a long name in two or three lines, as maps do. */
function wrapped(text: string): string {
  const lines: string[] = [];
  const short = text.length > maxLabelChars ? `${text.slice(0, maxLabelChars - 1)}…` : text;
  for (const word of short.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < lineChars) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}
