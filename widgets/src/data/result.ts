// A tool result as the host handed it over: what the gateway said in _meta, and what the text says where a host
// dropped that.

import { asArray, asNumber, asObject, asText, at, type JsonObject } from "../json.ts";

export interface Simplification {
  readonly points: number;
  readonly originalPoints: number;
  /** No point of the original line is farther from the drawn one, in metres. */
  readonly maxErrorM: number;
  readonly shed: readonly string[];
}

export interface ToolResult {
  readonly isError: boolean;
  /** The tool's name, from _meta or the text. */
  readonly tool?: string;
  readonly showUI: boolean;
  /** base64 of gzip, from _meta. */
  readonly appData?: string;
  /** What the gateway says happened to the app data; newer gateways may know more words. */
  readonly status?: string;
  readonly simplification?: Simplification;
  /** The agent's JSON document; of several, the one that the gateway signed with show_ui. */
  readonly text?: JsonObject;
  /** Under which a server on this machine keeps the app data. */
  readonly appDataRef?: string;
}

export function readResult(result: JsonObject): ToolResult {
  const meta = asObject(result["_meta"]) ?? {};
  const text = textJson(result);
  const tool = asText(meta["tool"]) ?? asText(text?.["tool"]);
  const appData = asText(meta["com.tomtom/app-data"]);
  const status = asText(meta["com.tomtom/app-data-status"]);
  const simplification = readSimplification(meta["com.tomtom/simplification"]);
  const appDataRef = asText(text?.["app_data_ref"]);
  return {
    isError: result["isError"] === true,
    // Hiding wins: a map that nobody asked for is worse than a missing one that the text replaces.
    showUI: meta["show_ui"] !== false && text?.["show_ui"] !== false,
    ...(tool !== undefined ? { tool } : {}),
    ...(appData !== undefined ? { appData } : {}),
    ...(status !== undefined ? { status } : {}),
    ...(simplification !== undefined ? { simplification } : {}),
    ...(text !== undefined ? { text } : {}),
    ...(appDataRef !== undefined ? { appDataRef } : {}),
  };
}

/** textOf answers the result's first text as it is, for error messages and raw answers. */
export function textOf(result: JsonObject): string | undefined {
  for (const item of asArray(result["content"])) {
    if (at(item, "type") === "text") return asText(at(item, "text"));
  }
  return undefined;
}

function textJson(result: JsonObject): JsonObject | undefined {
  let first: JsonObject | undefined;
  for (const item of asArray(result["content"])) {
    const text = at(item, "type") === "text" ? asText(at(item, "text")) : undefined;
    const document = text === undefined ? undefined : parseObject(text);
    if (document === undefined) continue;
    if (Object.hasOwn(document, "show_ui")) return document;
    first ??= document;
  }
  return first;
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function readSimplification(value: unknown): Simplification | undefined {
  const points = asNumber(at(value, "points"));
  const originalPoints = asNumber(at(value, "original_points"));
  const maxErrorM = asNumber(at(value, "max_error_m"));
  if (points === undefined || originalPoints === undefined || maxErrorM === undefined) return undefined;
  const shed = asArray(at(value, "shed")).filter((name) => typeof name === "string");
  return { points, originalPoints, maxErrorM, shed };
}
