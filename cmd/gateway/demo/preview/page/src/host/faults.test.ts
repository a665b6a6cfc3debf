import { expect, test } from "vitest";
import { handed, partOf, type Fault } from "./faults.ts";

const result = { content: [{ type: "text", text: "x" }], _meta: { "com.tomtom/app-data": "…" } };
const with_ = (...names: Fault[]): Set<Fault> => new Set(names);

test("a host without faults hands the result on as it is", () => {
  expect(handed(result, with_("slow", "twice"))).toBe(result);
});

test("_meta is dropped or replaced, and the original stays whole", () => {
  expect(handed(result, with_("dropMeta"))).toEqual({ content: result.content });
  expect(handed(result, with_("replaceMeta"))["_meta"]).not.toHaveProperty("com.tomtom/app-data");
  expect(result._meta).toHaveProperty("com.tomtom/app-data");
});

test("a partial call has some of its members", () => {
  expect(partOf({ a: 1, b: 2, c: 3 })).toEqual({ a: 1, b: 2 });
  expect(partOf({})).toEqual({});
});
