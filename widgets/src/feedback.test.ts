import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Sight } from "./engine/engine.ts";
import { Feedback, pauseMs, sentenceFor } from "./feedback.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sight = (west: number, byPerson = true): Sight => ({
  bounds: { west, south: 52, east: 5.123456, north: 53 },
  zoom: 6.44,
  groundMPerPx: 10,
  byPerson,
});

function made(send = vi.fn(async (_text: string): Promise<void> => undefined)) {
  const feedback = new Feedback(send, (error) => error === "never");
  feedback.begin("tomtom-routing");
  return { feedback, send };
}

test("a sentence has the map's bounds and what is selected, short and on one line", () => {
  expect(sentenceFor("t", sight(4), { title: "A\n\u0000B", kind: "café", lines: ['say "hi"', "x".repeat(400)] })).toMatch(
    /^The person looks at the map of t: bbox \[4, 52, 5.12, 53\] \(west, south, east, north\), zoom 6\.4\. Selected on it: "A B; café; say 'hi'; x+…"\.$/,
  );
  expect(sentenceFor("t", undefined, undefined)).toBe("Nothing on it is selected.");
});

test("only what a person did is told, after a pause, and the latest", async () => {
  const { feedback, send } = made();
  feedback.looked(sight(1, false));
  await vi.advanceTimersByTimeAsync(2 * pauseMs);
  expect(send).not.toHaveBeenCalled();
  for (const west of [1, 2, 3]) {
    feedback.looked(sight(west));
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
  }
  await vi.advanceTimersByTimeAsync(1);
  expect(send.mock.calls.map(([text]) => /bbox \[\d/.exec(text)?.[0])).toEqual(["bbox [3"]);
  feedback.looked(sight(3));
  await vi.advanceTimersByTimeAsync(2 * pauseMs);
  expect(send).toHaveBeenCalledTimes(1);
});

test("one text at a time: what happens meanwhile is told afterwards", async () => {
  let release = (): void => undefined;
  const { feedback, send } = made(vi.fn(() => new Promise<void>((resolve) => (release = resolve))));
  feedback.selected({ title: "A", lines: [] });
  await vi.advanceTimersByTimeAsync(pauseMs);
  feedback.selected({ title: "B", lines: [] });
  feedback.selected({ title: "C", lines: [] });
  await vi.advanceTimersByTimeAsync(3 * pauseMs);
  expect(send).toHaveBeenCalledTimes(1);
  release();
  await vi.advanceTimersByTimeAsync(pauseMs);
  expect(send.mock.calls.map((call) => (call as string[])[0])).toEqual(['Selected on it: "A".', 'Selected on it: "C".']);
});

test.each([
  ["never", 1],
  ["busy", 2],
])("a refusal of the kind %s", async (refusal, calls) => {
  const { feedback, send } = made(vi.fn(async () => Promise.reject(refusal)));
  for (const title of ["A", "B"]) {
    feedback.selected({ title, lines: [] });
    await vi.advanceTimersByTimeAsync(pauseMs);
  }
  expect(send).toHaveBeenCalledTimes(calls);
});

test("a map that is gone has nothing to tell", async () => {
  const { feedback, send } = made();
  feedback.selected({ title: "A", lines: [] });
  feedback.end();
  await vi.advanceTimersByTimeAsync(2 * pauseMs);
  expect(send).not.toHaveBeenCalled();
});
