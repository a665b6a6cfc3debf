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

export function applyContext(root: HTMLElement, context: HostContext): void {
  const { style } = root;
  for (const [name, value] of Object.entries(context.variables)) style.setProperty(name, value);
  style.colorScheme = themeOf(context);
  root.dataset["theme"] = themeOf(context);
  for (const [side, px] of Object.entries(context.safeArea)) style.setProperty(`--safe-${side}`, `${px}px`);
  const height = heightOf(context);
  style.setProperty("--height", height === undefined ? "100vh" : `${height}px`);
  root.lang = context.locale ?? "en";
}
