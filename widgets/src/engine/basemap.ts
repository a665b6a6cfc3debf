// Raster tiles over the embedded world.

import TileLayer from "ol/layer/Tile.js";
import XYZ from "ol/source/XYZ.js";
import type { Theme } from "./palette.ts";

/** shown: at least one tile came. blocked: one failed, and none came so far. */
export type TileState = "shown" | "blocked";

/** tileURL fills in everything but {z}, {x} and {y}. */
export function tileURL(template: string, key: string, theme: Theme, dense: boolean): string {
  return template
    .replaceAll("{key}", encodeURIComponent(key))
    .replaceAll("{style}", theme === "dark" ? "street-dark" : "street-light")
    .replaceAll("{size}", dense ? "512" : "256");
}

const maxZoom = 19;

export class Basemap {
  readonly layer = new TileLayer<XYZ>({ visible: false, preload: 1 });
  #template = "";
  #key = "";
  #theme: Theme = "light";
  #shown = false;

  constructor(readonly heard: (state: TileState) => void) {}

  /** use starts loading tiles. An empty template stops it. */
  use(template: string, key: string): void {
    this.#template = template;
    this.#key = key;
    this.#load();
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    if (this.#template.includes("{style}")) this.#load();
  }

  #load(): void {
    this.#shown = false;
    this.layer.setVisible(this.#template !== "");
    if (this.#template === "") return;
    const dense = this.#template.includes("{size}") && window.devicePixelRatio > 1;
    const source = new XYZ({
      url: tileURL(this.#template, this.#key, this.#theme, dense),
      tilePixelRatio: dense ? 2 : 1,
      maxZoom,
    });
    source.on("tileloadend", () => {
      if (!this.#shown) this.heard("shown");
      this.#shown = true;
    });
    source.on("tileloaderror", () => {
      if (!this.#shown) this.heard("blocked");
    });
    this.layer.setSource(source);
  }
}
