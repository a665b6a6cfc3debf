// A tool's input schema as the fields of a form. What no field fits is written as JSON.

import { asArray, asNumber, asObject, asText, type JsonObject } from "../json.ts";

interface Common {
  readonly description: string;
  readonly otherwise?: unknown;
}

export type Field = Common &
  (
    | { readonly kind: "text" }
    | { readonly kind: "number"; readonly least?: number; readonly most?: number; readonly whole: boolean }
    | { readonly kind: "flag" }
    | { readonly kind: "choice"; readonly values: readonly string[] }
    /** A fixed number of numbers, such as a position or a box. */
    | { readonly kind: "numbers"; readonly labels: readonly string[] }
    | { readonly kind: "list"; readonly item: Field; readonly least: number; readonly most: number }
    | { readonly kind: "group"; readonly members: readonly Member[] }
    | { readonly kind: "json" }
  );

export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly field: Field;
}

const mostDepth = 5;
const mostNumbers = 4;

/** membersOf answers the members of an object's schema, the required ones first. */
export function membersOf(schema: JsonObject, depth = 0): Member[] {
  const required = new Set(asArray(schema["required"]));
  const members = Object.entries(asObject(schema["properties"]) ?? {}).map(([name, property]) => ({
    name,
    required: required.has(name),
    field: fieldOf(asObject(property) ?? {}, depth + 1),
  }));
  return [...members.filter((member) => member.required), ...members.filter((member) => !member.required)];
}

export function fieldOf(schema: JsonObject, depth = 0): Field {
  const common: Common = {
    description: asText(schema["description"]) ?? "",
    ...(schema["default"] !== undefined ? { otherwise: schema["default"] } : {}),
  };
  const values = asArray(schema["enum"]);
  if (values.length > 0 && values.every((value) => typeof value === "string")) return { ...common, kind: "choice", values: values as string[] };
  if (values.length > 0 || depth > mostDepth) return { ...common, kind: "json" };
  switch (schema["type"]) {
    case "string":
      return { ...common, kind: "text" };
    case "number":
    case "integer":
      return { ...common, kind: "number", whole: schema["type"] === "integer", ...bounds(schema) };
    case "boolean":
      return { ...common, kind: "flag" };
    case "array":
      return { ...common, ...listOf(schema, common.description, depth) };
    case "object":
      return schema["properties"] === undefined ? { ...common, kind: "json" } : { ...common, kind: "group", members: membersOf(schema, depth) };
    default:
      return { ...common, kind: "json" };
  }
}

function bounds(schema: JsonObject): { least?: number; most?: number } {
  const [least, most] = [asNumber(schema["minimum"]), asNumber(schema["maximum"])];
  return { ...(least !== undefined ? { least } : {}), ...(most !== undefined ? { most } : {}) };
}

type ListField = { kind: "numbers"; labels: string[] } | { kind: "list"; item: Field; least: number; most: number } | { kind: "json" };

function listOf(schema: JsonObject, description: string, depth: number): ListField {
  const items = asObject(schema["items"]);
  if (items === undefined) return { kind: "json" };
  const least = asNumber(schema["minItems"]) ?? 0;
  const most = asNumber(schema["maxItems"]) ?? Infinity;
  const item = fieldOf(items, depth + 1);
  if (item.kind === "number" && least === most && most <= mostNumbers) return { kind: "numbers", labels: labelsFor(description, most) };
  return { kind: "list", item, least, most };
}

/** labelsFor reads the names of the numbers out of a description such as "[longitude, latitude]". */
function labelsFor(description: string, count: number): string[] {
  const named = /\[([a-z][a-z ,]*)\]/i.exec(description)?.[1]?.split(",").map((name) => name.trim()) ?? [];
  return Array.from({ length: count }, (_, i) => (named.length === count ? named[i]! : String(i + 1)));
}
