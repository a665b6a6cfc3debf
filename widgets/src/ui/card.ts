// The card beside the map: what was found, and what the colours mean.

import { between } from "../scene/colour.ts";
import { paletteFor, type Theme } from "../engine/palette.ts";
import type { Detail, Row, Scene } from "../scene/scene.ts";
import { button, element } from "./dom.ts";
import type { Texts } from "./texts.ts";

/** More rows than this are counted, not listed. */
const maxRows = 50;

export function cardFor(scene: Scene, notes: readonly string[], theme: Theme, texts: Texts, number: (value: number) => string): HTMLElement | undefined {
  if (scene.rows.length + scene.legend.length + notes.length === 0) return undefined;
  const card = element("div", "card panel");
  if (scene.rows.length > 0) {
    const list = element("ul", "rows", ...scene.rows.slice(0, maxRows).map((row) => rowFor(row, theme)));
    const more = scene.rows.length - maxRows;
    if (more > 0) list.append(element("li", "more", texts.moreRows(number(more))));
    card.append(list);
  }
  if (scene.legend.length > 0) {
    card.append(element("ul", "legend", ...scene.legend.map((row) => rowFor(row, theme))));
  }
  for (const note of notes) card.append(element("p", "note", note));
  return card;
}

function rowFor(row: Row, theme: Theme): HTMLElement {
  const words = element("span", "words", element("span", "name", row.title));
  if (row.text !== "") words.append(element("span", "text", row.text));
  const item = element("li", "", words);
  const swatch = swatchFor(row, theme);
  if (swatch !== undefined) item.prepend(swatch);
  return item;
}

function swatchFor({ swatch, colour, number, rank }: Row, theme: Theme): HTMLElement | undefined {
  if (swatch === undefined) return undefined;
  const palette = paletteFor(theme);
  const ranked = rank === undefined ? undefined : between(palette.ranges[0], palette.ranges[1], rank);
  const made = element("span", number === undefined ? "swatch" : "number", number === undefined ? "" : String(number));
  made.style.backgroundColor = colour ?? ranked ?? palette.role[swatch];
  made.setAttribute("aria-hidden", number === undefined ? "true" : "false");
  return made;
}

export function detailFor(detail: Detail, texts: Texts, close: () => void): HTMLElement {
  const box = element("div", "detail panel", button("close", "×", texts.close, close));
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", texts.details);
  if (detail.title !== "") box.append(element("p", "name", detail.title));
  for (const line of detail.lines) box.append(element("p", "text", line));
  return box;
}
