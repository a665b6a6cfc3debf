// What the host tells a widget of itself: looks, language, room.

import type { Tool } from "../api/types.ts";
import type { JsonObject } from "../json.ts";

export type Theme = "light" | "dark";
export type Mode = "inline" | "fullscreen" | "pip";

export interface Choices {
  readonly theme: Theme;
  readonly locale: string;
  readonly mode: Mode;
  /** CSS pixels; undefined leaves it to the column's width, or to the widget. */
  readonly widthPx: number | undefined;
  readonly heightPx: number | undefined;
}

export const locales = [
  { code: "en", name: "English" },
  { code: "en-US", name: "English (US)" },
  { code: "de-DE", name: "Deutsch" },
  { code: "nl-NL", name: "Nederlands" },
  { code: "ja-JP", name: "日本語" },
  { code: "ar-EG", name: "العربية" },
] as const;

export const widths = [undefined, 640, 480, 320] as const;
export const heights = [undefined, 320, 480, 640] as const;

/** What a widget that chooses its own height may have at most. */
export const maxHeightPx = 720;
export const leastHeightPx = 80;

/** The page's own colours, so that the widget looks as if it belonged here. */
const variables = {
  "--color-background-primary": "light-dark(#ffffff, #1a2027)",
  "--color-text-primary": "light-dark(#1b2229, #eef2f5)",
  "--color-text-secondary": "light-dark(#5c6873, #a5b1bc)",
  "--color-border-primary": "light-dark(#dde3e8, #303a44)",
  "--border-radius-md": "8px",
};

/** changeable is the part of the context that the switches change. */
export function changeable(choices: Choices, columnPx: number): JsonObject {
  return {
    theme: choices.theme,
    locale: choices.locale,
    displayMode: choices.mode,
    containerDimensions: dimensions(choices, columnPx),
  };
}

function dimensions({ mode, widthPx, heightPx }: Choices, columnPx: number): JsonObject {
  if (mode === "fullscreen") return { width: window.innerWidth, height: window.innerHeight };
  return { width: Math.min(widthPx ?? columnPx, columnPx), ...(heightPx === undefined ? { maxHeight: maxHeightPx } : { height: heightPx }) };
}

/** contextFor is the whole context, as the handshake gives it. */
export function contextFor(choices: Choices, columnPx: number, tool: Tool): JsonObject {
  return {
    ...changeable(choices, columnPx),
    styles: { variables },
    availableDisplayModes: ["inline", "fullscreen"],
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: "web",
    userAgent: "tomtom-mcp-gateway-preview",
    toolInfo: { tool },
  };
}
