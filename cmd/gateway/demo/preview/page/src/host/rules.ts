// What a widget may ask of its host, before any person is asked.

import type { Session, Tool } from "../api/types.ts";
import { asArray, at, type JsonObject } from "../json.ts";

/** visibleTo tells for whom a tool is; both, where it does not say. */
export function visibleTo(tool: Tool, who: "model" | "app"): boolean {
  const declared = at(tool._meta, "ui", "visibility");
  return declared === undefined || asArray(declared).includes(who);
}

export function isAppOnly(tool: Tool): boolean {
  return visibleTo(tool, "app") && !visibleTo(tool, "model");
}

export type Verdict =
  | { readonly kind: "refused"; readonly reason: string }
  /** A person decides; what they approve is remembered for tools that only apps see. */
  | { readonly kind: "ask"; readonly remember: boolean }
  | { readonly kind: "approved" };

const keyTool = "tomtom-get-api-key";

/** judge checks a widget's call against this session and what the person approved before. */
export function judge({ tools, mapKey }: Pick<Session, "tools" | "mapKey">, remembered: ReadonlySet<string>, name: string): Verdict {
  const tool = tools.find((known) => known.name === name);
  if (tool === undefined) return { kind: "refused", reason: `${name} is no tool of this session.` };
  if (!visibleTo(tool, "app")) return { kind: "refused", reason: `${name} is not for apps.` };
  if (name === keyTool && !mapKey) return { kind: "refused", reason: "There is no key for maps alone, and a widget gets no other." };
  const appOnly = isAppOnly(tool);
  if (appOnly && remembered.has(name)) return { kind: "approved" };
  return { kind: "ask", remember: appOnly };
}

/** linkOf answers the address that a widget wants opened, where it is one that may be: a page on the web. */
export function linkOf(params: JsonObject): URL | undefined {
  const given = params["url"];
  if (typeof given !== "string" || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
}
