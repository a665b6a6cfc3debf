// The box that tells about one thing on the map, standing at it.

import type { Detail } from "../scene/scene.ts";
import { askButton, type Ask } from "./ask.ts";
import { button, element } from "./dom.ts";
import type { Texts } from "./texts.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface PopupActions {
  close(): void;
  openLink(url: string): void;
  /** ask is undefined where the host takes no messages. */
  ask(): Ask | undefined;
  /** say is for a screen reader. */
  say(words: string): void;
}

/** How far the box stands from what it tells about, and from the frame's edges. */
const gapPx = 16;
const edgePx = 8;

/**
 * place answers where the box goes: above the point, below it where there is no room above, and never out of the frame.
 */
export function place(at: Point, box: Size, frame: Size): Point {
  const within = (value: number, length: number, whole: number): number => Math.max(edgePx, Math.min(value, whole - length - edgePx));
  const above = at.y - gapPx - box.height;
  const below = at.y + gapPx;
  const fitsBelow = below + box.height + edgePx <= frame.height;
  const y = above >= edgePx || !fitsBelow ? above : below;
  return { x: within(at.x - box.width / 2, box.width, frame.width), y: within(y, box.height, frame.height) };
}

export class Popup {
  /** It takes no room of its own: it is laid over the whole frame. */
  readonly slot = element("div", "detail-slot");
  #box: HTMLElement | undefined;
  #at: Point | undefined;

  constructor(readonly actions: PopupActions) {}

  get isOpen(): boolean {
    return this.#box !== undefined;
  }

  show(detail: Detail, texts: Texts): void {
    const focused = [...this.slot.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
    this.#box = detailFor(detail, texts, this.actions);
    this.#box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.actions.close();
    });
    this.slot.replaceChildren(this.#box);
    this.#place();
    // The same thing in other words: the keyboard stays on its button.
    this.#box.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
  }

  hide(): void {
    this.#box = undefined;
    this.#at = undefined;
    this.slot.replaceChildren();
  }

  /** moveTo follows the map. at is in CSS pixels of the frame; undefined where the thing is out of sight. */
  moveTo(at: Point | undefined): void {
    this.#at = at;
    this.#place();
  }

  #place(): void {
    const box = this.#box;
    if (box === undefined) return;
    // Nowhere to point at: the stylesheet has a corner for it.
    box.classList.toggle("adrift", this.#at === undefined);
    if (this.#at === undefined) {
      box.style.translate = "";
      return;
    }
    const frame = { width: this.slot.clientWidth, height: this.slot.clientHeight };
    const { x, y } = place(this.#at, { width: box.offsetWidth, height: box.offsetHeight }, frame);
    box.style.translate = `${Math.round(x)}px ${Math.round(y)}px`;
  }
}

export function detailFor(detail: Detail, texts: Texts, actions: PopupActions): HTMLElement {
  const box = element("div", "detail panel", button("close", "×", texts.close, () => actions.close()));
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", texts.details);
  if (detail.title !== "") box.append(element("p", "name", detail.title));
  if (detail.kind !== undefined) box.append(element("p", "kind", detail.kind));
  for (const line of detail.lines) box.append(element("p", "text", line));
  if (detail.fields !== undefined && detail.fields.length > 0) {
    const rows = detail.fields.map(({ name, text }) => element("div", "", element("dt", "", name), element("dd", "", text)));
    box.append(element("dl", "fields", ...rows));
  }
  const further = element("div", "further");
  const { link } = detail;
  if (link !== undefined) {
    const opened = element("button", "link", texts.website);
    opened.type = "button";
    opened.title = link;
    opened.addEventListener("click", () => actions.openLink(link));
    further.append(opened);
  }
  const ask = actions.ask();
  if (ask !== undefined) further.append(askButton(detail, texts, ask, (words) => actions.say(words)));
  if (further.childElementCount > 0) box.append(further);
  return box;
}
