import { expect, test } from "vitest";
import type { Picture } from "../../../../../../widgets/test/browser/png.ts";
import { animation } from "./animation.ts";

/** square has a colour for each pixel, row by row. */
function square(colour: (i: number) => number): Picture {
  const side = 16;
  const values = Uint8Array.from({ length: side * side }, (_, i) => colour(i));
  return { width: side, height: side, at: (x: number, y: number) => ([[255, 255, 255], [22, 102, 216], [200, 0, 0]] as const)[values[y * side + x]!]! } as unknown as Picture;
}

test("frames are whole once, and then what changed", () => {
  const [first, second] = [square((i) => i % 2), square((i) => (i === 5 ? 2 : i % 2))];
  const still = animation([{ picture: first, ms: 500 }]);
  const moved = animation([{ picture: first, ms: 500 }, { picture: second, ms: 700 }]);
  expect(new TextDecoder().decode(still.subarray(0, 6))).toBe("GIF89a");
  expect(moved.length - still.length).toBeLessThan(still.length);
});
