// Where app data comes from, in order: the result itself, a fetch that runs no TomTom tool, the text, or what a server
// on this machine kept. Nothing here ever calls a tool that is billed.

import { at, asText, type JsonObject } from "../json.ts";
import { decodeAppData } from "./decode.ts";
import { Failure, type Reason } from "./failure.ts";
import { holdsGeometry } from "./geometry.ts";
import { parseObject, textOf, type ToolResult } from "./result.ts";

export const getAppDataTool = "tomtom-get-app-data";
export const dataVizTool = "tomtom-data-viz";
export const trafficTool = "tomtom-traffic";

export type Source = "inline" | "fetched" | "text" | "none";

export interface AppData {
  readonly source: Source;
  /** The JSON document; undefined where the source is none. */
  readonly document: unknown;
  /** Why a better place to draw from was passed by. */
  readonly passed?: Reason;
}

export type CallTool = (name: string, input: JsonObject) => Promise<JsonObject>;

/**
 * findAppData answers what to draw from, or fails with the reason why there is nothing. What is damaged or refused is
 * left for the next place to look; the first failure is the one that is told.
 */
export async function findAppData(
  result: ToolResult,
  tool: string,
  input: JsonObject | undefined,
  callTool: CallTool,
): Promise<AppData> {
  let first: Failure | undefined;
  for (const place of placesOf(result, tool, input, callTool)) {
    try {
      const found = await place();
      return first === undefined ? found : { ...found, passed: first.reason };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      first ??= error;
    }
  }
  if (first !== undefined) throw first;
  if (tool === trafficTool || result.status === "none") return { source: "none", document: undefined };
  throw new Failure(missingReason(result.status), `status ${result.status ?? "not given"}`);
}

type Place = () => Promise<AppData>;

/** placesOf answers where to look, in order. Nothing is asked for before its turn. */
function placesOf({ appData, text, appDataRef }: ToolResult, tool: string, input: JsonObject | undefined, callTool: CallTool): Place[] {
  const places: Place[] = [];
  if (appData !== undefined) places.push(async () => ({ source: "inline", document: await decodeAppData(appData) }));
  // Its data stays whole and so may not fit. The tool only reads what the caller gave it: running it again is free.
  if (tool === dataVizTool && input !== undefined && appData === undefined) {
    places.push(async () => ({ source: "fetched", document: await fetchAppData(input, callTool) }));
  }
  if (text !== undefined && holdsGeometry(text, tool)) places.push(async () => ({ source: "text", document: text }));
  if (appDataRef !== undefined) {
    places.push(async () => ({ source: "fetched", document: await fetchAppData({ app_data_ref: appDataRef }, callTool) }));
  }
  return places;
}

function missingReason(status: string | undefined): "too_large" | "unavailable" | "data_missing" {
  return status === "too_large" || status === "unavailable" ? status : "data_missing";
}

async function fetchAppData(input: JsonObject, callTool: CallTool): Promise<unknown> {
  let answer: JsonObject;
  try {
    answer = await callTool(getAppDataTool, input);
  } catch (error) {
    throw new Failure("fetch_failed", error instanceof Error ? error.message : "");
  }
  if (answer["isError"] === true) throw new Failure("fetch_failed", "the server refused");
  const appData = asText(at(parseObject(textOf(answer) ?? ""), "app_data"));
  if (appData === undefined) throw new Failure("fetch_failed", "the answer has no app data");
  return decodeAppData(appData);
}
