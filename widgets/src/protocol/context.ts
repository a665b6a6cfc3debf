// What the host tells of itself, as far as this document uses it (MCP Apps 2026-01-26, HostContext).

import { asArray, asNumber, asObject, asText, at, type JsonObject } from "../json.ts";

export type DisplayMode = "inline" | "fullscreen" | "pip";

export interface Insets {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

export interface HostContext {
  readonly theme?: "light" | "dark";
  /** CSS custom properties, names with their two dashes. */
  readonly variables: Readonly<Record<string, string>>;
  readonly displayMode: DisplayMode;
  readonly availableDisplayModes: readonly string[];
  /** The height that the host fixed, in CSS pixels. */
  readonly heightPx?: number;
  /** The most that the view may ask for. */
  readonly maxHeightPx?: number;
  readonly locale?: string;
  readonly safeArea: Insets;
  /** The tool whose result this is, as the host names it. */
  readonly toolName?: string;
}

/** merge lays what changed over what is known. Members are replaced whole, as the specification has it. */
export function merge(known: JsonObject, changed: JsonObject): JsonObject {
  return { ...known, ...changed };
}

export function readContext(raw: JsonObject): HostContext {
  const theme = raw["theme"];
  const heightPx = asNumber(at(raw, "containerDimensions", "height"));
  const maxHeightPx = asNumber(at(raw, "containerDimensions", "maxHeight"));
  const locale = asText(raw["locale"]);
  const toolName = asText(at(raw, "toolInfo", "tool", "name"));
  const inset = (side: string): number => Math.max(0, asNumber(at(raw, "safeAreaInsets", side)) ?? 0);
  return {
    ...(theme === "light" || theme === "dark" ? { theme } : {}),
    variables: readVariables(at(raw, "styles", "variables")),
    displayMode: readMode(raw["displayMode"]) ?? "inline",
    availableDisplayModes: asArray(raw["availableDisplayModes"]).filter((mode) => typeof mode === "string"),
    ...(heightPx !== undefined && heightPx > 0 ? { heightPx } : {}),
    ...(maxHeightPx !== undefined && maxHeightPx > 0 ? { maxHeightPx } : {}),
    ...(locale !== undefined ? { locale } : {}),
    safeArea: { top: inset("top"), right: inset("right"), bottom: inset("bottom"), left: inset("left") },
    ...(toolName !== undefined ? { toolName } : {}),
  };
}

export function readMode(value: unknown): DisplayMode | undefined {
  return value === "inline" || value === "fullscreen" || value === "pip" ? value : undefined;
}

function readVariables(value: unknown): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, text] of Object.entries(asObject(value) ?? {})) {
    if (name.startsWith("--") && typeof text === "string") variables[name] = text;
  }
  return variables;
}
