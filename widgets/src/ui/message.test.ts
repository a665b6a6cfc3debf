// @vitest-environment happy-dom
import { describe, expect, test, vi } from "vitest";
import type { Reason } from "../data/failure.ts";
import { Credits } from "./credits.ts";
import { Message, wordsFor } from "./message.ts";
import { textsFor } from "./texts.ts";

const texts = textsFor("en");
const reasons = Object.keys(texts.failures) as Reason[];

describe("a message", () => {
  test.each(reasons)("for %s has a sign, and a button only where a fetch may go better", (reason) => {
    const again = vi.fn();
    const message = new Message(again);
    message.show(wordsFor({ kind: "failed", reason }, texts), texts);
    expect(message.element.hidden).toBe(false);
    expect(message.element.querySelector("svg path")?.getAttribute("d")).toMatch(/^M/);
    const pressed = message.element.querySelector("button");
    expect(pressed !== null).toBe(reason === "fetch_failed" || reason === "no_live_traffic");
    pressed?.click();
    expect(again).toHaveBeenCalledTimes(pressed === null ? 0 : 1);
  });

  test("goes when there is a map", () => {
    const message = new Message(() => undefined);
    message.show(wordsFor({ kind: "drawing" }, texts), texts);
    message.show(wordsFor({ kind: "drawn", scene: { shapes: [], rows: [], legend: [] } }, texts), texts);
    expect(message.element.hidden).toBe(true);
    expect(message.element.textContent).toBe("");
  });
});

test("credits name whoever's map is shown, and the outlines always", () => {
  const credits = new Credits("© Owner");
  document.body.append(credits.line);
  credits.setTexts(texts);
  const opener = credits.line.querySelector<HTMLButtonElement>(".about")!;
  const sheet = (): string => credits.line.querySelector(".sheet")!.textContent ?? "";
  credits.setTiles(false);
  opener.click();
  expect(sheet()).not.toContain("© Owner");
  expect(sheet()).toContain("Natural Earth");
  credits.line.querySelector<HTMLButtonElement>(".sheet .close")!.click();
  credits.setTiles(true);
  opener.click();
  expect(sheet()).toContain("Map: © Owner");
  expect(sheet()).toContain("Natural Earth");
});
