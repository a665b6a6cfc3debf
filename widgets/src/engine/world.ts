// The embedded world: land and country borders, so that the map is never an empty frame.

import Feature from "ol/Feature.js";
import LineString from "ol/geom/LineString.js";
import Point from "ol/geom/Point.js";
import Polygon from "ol/geom/Polygon.js";
import type BaseLayer from "ol/layer/Base.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorImageLayer from "ol/layer/VectorImage.js";
import VectorSource from "ol/source/Vector.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import { borders, countries, land, unitsPerDegree } from "virtual:world";
import type { Path } from "../scene/scene.ts";
import { label } from "./marks.ts";
import { projectPath, projectX, projectY } from "./mercator.ts";
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
export function countryNames(locale: string | undefined): CountryName[] {
  let names: Intl.DisplayNames;
  try {
    names = new Intl.DisplayNames([locale ?? "en"], { type: "region", fallback: "none" });
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

/** pathOf sums up differences into degrees. */
export function pathOf(differences: readonly number[], units: number): Path {
  const path = new Float64Array(differences.length);
  let x = 0;
  let y = 0;
  for (let i = 0; i + 1 < differences.length; i += 2) {
    x += differences[i]!;
    y += differences[i + 1]!;
    path[i] = x / units;
    path[i + 1] = y / units;
  }
  return path;
}

function landFeature(rings: readonly (readonly number[])[]): Feature {
  const flat: number[] = [];
  const ends: number[] = [];
  for (const ring of rings) {
    flat.push(...projectPath(pathOf(ring, unitsPerDegree)));
    ends.push(flat.length);
  }
  return new Feature(new Polygon(flat, "XY", ends));
}

export class World {
  readonly #land: VectorImageLayer<VectorSource>;
  readonly #names: VectorLayer<VectorSource>;
  #palette: Palette | undefined;
  #locale = "";

  constructor() {
    const features = [
      ...land.map(landFeature),
      ...borders.map((line) => new Feature(new LineString(projectPath(pathOf(line, unitsPerDegree)), "XY"))),
    ];
    this.#land = new VectorImageLayer({ source: new VectorSource({ features }), imageRatio: 2 });
    this.#names = new VectorLayer({ source: new VectorSource(), declutter: true, maxZoom: maxNamesZoom });
    this.setLocale(undefined);
  }

  get layers(): BaseLayer[] {
    return [this.#land, this.#names];
  }

  showNames(shown: boolean): void {
    this.#names.setVisible(shown);
  }

  setLocale(locale: string | undefined): void {
    const asked = locale ?? "en";
    if (asked === this.#locale) return;
    this.#locale = asked;
    const features = countryNames(locale).map(({ name, lon, lat, rank }) => {
      const feature = new Feature(new Point([projectX(lon), projectY(lat)]));
      feature.setProperties({ name, rank }, true);
      return feature;
    });
    this.#names.getSource()!.clear();
    this.#names.getSource()!.addFeatures(features);
  }

  paint(palette: Palette): void {
    this.#palette = palette;
    const landStyle = new Style({
      fill: new Fill({ color: palette.land }),
      stroke: new Stroke({ color: palette.outline, width: 0.75 }),
    });
    const borderStyle = new Style({ zIndex: 1, stroke: new Stroke({ color: palette.border, width: 1 }) });
    this.#land.setStyle((feature) => (feature.getGeometry()?.getType() === "Polygon" ? landStyle : borderStyle));
    this.#names.setStyle((feature) => this.#nameStyle(feature));
  }

  #nameStyle(feature: { get(key: string): unknown }): Style {
    const { softInk, land: halo } = this.#palette!;
    const look = { ink: softInk, halo, sizePx: 11.5, weight: 500 };
    return new Style({ zIndex: -Number(feature.get("rank")), text: label(String(feature.get("name")), look) });
  }
}
