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

const maxToolChars = 64;
const maxDetailChars = 200;
const maxDurationMs = 3_600_000;
const timeoutMs = 15_000;

type Call = (name: string, input: JsonObject, timeoutMs: number) => Promise<unknown>;

/** plain is text that the gateway takes: short, without control characters or halves of characters. */
function plain(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\p{Cc}\p{Cs}]+/gu, " ");
}

/** reportInput is what the gateway is told. */
export function reportInput({ tool, detail, duration_ms, ...rest }: Report): JsonObject {
  return {
    tool: plain(tool, maxToolChars),
    ...rest,
    ...(detail !== undefined && detail !== "" ? { detail: plain(detail, maxDetailChars) } : {}),
    ...(duration_ms !== undefined ? { duration_ms: Math.min(maxDurationMs, Math.max(0, duration_ms)) } : {}),
    widget: version,
  };
}

export async function sendReport(call: Call, report: Report): Promise<void> {
  try {
    await call(reportTool, reportInput(report), timeoutMs);
  } catch {
    // The host may not let a view call tools. There is nobody else to tell.
  }
}
