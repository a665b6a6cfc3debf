// What real hosts were seen to do wrong, as switches.

import type { JsonObject } from "../json.ts";

export const faults = [
  { name: "dropMeta", label: "Drop _meta", says: "The result reaches the widget without its _meta, and so without the map's data." },
  { name: "replaceMeta", label: "Replace _meta", says: "The result's _meta is the host's own." },
  { name: "noInput", label: "No tool-input", says: "The widget is not told what the tool was called with." },
  { name: "partialInput", label: "Partial input only", says: "The agent is still writing the call. The rest comes when this is switched off." },
  { name: "strictCSP", label: "Strict CSP", says: "The sandbox lets the widget load nothing, whatever it declared." },
  { name: "denyContext", label: "Deny model context", says: "update-model-context is answered with an error." },
  { name: "slow", label: "Slow host", says: "Every message to the widget waits for two seconds." },
  { name: "twice", label: "Result twice", says: "The result is sent twice." },
  { name: "rejectCalls", label: "Reject every call", says: "No tool call of the widget gets through, and nobody is asked." },
] as const;

export type Fault = (typeof faults)[number]["name"];
export type Faults = ReadonlySet<Fault>;

export const slowMs = 2000;

/** handed is the result as a host with these faults gives it to the widget. */
export function handed(result: JsonObject, active: Faults): JsonObject {
  if (!active.has("dropMeta") && !active.has("replaceMeta")) return result;
  const { _meta, ...rest } = result;
  return active.has("replaceMeta") ? { ...rest, _meta: { "host.example/request-id": "7f3a" } } : rest;
}

/** partOf is a call that an agent has written the first half of. */
export function partOf(input: JsonObject): JsonObject {
  const members = Object.entries(input);
  return Object.fromEntries(members.slice(0, Math.ceil(members.length / 2)));
}
