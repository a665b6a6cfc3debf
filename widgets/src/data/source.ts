// Where app data comes from, in order: the result itself, a fetch that runs no TomTom tool, the text, or what a server
// on this machine kept. Nothing here ever calls a tool that is billed.

import { at, asText, type JsonObject } from "../json.ts";
import { decodeAppData } from "./decode.ts";
import { Failure } from "./failure.ts";
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
}

export type CallTool = (name: string, input: JsonObject) => Promise<JsonObject>;

/** findAppData answers what to draw from, or fails with the reason why there is nothing. */
export async function findAppData(
  result: ToolResult,
  tool: string,
  input: JsonObject | undefined,
  callTool: CallTool,
): Promise<AppData> {
  if (result.appData !== undefined) {
    return { source: "inline", document: await decodeAppData(result.appData) };
  }
  // Its data stays whole and so may not fit. The tool only reads what the caller gave it: running it again is free.
  if (tool === dataVizTool && input !== undefined) {
    return { source: "fetched", document: await fetchAppData(input, callTool) };
  }
  if (result.text !== undefined && holdsGeometry(result.text, tool)) {
    return { source: "text", document: result.text };
  }
  if (result.appDataRef !== undefined) {
    return { source: "fetched", document: await fetchAppData({ app_data_ref: result.appDataRef }, callTool) };
  }
  if (tool === trafficTool || result.status === "none") return { source: "none", document: undefined };
  throw new Failure(missingReason(result.status), `status ${result.status ?? "not given"}`);
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
