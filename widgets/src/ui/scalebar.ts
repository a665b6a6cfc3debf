// How long a stretch on the screen is on the ground.

import { element } from "./dom.ts";
import type { Format } from "./format.ts";

const longestPx = 90;

export class ScaleBar {
  readonly element = element("div", "scale");
  #groundMPerPx: number | undefined;

  /** show takes what a pixel covers, in metres on the ground. */
  show(groundMPerPx: number, format: Format): void {
    this.#groundMPerPx = groundMPerPx;
    this.write(format);
  }

  /** write says the same in other units. */
  write(format: Format): void {
    const groundMPerPx = this.#groundMPerPx;
    if (groundMPerPx === undefined) return;
    const lengthM = format.roundLength(groundMPerPx * longestPx);
    this.element.textContent = format.distance(lengthM);
    this.element.style.width = `${Math.round(lengthM / groundMPerPx)}px`;
  }
}
