// The host's own drawing of a fitted line over the original one, about the largest deviation.

import type { Fit, Largest } from "../api/types.ts";
import { outFor, overview, piecesIn, project, scaleM, windowOn, type Piece, type Point, type Window } from "../fit/deviation.ts";
import type { Line } from "../fit/document.ts";
import { button, el, svg } from "./dom.ts";
import { metres } from "./format.ts";

const widthPx = 336;
const heightPx = 208;
const overviewPx = 74;
const farthestOut = 9;
/** A drawing with more vertices than this shows lines alone. */
const mostVertices = 160;

export class Drawing {
  readonly element = el("figure", { class: "drawing" });
  readonly #picture = el("div", { class: "drawing-picture" });
  /** Steps out from where the drawing begins. */
  #out = 0;
  #shown: { largest: Largest; drawn: readonly Line[]; original: readonly Line[] } | undefined;

  constructor() {
    const zoomOut = button("−", () => this.#zoom(1), { "aria-label": "Show more of the ground" });
    const zoomIn = button("+", () => this.#zoom(-1), { "aria-label": "Show less of the ground" });
    const key = el("figcaption", {}, el("span", { class: "key-original" }, "original"), el("span", { class: "key-drawn" }, "as drawn"));
    this.element.append(this.#picture, el("div", { class: "zoom" }, zoomIn, zoomOut), key);
    this.element.hidden = true;
  }

  show({ largest }: Fit, drawn: readonly Line[], original: readonly Line[]): void {
    this.#shown = largest === undefined || original.length === 0 || drawn.length === 0 ? undefined : { largest, drawn, original };
    this.element.hidden = this.#shown === undefined;
    this.#draw();
  }

  #zoom(by: number): void {
    this.#out = Math.min(farthestOut, Math.max(-1, this.#out + by));
    this.#draw();
  }

  #draw(): void {
    if (this.#shown === undefined) return;
    const { largest, drawn, original } = this.#shown;
    const window = windowOn(largest, widthPx, heightPx, outFor(largest, drawn, widthPx, heightPx) + this.#out);
    const label = `The line as drawn and the original where they are farthest apart: ${metres(largest.error_m)}`;
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${widthPx} ${heightPx}`, role: "img", "aria-label": label },
      ...lines(piecesIn(window, original), "original"),
      ...lines(piecesIn(window, drawn), "drawn"),
      deviation(window, largest),
      scale(window),
      locator(drawn, largest),
    );
    this.#picture.replaceChildren(picture);
  }
}

function lines(pieces: readonly Piece[], kind: "original" | "drawn"): SVGElement[] {
  const paths = pieces.map(({ points }) => svg("path", { class: kind, d: pathOf(points) }));
  const vertices = pieces.flatMap((piece) => piece.vertices);
  if (vertices.length > mostVertices) return paths;
  return [...paths, ...vertices.map(([x, y]) => svg("circle", { class: kind, cx: x.toFixed(1), cy: y.toFixed(1), r: kind === "drawn" ? 4 : 2.5 }))];
}

function pathOf(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

function deviation(window: Window, { at, drawn, error_m }: Largest): SVGElement {
  const [[ax, ay], [bx, by]] = [project(window, at), project(window, drawn)];
  // The number stands off the end at the original vertex, where neither line is.
  const length = Math.hypot(ax - bx, ay - by) || 1;
  const away: Point = [ax + ((ax - bx) / length) * 20, ay + ((ay - by) / length) * 16 + 4];
  return svg(
    "g",
    { class: "deviation" },
    svg("line", { x1: ax, y1: ay, x2: bx, y2: by }),
    svg("circle", { cx: ax, cy: ay, r: 4.5 }),
    svg("text", { x: away[0], y: away[1], "text-anchor": ax > bx + 8 ? "start" : ax < bx - 8 ? "end" : "middle" }, metres(error_m)),
  );
}

function scale(window: Window): SVGElement {
  const metresLong = scaleM(window, 90);
  const px = metresLong / window.metresPerPx;
  const y = heightPx - 12;
  return svg(
    "g",
    { class: "scale" },
    svg("path", { d: `M12 ${y - 4}v4h${px.toFixed(1)}v-4` }),
    svg("text", { x: 16, y: y - 5 }, metres(metresLong)),
  );
}

/** locator is the whole line, and where on it the window is. */
function locator(drawn: readonly Line[], { at }: Largest): SVGElement {
  const whole = overview(drawn, at, overviewPx);
  return svg(
    "g",
    { class: "locator", transform: `translate(${widthPx - overviewPx - 8} ${heightPx - overviewPx - 8})` },
    svg("rect", { width: overviewPx, height: overviewPx, rx: 6 }),
    ...whole.lines.map((points) => svg("path", { d: pathOf(points) })),
    svg("circle", { cx: whole.at[0], cy: whole.at[1], r: 3.5 }),
  );
}
