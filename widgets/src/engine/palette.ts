// Colours by role and theme, for the map and for the legend beside it.

import type { Swatch } from "../scene/scene.ts";

export type Theme = "light" | "dark";

export interface Palette {
  readonly water: string;
  readonly land: string;
  readonly outline: string;
  readonly border: string;
  readonly ink: string;
  /** Names of countries. */
  readonly softInk: string;
  readonly halo: string;
  /** On a mark, and around it. */
  readonly onMark: string;
  readonly ring: string;
  readonly casing: string;
  readonly alternativeCasing: string;
  readonly role: Readonly<Record<Swatch, string>>;
  /** From the smallest range to the largest. */
  readonly ranges: readonly [string, string];
}

const brandRed = "#df1b12";

const light: Palette = {
  water: "#cfe0ea",
  land: "#f7f6f2",
  outline: "#b9c6cd",
  border: "#c8c2b4",
  ink: "#1b2229",
  softInk: "#7d8791",
  halo: "#ffffff",
  onMark: "#ffffff",
  ring: "#ffffff",
  casing: "#0a4fa3",
  alternativeCasing: "#7c8da0",
  role: {
    route: "#1a7cf0",
    alternative: "#a9b8c9",
    "delay-minor": "#ffb000",
    "delay-moderate": "#f4701f",
    "delay-major": "#c5121b",
    "delay-unknown": "#5b4a52",
    toll: "#8446c9",
    ferry: "#8fd0ff",
    tunnel: "#d8e8fb",
    data: "#1a7cf0",
    start: "#1b2229",
    via: "#1b2229",
    end: brandRed,
    charge: "#0f8a4b",
    border: "#5c6873",
    turn: "#1b2229",
    place: brandRed,
    incident: "#c5121b",
    label: "#1b2229",
    range: "#1a7cf0",
    boundary: "#5c6873",
  },
  ranges: ["#0a4fa3", "#6fb1ff"],
};

const dark: Palette = {
  water: "#18222c",
  land: "#27313b",
  outline: "#3d4a57",
  border: "#414e5b",
  ink: "#f2f5f7",
  softInk: "#8a97a4",
  halo: "#12181e",
  onMark: "#10151a",
  ring: "#12181e",
  casing: "#0b2e5c",
  alternativeCasing: "#2f3b48",
  role: {
    ...light.role,
    route: "#4b9dff",
    alternative: "#71839a",
    "delay-unknown": "#b39aa5",
    toll: "#b98af0",
    ferry: "#b5e0ff",
    data: "#4b9dff",
    start: "#f2f5f7",
    via: "#f2f5f7",
    end: "#f0463d",
    charge: "#2fc177",
    border: "#9aa8b5",
    turn: "#f2f5f7",
    place: "#f0463d",
    label: "#f2f5f7",
    range: "#4b9dff",
    boundary: "#9aa8b5",
    incident: "#ff7a6e",
  },
  ranges: ["#8cc1ff", "#2f6fc0"],
};

export function paletteFor(theme: Theme): Palette {
  return theme === "dark" ? dark : light;
}

/** translucent writes a plain #rrggbb with an opacity; other notations carry their own. */
export function translucent(color: string, opacity: number): string {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return color;
  const alpha = Math.round(opacity * 255);
  return color + alpha.toString(16).padStart(2, "0");
}
