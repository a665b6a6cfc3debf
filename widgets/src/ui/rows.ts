// Rows of the card and its legend: a swatch or a number, and words. A row that stands for something on the map is a
// button.

import { paletteFor, type Theme } from "../engine/palette.ts";
import { between } from "../scene/colour.ts";
import type { Row } from "../scene/scene.ts";
import { element } from "./dom.ts";

export type Choose = (id: string) => void;

export function rowFor(row: Row, theme: Theme, choose?: Choose): HTMLLIElement {
  const content = row.ramp === undefined ? plainContent(row, theme) : rampContent(row, row.ramp);
  const { id } = row;
  if (id === undefined || choose === undefined) return element("li", "", ...content);
  const chosen = element("button", "row", ...content);
  chosen.type = "button";
  chosen.dataset["id"] = id;
  chosen.setAttribute("aria-pressed", "false");
  chosen.addEventListener("click", () => choose(id));
  return element("li", "", chosen);
}

function plainContent(row: Row, theme: Theme): HTMLElement[] {
  const words = element("span", "words", element("span", "name", row.title));
  if (row.text !== "") words.append(element("span", "text", row.text));
  const swatch = swatchFor(row, theme);
  return swatch === undefined ? [words] : [swatch, words];
}

function rampContent({ title, text }: Row, colours: readonly string[]): HTMLElement[] {
  const bar = element("span", "ramp");
  bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  bar.setAttribute("aria-hidden", "true");
  return [element("span", "text", title), bar, element("span", "text", text)];
}

/** Lines are shown as a stroke, the rest as a mark. */
const strokes = /^(route|alternative|delay-|toll|ferry|tunnel)/;

function striped(stripe: string, ground: string): string {
  return `repeating-linear-gradient(to right, transparent 0 2px, ${stripe} 2px 5px) center / 100% 2px no-repeat ${ground}`;
}

function swatchFor({ swatch, colour, number, rank }: Row, theme: Theme): HTMLElement | undefined {
  if (swatch === undefined) return undefined;
  const palette = paletteFor(theme);
  const ranked = rank === undefined ? undefined : between(palette.ranges[0], palette.ranges[1], rank);
  const form = number !== undefined ? "number" : strokes.test(swatch) ? "swatch" : "swatch mark";
  const made = element("span", form, number === undefined ? "" : String(number));
  made.style.backgroundColor = colour ?? ranked ?? palette.role[swatch];
  // As on the map: dots of the road's colour on a pale ground, pale dashes on the road.
  if (swatch === "ferry") made.style.background = striped(palette.role.route, palette.halo);
  if (swatch === "tunnel") made.style.background = striped(palette.role.tunnel, palette.role.route);
  if (number !== undefined) made.style.color = palette.onMark;
  made.setAttribute("aria-hidden", number === undefined ? "true" : "false");
  return made;
}
