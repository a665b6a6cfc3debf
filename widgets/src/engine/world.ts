// The embedded world: land, country borders and, where there are no tiles to name them, countries' names, so that the
// map is never an empty frame.

import Feature from "ol/Feature.js";
import Point from "ol/geom/Point.js";
import type BaseLayer from "ol/layer/Base.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import Style from "ol/style/Style.js";
import { countries } from "virtual:world";
import { label } from "./marks.ts";
import { projectX, projectY } from "./mercator.ts";
import { Outlines } from "./outlines.ts";
import type { Palette } from "./palette.ts";

/** Closer than this the outlines are too coarse for a name to help. */
const maxNamesZoom = 8;

export interface CountryName {
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  /** 0 is the largest country. */
  readonly rank: number;
}

/** countryNames names countries by their UN M49 number, in a locale's language; those that have no name there go without. */
export function countryNames(locale: string): CountryName[] {
  let names: Intl.DisplayNames;
  try {
    names = new Intl.DisplayNames([locale], { type: "region", fallback: "none" });
  } catch {
    names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  }
  return countries.flatMap(([number, lon, lat], rank) => {
    // A locale's canonical form has the two letters of a numbered country.
    const region = new Intl.Locale(`und-${String(number).padStart(3, "0")}`).region;
    const name = region === undefined || /^\d/.test(region) ? undefined : names.of(region);
    return name === undefined ? [] : [{ name, lon, lat, rank }];
  });
}

export class World {
  readonly #outlines: Outlines;
  readonly #names: VectorLayer<VectorSource>;
  #palette: Palette;
  #locale: string | undefined;
  /** The locale of the names that are there; none are made until they are to be seen. */
  #namedIn: string | undefined;

  constructor(palette: Palette) {
    this.#palette = palette;
    this.#outlines = new Outlines(palette);
    this.#names = new VectorLayer({
      source: new VectorSource(),
      declutter: true,
      maxZoom: maxNamesZoom,
      visible: false,
      style: (feature) => this.#nameStyle(feature),
    });
  }

  get layers(): BaseLayer[] {
    return [this.#outlines.layer, this.#names];
  }

  showNames(shown: boolean): void {
    this.#names.setVisible(shown);
    this.#nameCountries();
  }

  setLocale(locale: string | undefined): void {
    this.#locale = locale;
    this.#nameCountries();
  }

  paint(palette: Palette): void {
    this.#palette = palette;
    this.#outlines.setPalette(palette);
    this.#names.changed();
  }

  #nameCountries(): void {
    const asked = this.#locale ?? "en";
    if (!this.#names.getVisible() || asked === this.#namedIn) return;
    this.#namedIn = asked;
    const features = countryNames(asked).map(({ name, lon, lat, rank }) => {
      const feature = new Feature(new Point([projectX(lon), projectY(lat)]));
      feature.setProperties({ name, rank }, true);
      return feature;
    });
    this.#names.getSource()!.clear();
    this.#names.getSource()!.addFeatures(features);
  }

  #nameStyle(feature: { get(key: string): unknown }): Style {
    const { softInk, land: halo } = this.#palette;
    const look = { ink: softInk, halo, sizePx: 11.5, weight: 500 };
    return new Style({ zIndex: -Number(feature.get("rank")), text: label(String(feature.get("name")), look) });
  }
}
