// Careful reading of values that others wrote: every accessor answers undefined instead of throwing.

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** asArray answers an empty list for anything else, so that it can be walked at once. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** at follows member names down from a value. */
export function at(value: unknown, ...names: string[]): unknown {
  let found: unknown = value;
  for (const name of names) {
    const object = asObject(found);
    if (object === undefined || !Object.hasOwn(object, name)) return undefined;
    found = object[name];
  }
  return found;
}

/** objectsOf answers the objects of a list and leaves out the rest. */
export function objectsOf(value: unknown): JsonObject[] {
  return asArray(value)
    .map(asObject)
    .filter((object) => object !== undefined);
}
