// Asks the preview's server, with the token of the address that the terminal printed.

import type { JsonObject } from "../json.ts";
import type { Call, Fit, LogLine, Resource, Session } from "./types.ts";

/** ApiError says in the server's own sentence what went wrong. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

const storedAs = "preview-token";

/** takeToken moves the token out of the address bar, where it would be shared with the address. */
export function takeToken(place: Location, past: History, store: Storage): string {
  const address = new URL(place.href);
  const given = address.searchParams.get("token");
  if (given === null) return store.getItem(storedAs) ?? "";
  store.setItem(storedAs, given);
  address.searchParams.delete("token");
  past.replaceState(null, "", address.pathname + address.search + address.hash);
  return given;
}

export class Client {
  constructor(
    readonly token: string,
    readonly fetched: typeof fetch = (...asked) => fetch(...asked),
  ) {}

  session(): Promise<Session> {
    return this.#get<Session>("session");
  }
  calls(): Promise<readonly Call[]> {
    return this.#get<{ calls: Call[] } | Call[]>("calls").then((answer) => (Array.isArray(answer) ? answer : answer.calls));
  }
  /** call runs a tool, as an agent would: the only thing here that may be billed. */
  call(tool: string, input: JsonObject, limit: number): Promise<Call & { fit: Fit }> {
    return this.#post("calls", { tool, arguments: input, limit, from: "agent" });
  }
  /** fit asks what a host with another limit gets of a call that ran before. */
  fit(id: string, limit: number, withOriginal: boolean): Promise<Fit> {
    return this.#get(`calls/${encodeURIComponent(id)}/fit?limit=${limit}${withOriginal ? "" : "&original=false"}`);
  }
  resource(uri: string): Promise<Resource> {
    return this.#get(`resource?uri=${encodeURIComponent(uri)}`);
  }
  /** widgetCall is a call that a widget asked for; the server checks it once more. */
  widgetCall(call: string, tool: string, input: JsonObject, approved: boolean): Promise<JsonObject> {
    return this.#post<{ result: JsonObject }>("widget-calls", { call, tool, arguments: input, approved }).then(({ result }) => result);
  }
  /** log answers the gateway's lines after one; it waits for a while where there are none yet. */
  log(after: number): Promise<{ lines: readonly LogLine[]; next: number }> {
    return this.#get(`log?after=${after}`);
  }

  #get<T>(path: string): Promise<T> {
    return this.#ask<T>(path, {});
  }
  #post<T>(path: string, body: object): Promise<T> {
    return this.#ask<T>(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
  }
  async #ask<T>(path: string, { headers, ...init }: RequestInit): Promise<T> {
    let response: Response;
    try {
      response = await this.fetched(`/api/${path}`, { ...init, headers: { ...headers, "preview-token": this.token } });
    } catch {
      throw new ApiError(0, "The preview's server does not answer. Does the command still run?");
    }
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok && answer !== undefined) return answer as T;
    const sentence = (answer as { error?: string } | undefined)?.error;
    throw new ApiError(response.status, sentence ?? `The preview's server answered with status ${response.status}.`);
  }
}
