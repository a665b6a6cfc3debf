import { describe, expect, test } from "vitest";
import { fieldOf, membersOf } from "./schema.ts";

describe("a field", () => {
  test.each([
    ["a text", { type: "string", description: "Name" }, { kind: "text", description: "Name" }],
    ["a number with bounds", { type: "number", minimum: 1, maximum: 100 }, { kind: "number", whole: false, least: 1, most: 100, description: "" }],
    ["a whole number", { type: "integer" }, { kind: "number", whole: true, description: "" }],
    ["a flag with a default", { type: "boolean", default: false }, { kind: "flag", otherwise: false, description: "" }],
    ["a choice", { type: "string", enum: ["a", "b"] }, { kind: "choice", values: ["a", "b"], description: "" }],
    ["a choice of numbers, which no list of texts can stand for", { enum: [1, 2] }, { kind: "json", description: "" }],
    ["one of several", { oneOf: [{ type: "string" }, { type: "number" }] }, { kind: "json", description: "" }],
    ["several types", { type: ["string", "null"] }, { kind: "json", description: "" }],
    ["an object of any members", { type: "object" }, { kind: "json", description: "" }],
    ["a list of anything", { type: "array" }, { kind: "json", description: "" }],
  ])("is %s", (_, schema, field) => {
    expect(fieldOf(schema)).toEqual(field);
  });

  test("is a few numbers where an array has a fixed length, named by its description", () => {
    const position = { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2, description: "Start as [longitude, latitude]. Example: [4.89, 52.37]." };
    expect(fieldOf(position)).toMatchObject({ kind: "numbers", labels: ["longitude", "latitude"] });
    expect(fieldOf({ ...position, minItems: 4, maxItems: 4 })).toMatchObject({ kind: "numbers", labels: ["1", "2", "3", "4"] });
  });

  test("is a list of fields otherwise", () => {
    const locations = { type: "array", minItems: 2, items: { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 } };
    expect(fieldOf(locations)).toMatchObject({ kind: "list", least: 2, most: Infinity, item: { kind: "numbers" } });
  });

  test("is a group for an object, as deep as anybody would type", () => {
    const center = { type: "object", properties: { lat: { type: "number" }, label: { type: "string" } }, required: ["lat"] };
    expect(fieldOf(center)).toMatchObject({ kind: "group", members: [{ name: "lat", required: true }, { name: "label", required: false }] });
    const endless: Record<string, unknown> = { type: "object" };
    endless["properties"] = { inside: endless };
    expect(JSON.stringify(fieldOf(endless))).toContain('"kind":"json"');
  });
});

test("what is required stands first, in the schema's order", () => {
  const members = membersOf({ properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } }, required: ["c", "b"] });
  expect(members.map(({ name }) => name)).toEqual(["b", "c", "a"]);
});
