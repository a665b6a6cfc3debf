import { describe, expect, test } from "vitest";
import { outFor, overview, piecesIn, project, scaleM, windowOn, type Window } from "./deviation.ts";

const largest = { at: [4.9, 52.37] as const, drawn: [4.9, 52.3701] as const, error_m: 11.1 };

function distance([ax, ay]: readonly [number, number], [bx, by]: readonly [number, number]): number {
  return Math.hypot(ax - bx, ay - by);
}

describe("the window", () => {
  test("has the deviation in its middle, as long as its metres are", () => {
    const window = windowOn(largest, 336, 208);
    const [at, drawn] = [project(window, largest.at), project(window, largest.drawn)];
    expect((at[0] + drawn[0]) / 2).toBeCloseTo(168, 3);
    expect((at[1] + drawn[1]) / 2).toBeCloseTo(104, 3);
    expect(distance(at, drawn) * window.metresPerPx).toBeCloseTo(largest.error_m, 1);
    expect(distance(at, drawn)).toBeCloseTo(36, 0);
  });

  test("is the same in both directions: a square on the ground is a square in the drawing", () => {
    const window = windowOn({ ...largest, at: [4.9, 60], drawn: [4.9, 60.0001] }, 336, 208);
    const [x0, y0] = project(window, [4.9, 60]);
    const east = project(window, [4.9 + 0.001 / Math.cos((60 * Math.PI) / 180), 60])[0] - x0;
    const north = y0 - project(window, [4.9, 60.001])[1];
    expect(east).toBeCloseTo(north, 1);
  });

  test("shows twice the ground with each step out", () => {
    expect(windowOn(largest, 336, 208, 3).metresPerPx).toBeCloseTo(8 * windowOn(largest, 336, 208).metresPerPx);
  });

  test("begins as far out as shows how the drawn line goes on, but not so far that the deviation is lost", () => {
    const along = (...metres: number[]): [number, number][] => metres.map((m) => [4.9 + m / 67_900, 52.3701]);
    expect(outFor(largest, [along(-20, 20)], 336, 208)).toBe(0);
    expect(outFor(largest, [along(-90, 5, 90)], 336, 208)).toBeGreaterThan(0);
    const lost = outFor(largest, [along(-5000, 5000)], 336, 208);
    expect(largest.error_m / windowOn(largest, 336, 208, lost).metresPerPx).toBeCloseTo(24, 0);
  });

  test("has a size where there is no deviation at all, and goes the short way round the world", () => {
    expect(windowOn({ at: [1, 1], drawn: [1, 1], error_m: 0 }, 336, 208).metresPerPx).toBeGreaterThan(0);
    const window: Window = { centre: [179.999, 0], metresPerPx: 1, widthPx: 336, heightPx: 208 };
    expect(project(window, [-179.999, 0])[0]).toBeCloseTo(168 + 0.002 * 111_195, 0);
  });
});

describe("pieces", () => {
  const window: Window = { centre: [0, 0], metresPerPx: 1, widthPx: 200, heightPx: 100 };
  const degrees = (m: number): number => m / 111_195;
  const line = (...metres: [number, number][]): [number, number][] => metres.map(([x, y]) => [degrees(x), degrees(y)]);

  test("are the segments that touch the window, as one where they follow each other", () => {
    const [piece, ...others] = piecesIn(window, [line([-500, 0], [-50, 0], [50, 10], [500, 0], [900, 0])]);
    expect(others).toEqual([]);
    expect(piece!.points).toHaveLength(4);
    expect(piece!.vertices).toHaveLength(2);
  });

  test("are none where a line passes by, and two where it comes back", () => {
    expect(piecesIn(window, [line([-500, 300], [500, 300])])).toEqual([]);
    expect(piecesIn(window, [line([-500, 10], [500, 10], [500, 300], [-500, 300], [-500, -10], [500, -10])])).toHaveLength(2);
  });

  test("keep a long segment's course, though its ends come nearer", () => {
    const [piece] = piecesIn(window, [line([-4_000_000, -20], [3_000_000, -20])]);
    for (const [x, y] of piece!.points) {
      expect(Math.abs(x)).toBeLessThan(5000);
      expect(y).toBeCloseTo(70, 1);
    }
  });

  test("of a slanted long segment stay on it", () => {
    const [piece] = piecesIn(window, [line([-400_000, -400_000], [400_000, 400_000])]);
    for (const [x, y] of piece!.points) expect(x - 100).toBeCloseTo(50 - y, 0);
  });
});

test("the overview fits all lines and the place into its square", () => {
  const whole = overview([[[-9, 38], [0, 45], [21, 52]]], [0, 45], 74);
  for (const [x, y] of [...whole.lines.flat(), whole.at]) {
    expect(x).toBeGreaterThanOrEqual(5.9);
    expect(x).toBeLessThanOrEqual(68.1);
    expect(y).toBeGreaterThanOrEqual(5.9);
    expect(y).toBeLessThanOrEqual(68.1);
  }
  const dense = Array.from({ length: 40_000 }, (_, i) => [i / 4000, 50] as const);
  expect(overview([dense], [0, 50], 74).lines[0]!.length).toBeLessThan(80);
});

test.each([[0.07, 5], [1, 50], [3.3, 200], [12, 1000]])("at %f metres a pixel the scale is %i m", (metresPerPx, metres) => {
  expect(scaleM({ centre: [0, 0], metresPerPx, widthPx: 1, heightPx: 1 }, 90)).toBe(metres);
});
