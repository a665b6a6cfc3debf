// Tells the gateway what became of a result: once for each, and without a word to the person where it can't be told.

import type { JsonObject } from "./json.ts";
import type { Reason } from "./data/failure.ts";
import type { Source } from "./data/source.ts";
import { version } from "../package.json";

export const reportTool = "tomtom-report-app-status";

export interface Report {
  /** The tool whose result this is; "unknown" where neither result nor host said. */
  readonly tool: string;
  readonly outcome: "drawn" | "hidden" | "error";
  readonly source: Source;
  readonly reason?: Reason | "empty";
  readonly detail?: string;
  readonly duration_ms?: number;
}

const maxDetailChars = 200;
const timeoutMs = 15_000;

type Call = (name: string, input: JsonObject, timeoutMs: number) => Promise<unknown>;

export async function sendReport(call: Call, report: Report): Promise<void> {
  const { detail, ...rest } = report;
  // Control characters have no place in a log line.
  const clean = detail?.replace(/[\p{Cc}\p{Cs}]+/gu, " ").slice(0, maxDetailChars);
  const input = { ...rest, ...(clean !== undefined && clean !== "" ? { detail: clean } : {}), widget: version };
  try {
    await call(reportTool, input, timeoutMs);
  } catch {
    // The host may not let a view call tools. There is nobody else to tell.
  }
}
