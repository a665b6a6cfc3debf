// What of the engine needs no canvas; the rest is looked at in a browser.

import { describe, expect, test } from "vitest";
import { worldModule } from "../../build/world.ts";
import { tileURL } from "./basemap.ts";
import { projectBounds, projectPath, projectX, projectY } from "./mercator.ts";

describe("tileURL", () => {
  const template = "https://t.example/{z}/{x}/{y}?key={key}&style={style}&tileSize={size}";

  test("fills in all but the tile", () => {
    expect(tileURL(template, "a&b=c", "dark", true)).toBe(
      "https://t.example/{z}/{x}/{y}?key=a%26b%3Dc&style=street-dark&tileSize=512",
    );
    expect(tileURL(template, "k", "light", false)).toContain("style=street-light&tileSize=256");
  });

  test("a key that looks like a pattern stays a key", () => {
    expect(tileURL(template, "$&{z}", "light", false)).toContain("key=%24%26%7Bz%7D&");
  });
});

describe("mercator", () => {
  test("knows the corners of the square", () => {
    expect(projectX(180)).toBeCloseTo(20037508.34, 1);
    expect(projectY(0)).toBeCloseTo(0, 6);
    expect(projectY(90)).toBeCloseTo(20037508.34, 1);
    expect(projectY(-90)).toBeCloseTo(-20037508.34, 1);
  });

  test("takes paths and bounds", () => {
    const path = Float64Array.of(4.9, 52.4, 13.4, 52.5);
    expect(projectPath(path)).toEqual([projectX(4.9), projectY(52.4), projectX(13.4), projectY(52.5)]);
    expect(path[0]).toBe(4.9);
    expect(projectBounds({ west: 1, south: 2, east: 3, north: 4 })).toEqual([projectX(1), projectY(2), projectX(3), projectY(4)]);
  });
});

describe("the embedded world", () => {
  const module = worldModule();
  const read = (name: string): number[][][] => JSON.parse(new RegExp(`export const ${name}=(.*?);`).exec(module)![1]!);
  const land = read("land");

  /** longestStep answers how far a ring goes at once, in degrees of longitude. */
  const longestStep = (ring: number[]): number => Math.max(...ring.map((value, i) => (i > 1 && i % 2 === 0 ? Math.abs(value) / 20 : 0)));

  test("has no outline that jumps across the map, save along its lower edge", () => {
    const jumping = land.flat().filter((ring) => longestStep(ring) > 30);
    expect(jumping).toHaveLength(1);
    let y = 0;
    const lats = jumping[0]!.flatMap((value, i) => (i % 2 === 1 ? [(y += value) / 20] : []));
    expect(Math.min(...lats)).toBe(-90);
    expect(Math.max(...lats)).toBeLessThan(-60);
  });

  test("is small", () => {
    expect(land.length).toBeGreaterThan(100);
    expect(module.length).toBeLessThan(125_000);
  });
});
