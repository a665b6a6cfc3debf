import { describe, expect, test } from "vitest";
import { readResult, textOf } from "./result.ts";

const text = (value: unknown): object => ({ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) });

describe("readResult", () => {
  test("reads what the gateway writes", () => {
    const result = readResult({
      content: [text({ show_ui: true, tool: "tomtom-routing" })],
      _meta: {
        "com.tomtom/app-data": "H4sI",
        "com.tomtom/app-data-status": "fitted",
        "com.tomtom/simplification": { original_points: 39414, points: 15604, max_error_m: 2, shed: ["ids", 7] },
        show_ui: true,
        tool: "tomtom-routing",
      },
    });
    expect(result).toEqual({
      isError: false,
      tool: "tomtom-routing",
      showUI: true,
      appData: "H4sI",
      status: "fitted",
      simplification: { points: 15604, originalPoints: 39414, maxErrorM: 2, shed: ["ids"] },
      text: { show_ui: true, tool: "tomtom-routing" },
    });
  });

  test.each([
    ["_meta says no", { content: [text({ show_ui: true })], _meta: { show_ui: false } }, false],
    ["the text says no", { content: [text({ show_ui: false })], _meta: { show_ui: true } }, false],
    ["the text says no and _meta is gone", { content: [text({ show_ui: false })] }, false],
    ["neither says a thing", { content: [text({})] }, true],
    ["the word is no boolean", { content: [text({ show_ui: "false" })] }, true],
  ])("shows the map or not: %s", (_name, raw, want) => {
    expect(readResult(raw).showUI).toBe(want);
  });

  test("of several texts takes the one that carries show_ui", () => {
    const { text: found } = readResult({
      content: [text("A map."), { type: "image", data: "aGk=" }, text({ a: 1 }), text({ show_ui: true, tool: "tomtom-dynamic-map" })],
    });
    expect(found).toEqual({ show_ui: true, tool: "tomtom-dynamic-map" });
  });

  test("reads the reference of a server on this machine", () => {
    expect(readResult({ content: [text({ app_data_ref: "r-1" })] }).appDataRef).toBe("r-1");
  });

  test.each([
    ["empty", {}],
    ["content is no list", { content: "text" }],
    ["items are nothing", { content: [null, 7, "x", {}, { type: "text" }] }],
    ["text is no JSON", { content: [text("{")] }],
    ["text is a list", { content: [text([1])] }],
    ["_meta is a list", { content: [], _meta: ["a"] }],
    ["members have other types", { _meta: { tool: 7, "com.tomtom/app-data": {}, "com.tomtom/simplification": { points: "1" } } }],
  ])("survives a result that is %s", (_name, raw) => {
    expect(readResult(raw)).toEqual({ isError: false, showUI: true });
  });
});

test("textOf answers the first text as it is", () => {
  expect(textOf({ content: [{ type: "image" }, text(" key "), text("b")] })).toBe(" key ");
  expect(textOf({ content: [] })).toBeUndefined();
});
