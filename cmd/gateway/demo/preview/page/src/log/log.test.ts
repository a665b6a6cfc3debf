import { expect, test } from "vitest";
import { isReport, Log, matches, shortened, type Entry, type Way } from "./log.ts";

function logOf(): { log: Log; last: () => Entry } {
  const log = new Log(() => undefined, () => 0);
  return { log, last: () => log.entries.at(-1)! };
}

test("an answer has the method of its request, whichever side asked", () => {
  const { log, last } = logOf();
  log.message("from widget", { id: 1, method: "ui/initialize", params: {} });
  log.message("to widget", { id: 1, method: "ui/resource-teardown", params: {} });
  log.message("to widget", { id: 1, result: {} });
  expect(last()).toMatchObject({ method: "ui/initialize", kind: "answer", way: "to widget" });
  log.message("from widget", { id: 1, error: { code: -1, message: "no" } });
  expect(last()).toMatchObject({ method: "ui/resource-teardown", kind: "error" });
});

test("an app status stands out, with what it says", () => {
  const { log, last } = logOf();
  const report = { name: "tomtom-report-app-status", arguments: { tool: "tomtom-routing", outcome: "error", reason: "data_missing", source: "none" } };
  log.message("from widget", { id: 2, method: "tools/call", params: report });
  expect(isReport(last())).toBe(true);
  expect(last().about).toBe("tomtom-report-app-status · error · data_missing · none");
  log.message("from widget", { id: 3, method: "tools/call", params: { name: "tomtom-get-api-key" } });
  expect(isReport(last())).toBe(false);
});

test("a key is not shown, and a failure to give one is", () => {
  const { log, last } = logOf();
  log.message("from widget", { id: 4, method: "tools/call", params: { name: "tomtom-get-api-key" } });
  log.message("to widget", { id: 4, result: { content: [{ type: "text", text: "secret" }] } });
  expect(JSON.stringify(last())).not.toContain("secret");
  log.message("from widget", { id: 5, method: "tools/call", params: { name: "tomtom-get-api-key" } });
  log.message("to widget", { id: 5, error: { message: "rejected" } });
  expect(JSON.stringify(last())).toContain("rejected");
});

test("long texts and lists are cut, also deep inside, and the length is that of the whole", () => {
  const { log, last } = logOf();
  const data = "x".repeat(100_000);
  log.message("to widget", { method: "ui/notifications/tool-result", params: { _meta: { data }, list: Array.from({ length: 500 }, (_, i) => i) } });
  expect(last().characters).toBeGreaterThan(100_000);
  expect(JSON.stringify(last().detail).length).toBeLessThan(1000);
  expect(shortened({ a: { b: "short" } })).toEqual({ a: { b: "short" } });
});

test("the log forgets the oldest entries", () => {
  const { log } = logOf();
  for (let i = 0; i < 600; i++) log.note("n", String(i));
  expect(log.entries).toHaveLength(500);
  expect(log.entries[0]!.about).toBe("100");
});

test("a filter wants all its words, and the directions that are on", () => {
  const { log, last } = logOf();
  log.message("from widget", { id: 6, method: "tools/call", params: { name: "tomtom-get-app-data" } });
  const all = new Set<Way>(["to widget", "from widget", "host", "gateway"]);
  expect(matches(last(), "", all)).toBe(true);
  expect(matches(last(), "CALL app-data", all)).toBe(true);
  expect(matches(last(), "call traffic", all)).toBe(false);
  expect(matches(last(), "", new Set<Way>(["host"]))).toBe(false);
});
