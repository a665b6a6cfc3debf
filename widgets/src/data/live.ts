// Live traffic incidents, from the traffic service itself.

import { asNumber, asText, type JsonObject } from "../json.ts";
import { asArray } from "../json.ts";
import { Failure } from "./failure.ts";

const timeoutMs = 15_000;
const fields =
  "{incidents{type,geometry{type,coordinates},properties{iconCategory,magnitudeOfDelay,events{description}," +
  "startTime,endTime,from,to,length,delay,roadNumbers}}}";

/** incidentsURL fills the template in and hands on what the tool was asked for. Undefined without a usable bbox. */
export function incidentsURL(template: string, key: string, input: JsonObject | undefined): string | undefined {
  const bbox = asArray(input?.["bbox"]).map(asNumber);
  if (template === "" || bbox.length !== 4 || bbox.includes(undefined)) return undefined;
  const filled = template.replaceAll("{bbox}", bbox.join(",")).replaceAll("{key}", encodeURIComponent(key));
  const url = new URL(filled);
  url.searchParams.set("fields", fields);
  for (const name of ["language", "categoryFilter", "timeValidityFilter"]) {
    const value = asText(input?.[name]);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

/** fetchIncidents answers the service's document, {incidents: […]}. */
export async function fetchIncidents(
  template: string,
  askKey: () => Promise<string | undefined>,
  input: JsonObject | undefined,
): Promise<unknown> {
  if (incidentsURL(template, "", input) === undefined) {
    throw new Failure("no_live_traffic", template === "" ? "not configured" : "no bounding box");
  }
  const key = template.includes("{key}") ? await askKey() : "";
  if (key === undefined) throw new Failure("no_live_traffic", "no key");
  let response: Response;
  try {
    response = await fetch(incidentsURL(template, key, input)!, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return await response.json();
  } catch {
    // The error's text may hold the address, and with it the key.
    throw new Failure("no_live_traffic", "no answer");
  }
  throw new Failure("no_live_traffic", `status ${response.status}`);
}
