// The place in the conversation where a widget is: how wide, how high, or over the whole window.

import { leastHeightPx, maxHeightPx, type Choices } from "../host/context.ts";
import { button, el } from "./dom.ts";

export class Stage {
  readonly slot = el("div", { class: "slot" });
  readonly element = el("div", { class: "stage", "data-mode": "inline" });
  #wantedPx = 240;
  #heightPx: number | undefined;

  constructor(leave: () => void) {
    const back = button("Back to the conversation", leave, { class: "leave" });
    this.element.append(this.slot, back);
  }

  /** columnPx is the room for a widget that fills the column. */
  get columnPx(): number {
    return this.element.clientWidth || 640;
  }

  apply({ mode, widthPx, heightPx }: Choices): void {
    this.element.dataset["mode"] = mode;
    this.#heightPx = heightPx;
    this.slot.style.width = mode === "inline" && widthPx !== undefined ? `${widthPx}px` : "";
    this.#size();
  }

  /** want is the height that the widget asks for. */
  want(px: number): void {
    this.#wantedPx = Math.min(maxHeightPx, Math.max(leastHeightPx, px));
    this.#size();
  }

  #size(): void {
    const isInline = this.element.dataset["mode"] === "inline";
    this.slot.style.height = isInline ? `${this.#heightPx ?? this.#wantedPx}px` : "";
  }
}
