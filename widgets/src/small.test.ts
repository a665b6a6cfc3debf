import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { version } from "../package.json";
import { readConfig } from "./config.ts";
import { asArray, asNumber, asText, at } from "./json.ts";
import { reportInput, sendReport } from "./report.ts";
import { formatFor } from "./ui/format.ts";
import { textsFor } from "./ui/texts.ts";

test("readConfig reads what the server embedded, and survives anything else", () => {
  const config = { tiles: "https://t/{z}/{x}/{y}", attribution: "© </script>", incidents: "" };
  expect(readConfig(JSON.stringify(config).replaceAll("<", "\\u003c"))).toEqual(config);
  const none = { tiles: "", attribution: "", incidents: "" };
  for (const text of [undefined, null, "", "{", "[]", "null", '"@widget-config@"', '{"tiles":7}']) {
    expect(readConfig(text)).toEqual(none);
  }
});

test("accessors never throw and never reach what is not the value's own", () => {
  expect(at({ a: { b: 7 } }, "a", "b")).toBe(7);
  for (const value of [undefined, null, 7, "x", [], {}]) expect(at(value, "constructor", "name")).toBeUndefined();
  expect([asText(""), asText(7), asNumber("7"), asNumber(NaN), asNumber(Infinity)]).toEqual(Array(5).fill(undefined));
  expect(asArray({ length: 3 })).toEqual([]);
});

describe("formatFor", () => {
  test.each([
    ["en", 0.6, "0.6 m"],
    ["en", 2.4, "2.4 m"],
    ["en", 850.4, "850 m"],
    ["en", 1234, "1.2 km"],
    ["en", 640892, "641 km"],
    ["de-DE", 1234, "1,2 km"],
    ["en-US", 640892, "398 mi"],
    ["en-GB", 2, "6.6 ft"],
    ["not a locale!", 1000, "1 km"],
    [undefined, 1000, "1 km"],
  ])("writes lengths for %s: %d m", (locale, lengthM, want) => {
    expect(formatFor(locale).distance(lengthM)).toBe(want);
  });

  test.each([
    [20, "20 sec"],
    [59, "1 min"],
    [1500, "25 min"],
    [3600, "1 hr"],
    [23945, "6 hr 39 min"],
    [86400, "24 hr"],
  ])("writes times: %d s", (seconds, want) => {
    expect(formatFor("en").duration(seconds)).toBe(want);
  });

  test.each([
    ["en", 12.1, "13 m"],
    ["en", 999.2, "1,000 m"],
    ["en", 1001, "1.1 km"],
    ["en-US", 12, "40 ft"],
  ])("writes a bound rounded up for %s: %d m", (locale, lengthM, want) => {
    expect(formatFor(locale).bound(lengthM)).toBe(want);
  });

  test("writes a bound in tenths as it came", () => {
    for (let tenths = 1; tenths < 100; tenths++) expect(formatFor("en").bound(tenths / 10)).toBe(`${tenths / 10} m`);
  });

  test("writes numbers and percents", () => {
    expect(formatFor("en").number(12345.67)).toBe("12,345.7");
    expect(formatFor("en").percent(80)).toBe("80%");
  });
});

test("textsFor answers English for a language that the catalogue lacks", () => {
  expect(textsFor("xx-YY")).toBe(textsFor("en-GB"));
  expect(textsFor("constructor")).toBe(textsFor(undefined));
});

describe("reports", () => {
  test("are short, plain, and within what the gateway takes", () => {
    const input = reportInput({
      tool: "t".repeat(100),
      outcome: "error",
      source: "none",
      reason: "fetch_failed",
      detail: `a\u0000\nb\u009fc${"x".repeat(193)}\u{1f5fa}`,
      duration_ms: 1e12,
    });
    expect(input).toEqual({
      tool: "t".repeat(64),
      outcome: "error",
      source: "none",
      reason: "fetch_failed",
      detail: `a b c${"x".repeat(193)} `,
      duration_ms: 3_600_000,
      widget: version,
    });
  });

  test("leave out what there is not", () => {
    expect(reportInput({ tool: "a", outcome: "drawn", source: "inline", detail: "" })).toEqual({
      tool: "a",
      outcome: "drawn",
      source: "inline",
      widget: version,
    });
  });

  test("that the host refuses are nobody's trouble", async () => {
    const call = vi.fn(async () => Promise.reject(new Error("no")));
    await expect(sendReport(call, { tool: "a", outcome: "drawn", source: "inline" })).resolves.toBeUndefined();
    expect(call).toHaveBeenCalledOnce();
  });
});

test("no source parses text as HTML or runs it", () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  expect(sources.length).toBeGreaterThan(30);
  for (const name of sources) {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    expect(text, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|DOMParser/);
  }
});
