// Scales from a caller's properties to colours and sizes.

import { asArray, asNumber, asText, type JsonObject } from "../json.ts";
import { asColour, between, categoryColour } from "./colour.ts";
import { propertiesOf } from "./geojson.ts";
import type { Row } from "./scene.ts";

export interface ColourScale {
  colourOf(properties: JsonObject): string | undefined;
  readonly legend: readonly Row[];
}

const defaultColours = ["#2196F3", "#F44336"] as const;
const maxCategories = 8;

/** colourScale answers undefined where the layer is not coloured by a property. */
export function colourScale(
  layer: JsonObject,
  features: readonly JsonObject[],
  write: (value: number) => string,
): ColourScale | undefined {
  const name = asText(layer["color_property"]);
  if (name === undefined) return undefined;
  const [first, second] = asArray(layer["color_scale"]);
  const from = asColour(first) ?? defaultColours[0];
  const to = asColour(second) ?? defaultColours[1];
  const range = rangeOf(name, features);
  return range === undefined ? categories(name, features) : gradient(name, range, [from, to], write);
}

interface Range {
  readonly least: number;
  readonly most: number;
}

export function rangeOf(name: string, features: readonly JsonObject[]): Range | undefined {
  let least = Infinity;
  let most = -Infinity;
  for (const feature of features) {
    const value = asNumber(propertiesOf(feature)[name]);
    if (value === undefined) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least <= most ? { least, most } : undefined;
}

function gradient(name: string, { least, most }: Range, [from, to]: readonly [string, string], write: (value: number) => string): ColourScale {
  const colourAt = (value: number): string => between(from, to, most > least ? (value - least) / (most - least) : 0.5);
  const bar: Row =
    most > least
      ? { title: write(least), text: write(most), ramp: [colourAt(least), colourAt((least + most) / 2), colourAt(most)] }
      : { title: write(least), text: "", swatch: "data", colour: colourAt(least) };
  return {
    colourOf(properties) {
      const value = asNumber(properties[name]);
      return value === undefined ? undefined : colourAt(value);
    },
    legend: [{ title: name, text: "" }, bar],
  };
}

function categories(name: string, features: readonly JsonObject[]): ColourScale {
  const colours = new Map<string, string>();
  for (const feature of features) {
    const value = asText(propertiesOf(feature)[name]);
    if (value !== undefined && !colours.has(value)) colours.set(value, categoryColour(colours.size));
  }
  return {
    colourOf: (properties) => colours.get(String(properties[name])),
    legend: [...colours].slice(0, maxCategories).map(([title, colour]) => ({ title, text: "", swatch: "data", colour })),
  };
}

/** numberScale maps a property onto least to most, by area rather than by length: a circle twice the value covers twice the map. */
export function numberScale(
  name: string | undefined,
  features: readonly JsonObject[],
  least: number,
  most: number,
): ((properties: JsonObject) => number) | undefined {
  const range = name === undefined ? undefined : rangeOf(name, features);
  if (name === undefined || range === undefined) return undefined;
  const width = range.most - range.least;
  return (properties) => {
    const value = asNumber(properties[name]);
    if (value === undefined) return least;
    return least + (most - least) * Math.sqrt(width > 0 ? (value - range.least) / width : 0.5);
  };
}
