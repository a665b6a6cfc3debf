// How a result fills the host's limit.

import type { Fit } from "../api/types.ts";
import { asArray, asText, at, type JsonObject } from "../json.ts";

export interface Part {
  readonly name: "text" | "data" | "picture" | "rest" | "room" | "over";
  readonly characters: number;
  /** Of the whole bar, from 0 to 1. */
  readonly share: number;
}

/** parts of the bar, in order. What is over the limit stands at the end, and the bar is then as long as the result. */
export function parts({ limit, characters, text_characters, data_characters, result }: Fit): Part[] {
  const pictures = pictureCharacters(result);
  const whole = Math.max(limit, characters);
  const list: [Part["name"], number][] = [
    ["text", text_characters],
    ["data", data_characters],
    ["picture", pictures],
    ["rest", characters - text_characters - data_characters - pictures],
    ["room", Math.max(0, limit - characters)],
  ];
  if (characters > limit) list.push(["over", characters - limit]);
  return list
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ name, characters: count, share: name === "over" ? 0 : count / whole }));
}

/** pictureCharacters is what the result's images take. */
function pictureCharacters(result: JsonObject): number {
  const images = asArray(result["content"]).filter((block) => at(block, "type") === "image");
  return images.reduce<number>((sum, image) => sum + (asText(at(image, "data"))?.length ?? 0), 0);
}

/** stepsOf puts a tool's own limit among the steps of the slider. */
export function stepsOf(steps: readonly number[], own: number): number[] {
  return [...new Set([...steps, own])].sort((a, b) => a - b);
}
