// The host's looks: theme, style variables, safe area, and how high the document is.

import type { HostContext } from "../protocol/context.ts";
import type { Theme } from "../engine/palette.ts";

/** What the document asks for where the host leaves the height to it. */
export const inlineHeightPx = 420;

export function themeOf(context: HostContext): Theme {
  return context.theme ?? (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

/** heightOf answers CSS pixels, or undefined where the frame is filled, whatever its height. */
export function heightOf({ displayMode, heightPx, maxHeightPx }: HostContext): number | undefined {
  if (displayMode !== "inline" || heightPx !== undefined) return undefined;
  return Math.min(inlineHeightPx, maxHeightPx ?? inlineHeightPx);
}

const fromRightToLeft = new Set(["ar", "dv", "fa", "he", "ks", "ku", "ps", "sd", "ug", "ur", "yi"]);

/** directionOf answers how a locale's layout runs; a script in the locale decides over its language. */
export function directionOf(locale: string): "ltr" | "rtl" {
  const [language = "", ...rest] = locale.toLowerCase().split(/[-_]/);
  const script = rest.find((part) => part.length === 4);
  if (script !== undefined) return /^(arab|hebr|syrc|thaa|nkoo)$/.test(script) ? "rtl" : "ltr";
  return fromRightToLeft.has(language) ? "rtl" : "ltr";
}

let given: readonly string[] = [];

/** applyContext puts the host's looks on the document; variables that the host no longer gives go. */
export function applyContext(root: HTMLElement, context: HostContext, locale: string): void {
  const { style } = root;
  for (const name of given) if (!Object.hasOwn(context.variables, name)) style.removeProperty(name);
  given = Object.keys(context.variables);
  for (const [name, value] of Object.entries(context.variables)) style.setProperty(name, value);
  style.colorScheme = themeOf(context);
  root.dataset["theme"] = themeOf(context);
  for (const [side, px] of Object.entries(context.safeArea)) style.setProperty(`--safe-${side}`, `${px}px`);
  const height = heightOf(context);
  style.setProperty("--height", height === undefined ? "100vh" : `${height}px`);
  root.dataset["height"] = height === undefined ? "given" : "own";
  root.dir = directionOf(locale);
}
