import { expect, test } from "vitest";
import type { Fit } from "../api/types.ts";
import { parts, stepsOf } from "./share.ts";

function fit(limit: number, characters: number, text: number, data: number): Fit {
  return { limit, characters, text_characters: text, data_characters: data, tokens: 0, agent: [], result: {} };
}

test("the bar's parts are the whole limit", () => {
  const all = parts(fit(1000, 800, 100, 600));
  expect(all.map(({ name, characters }) => [name, characters])).toEqual([["text", 100], ["data", 600], ["rest", 100], ["room", 200]]);
  expect(all.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("a picture in the result is one of them", () => {
  const content = [{ type: "text", text: "x" }, { type: "image", data: "abcd" }];
  expect(parts({ ...fit(100, 50, 1, 0), result: { content } }).find(({ name }) => name === "picture")).toMatchObject({ characters: 4 });
});

test("what is over the limit is said, and the bar is the result", () => {
  const all = parts(fit(500, 800, 700, 0));
  expect(all.at(-1)).toMatchObject({ name: "over", characters: 300 });
  expect(all.find(({ name }) => name === "room")).toBeUndefined();
  expect(all.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("a tool's own limit is one of the steps, once and in order", () => {
  expect(stepsOf([20, 40, 60], 50)).toEqual([20, 40, 50, 60]);
  expect(stepsOf([20, 40, 60], 40)).toEqual([20, 40, 60]);
});
