// How a thing on the map is named to the model: short, and on one line that nothing in the data can break out of.

import type { Detail } from "./scene/scene.ts";

/** nameOf answers what tells the thing from others, without quotation marks: it is for a text that quotes it. */
export function nameOf({ title, kind, lines }: Detail, maxChars: number): string {
  const words = [title, kind ?? "", ...lines].filter((part) => part !== "").join("; ");
  const line = words.replace(/[\p{C}\s]+/gu, " ").replace(/["“”„«»「」]/g, "'").trim();
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}
