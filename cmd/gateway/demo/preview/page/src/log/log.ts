// Every message between host and widget, short enough to be looked at.

import type { LogLine } from "../api/types.ts";
import { asObject, asText, at, type JsonObject } from "../json.ts";

export type Way = "to widget" | "from widget" | "host" | "gateway";

export interface Entry {
  readonly number: number;
  /** Milliseconds since the page was opened. */
  readonly atMs: number;
  readonly way: Way;
  /** The method; an answer has that of its request. */
  readonly method: string;
  readonly kind: "request" | "answer" | "error" | "notification" | "note";
  /** What stands out: a tool, a state. */
  readonly about: string;
  /** The length of the message as JSON. */
  readonly characters: number;
  readonly detail: unknown;
}

const mostEntries = 500;
const mostTextChars = 160;
const reportTool = "tomtom-report-app-status";
const keyTool = "tomtom-get-api-key";

export class Log {
  readonly entries: Entry[] = [];
  /** The requests that wait for an answer: by the side that asked, since ids are each side's own. */
  readonly #open = new Map<string, { method: string; about: string }>();
  #next = 1;

  constructor(
    readonly changed: (entry: Entry | undefined) => void,
    readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** message logs one that goes over the bridge. */
  message(way: "to widget" | "from widget", message: JsonObject): void {
    const characters = JSON.stringify(message).length;
    const { id, method } = message;
    const other = way === "to widget" ? "from widget" : "to widget";
    if (typeof method === "string") {
      const about = aboutOf(method, asObject(message["params"]) ?? {});
      if (id !== undefined) this.#open.set(`${way} ${String(id)}`, { method, about });
      const kind = id === undefined ? "notification" : "request";
      this.#add({ way, method, kind, about, characters, detail: shortened(message["params"] ?? {}) });
      return;
    }
    const asked = this.#open.get(`${other} ${String(id)}`) ?? { method: "answer", about: "" };
    this.#open.delete(`${other} ${String(id)}`);
    const failed = message["error"] !== undefined;
    const detail = asked.about === keyTool && !failed ? "a map key, which is not shown here" : shortened(message["error"] ?? message["result"]);
    this.#add({ way, method: asked.method, kind: failed ? "error" : "answer", about: asked.about, characters, detail });
  }

  /** note logs what the host itself did. */
  note(method: string, about: string, detail: unknown = {}): void {
    this.#add({ way: "host", method, kind: "note", about, characters: 0, detail: shortened(detail) });
  }

  /** line logs what the gateway's own log says of a call. */
  line({ level, message, attributes }: LogLine): void {
    const about = ["tool", "outcome", "reason", "status", "source"].map((name) => asText(attributes[name]) ?? "").filter((part) => part !== "");
    const kind = level === "ERROR" || level === "WARN" ? "error" : "note";
    this.#add({ way: "gateway", method: message, kind, about: about.join(" · "), characters: 0, detail: attributes });
  }

  clear(): void {
    this.entries.length = 0;
    this.changed(undefined);
  }

  #add(rest: Omit<Entry, "number" | "atMs">): void {
    const entry = { ...rest, number: this.#next++, atMs: this.nowMs() };
    this.entries.push(entry);
    if (this.entries.length > mostEntries) this.entries.shift();
    this.changed(entry);
  }
}

/** isReport tells an app status from other calls. */
export function isReport(entry: Entry): boolean {
  if (entry.way === "gateway") return entry.method === "app status";
  return entry.method === "tools/call" && entry.kind === "request" && entry.about.startsWith(reportTool);
}

function aboutOf(method: string, params: JsonObject): string {
  if (method !== "tools/call") return asText(params["displayMode"] ?? params["mode"] ?? params["url"]) ?? "";
  const name = asText(params["name"]) ?? "";
  if (name !== reportTool) return name;
  const said = (member: string): string => asText(at(params, "arguments", member)) ?? "";
  return [reportTool, said("outcome"), said("reason"), said("source")].filter((part) => part !== "").join(" · ");
}

/** shortened cuts long texts and lists, so that a result of a megabyte can be looked at. */
export function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === "string" && value.length > mostTextChars) {
    return `${value.slice(0, mostTextChars)}… (${value.length.toLocaleString("en")} characters)`;
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, 12).map((item) => shortened(item, depth + 1));
    return value.length > kept.length ? [...kept, `… (${value.length.toLocaleString("en")} items)`] : kept;
  }
  const object = asObject(value);
  if (object === undefined) return value;
  if (depth > 8) return "…";
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, shortened(member, depth + 1)]));
}

/** matches tells whether an entry has all words of a filter, wherever they stand. */
export function matches(entry: Entry, filter: string, ways: ReadonlySet<Way>): boolean {
  if (!ways.has(entry.way)) return false;
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return true;
  const text = `${entry.method} ${entry.kind} ${entry.about} ${JSON.stringify(entry.detail)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
