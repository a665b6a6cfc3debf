// Where the map looks: at the whole scene until the person takes over, and then where that person wants it.

import type OLMap from "ol/Map.js";
import type View from "ol/View.js";
import { boundsOf } from "../scene/bounds.ts";
import type { Bounds, SingleShape } from "../scene/scene.ts";
import { boundsOfExtent, groundMPerPx, projectBounds, projectX, projectY } from "./mercator.ts";

/** What the shell's own boxes cover of the map, in CSS pixels. */
export interface Padding {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

export interface Sight {
  readonly bounds: Bounds;
  readonly zoom: number;
  /** In the middle of the map. */
  readonly groundMPerPx: number;
  /** Whether a person moved the map, rather than this document. */
  readonly byPerson: boolean;
}

export const wholeWorld: Bounds = { west: -170, south: -56, east: 180, north: 74 };
/** A lone place is shown with its neighbourhood. */
const maxFitZoom = 15.5;
/** A row of the card is shown from no closer than this, unless the person is closer. */
const rowZoom = 13;
/** From here on, places that still lie together are told about rather than zoomed into. */
const closestZoom = 18;
const moveMs = 250;

/** How far a pin reaches from its spot: it has to be in sight as a whole. */
const pinPx = { above: 14, beside: 10 };

export class Camera {
  #bounds: Bounds = wholeWorld;
  #padding: Padding = { top: 0, right: 0, bottom: 0, left: 0 };
  /** The person has taken over: a new size no longer brings the whole scene back. */
  #taken = false;

  constructor(readonly map: OLMap) {
    map.on("change:size", () => this.#fit());
  }

  take(): void {
    this.#taken = true;
  }

  /** frame looks at bounds, now and at every new size. It resolves once the map has a size. */
  async frame(bounds: Bounds, padding: Padding): Promise<void> {
    this.#bounds = bounds;
    this.#padding = padding;
    this.#taken = false;
    await this.#sized();
    this.#fit();
  }

  /** pad is told of boxes that have grown or shrunk. */
  pad(padding: Padding): void {
    this.#padding = padding;
    this.#fit();
  }

  zoomBy(levels: number): void {
    this.#taken = true;
    this.#view.cancelAnimations();
    this.#view.animate({ zoom: (this.#view.getZoom() ?? 1) + levels, duration: moveDuration() });
  }

  /** closer zooms to where the bounds part, and answers whether that shows more. */
  closer(bounds: Bounds): boolean {
    const extent = projectBounds(bounds);
    const zoom = this.#view.getZoom() ?? 0;
    const parted = this.#view.getZoomForResolution(this.#view.getResolutionForExtent(extent, this.map.getSize())) ?? zoom;
    if (zoom >= closestZoom - 0.01 || parted <= zoom) return false;
    this.#view.fit(extent, { padding: this.#roomyPadding(), maxZoom: closestZoom, duration: moveDuration() });
    return true;
  }

  /** reveal moves the map only where it has to: a point in sight stays where it is, a stretch is shown as a whole. */
  reveal(shapes: readonly SingleShape[]): void {
    const bounds = boundsOf(shapes);
    if (bounds === undefined || !this.#hasSize()) return;
    this.#taken = true;
    const [only] = shapes;
    if (only?.kind === "point" && shapes.length === 1 && this.#sees(only.lon, only.lat)) return;
    this.#view.fit(projectBounds(bounds), {
      padding: this.#roomyPadding(),
      maxZoom: Math.max(rowZoom, this.#view.getZoom() ?? 0),
      duration: moveDuration(),
    });
  }

  /** sight is undefined while the map has no size. */
  sight(): Sight | undefined {
    if (!this.#hasSize()) return undefined;
    const extent = this.#view.calculateExtent(this.map.getSize());
    return {
      bounds: boundsOfExtent(extent),
      zoom: this.#view.getZoom() ?? 0,
      groundMPerPx: groundMPerPx(this.#view.getResolution() ?? 1, (extent[1]! + extent[3]!) / 2),
      byPerson: this.#taken,
    };
  }

  get #view(): View {
    return this.map.getView();
  }

  #size(): readonly [number, number] {
    const [width = 0, height = 0] = this.map.getSize() ?? [];
    return [width, height];
  }

  #hasSize(): boolean {
    return this.#size().every((px) => px > 0);
  }

  #sized(): Promise<void> {
    this.map.updateSize();
    if (this.#hasSize()) return Promise.resolve();
    return new Promise((resolve) => {
      const listener = (): void => {
        if (!this.#hasSize()) return;
        this.map.un("change:size", listener);
        resolve();
      };
      this.map.on("change:size", listener);
    });
  }

  #fit(): void {
    if (!this.#hasSize() || this.#taken) return;
    this.#view.fit(projectBounds(this.#bounds), { padding: this.#roomyPadding(), maxZoom: maxFitZoom });
  }

  /** Padding that leaves no map is of no use: a small frame shows the whole scene under the boxes. */
  #roomyPadding(): number[] {
    const [width, height] = this.#size();
    const { top, right, bottom, left } = this.#padding;
    if (width - left - right <= 80 || height - top - bottom <= 80) return [8, 8, 8, 8];
    return [top + pinPx.above, right + pinPx.beside, bottom + pinPx.beside, left + pinPx.beside];
  }

  #sees(lon: number, lat: number): boolean {
    const [x = -1, y = -1] = this.map.getPixelFromCoordinate([projectX(lon), projectY(lat)]) ?? [];
    const [width, height] = this.#size();
    const [top = 0, right = 0, bottom = 0, left = 0] = this.#roomyPadding();
    return x >= left && y >= top && x <= width - right && y <= height - bottom;
  }
}

/** moveDuration: none where the person asked for less motion. */
function moveDuration(): number {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : moveMs;
}
