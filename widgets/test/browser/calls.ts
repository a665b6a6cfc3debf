// A call of every tool that draws, as an agent would make it.

import { heat } from "./fixtures.ts";
import type { Input } from "./hosts/contract.ts";

export const amsterdam = [4.897, 52.3779];
const berlin = [13.405, 52.52];
const paris = [2.3522, 48.8566];

function stores(): string {
  return JSON.stringify((heat() as { geojson: object }).geojson);
}

/** districts are squares with a value each. */
function districts(): string {
  const features = Array.from({ length: 30 }, (_, i) => {
    const [west, south] = [4.75 + 0.05 * (i % 6), 52.28 + 0.035 * Math.floor(i / 6)];
    const [east, north] = [west + 0.048, south + 0.033];
    return {
      type: "Feature",
      properties: { name: `District ${i + 1}`, people: (i * 7919) % 10_000 },
      geometry: { type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] },
    };
  });
  return JSON.stringify({ type: "FeatureCollection", features });
}

function lines(): string {
  const features = Array.from({ length: 12 }, (_, i) => ({
    type: "Feature",
    properties: { name: `Line ${i + 1}`, riders: i * 900 },
    geometry: {
      type: "LineString",
      coordinates: Array.from({ length: 30 }, (__, j) => [4.75 + 0.01 * j, 52.3 + 0.012 * i + 0.008 * Math.sin(j / 4 + i)]),
    },
  }));
  return JSON.stringify({ type: "FeatureCollection", features });
}

export interface Call {
  /** The name of its pictures. */
  readonly name: string;
  readonly tool: string;
  readonly input: Input;
  /** Where the app data comes from. */
  readonly source?: "inline" | "fetched";
  /** A word that stands on the screen. */
  readonly says: RegExp;
}

const show = { show_ui: true };

export const calls: readonly Call[] = [
  {
    name: "routing",
    tool: "tomtom-routing",
    input: { locations: [amsterdam, [8.6821, 50.1109], berlin], maxAlternatives: 2, ...show },
    says: /\bkm\b/,
  },
  {
    name: "routing-long",
    tool: "tomtom-routing",
    input: { locations: [[-9.1393, 38.7223], [21.0122, 52.2297]], ...show },
    says: /Drawn within/,
  },
  {
    name: "ev-routing",
    tool: "tomtom-ev-routing",
    input: { origin: amsterdam, destination: berlin, currentChargePercent: 80, maxChargeKWH: 75, ...show },
    says: /charg/i,
  },
  {
    name: "search-along-route",
    tool: "tomtom-search-along-route",
    input: { origin: amsterdam, destination: paris, query: "coffee", limit: 8, ...show },
    says: /\bkm\b/,
  },
  {
    name: "reachable-range",
    tool: "tomtom-reachable-range",
    input: { origin: amsterdam, timeBudgetInSec: 2700, ...show },
    says: /45 min/,
  },
  { name: "geocode", tool: "tomtom-geocode", input: { query: "Damrak 1, Amsterdam", ...show }, says: /Amsterdam/ },
  { name: "reverse-geocode", tool: "tomtom-reverse-geocode", input: { position: amsterdam, ...show }, says: /Amsterdam/ },
  {
    name: "fuzzy-search",
    tool: "tomtom-fuzzy-search",
    input: { query: "restaurants in Amsterdam", position: amsterdam, limit: 12, openingHours: "nextSevenDays", ...show },
    says: /Amsterdam/,
  },
  { name: "poi-search", tool: "tomtom-poi-search", input: { query: "pharmacy", position: amsterdam, limit: 8, ...show }, says: /Amsterdam/ },
  { name: "nearby", tool: "tomtom-nearby", input: { position: amsterdam, radius: 1500, limit: 60, ...show }, says: /Amsterdam/ },
  {
    name: "area-search",
    tool: "tomtom-area-search",
    input: { query: "coffee", center: amsterdam, radius: 2000, limit: 10, ...show },
    says: /Amsterdam/,
  },
  { name: "ev-search", tool: "tomtom-ev-search", input: { position: amsterdam, radius: 6000, ...show }, says: /Amsterdam/ },
  {
    name: "traffic",
    tool: "tomtom-traffic",
    input: { bbox: [4.7, 52.2, 5.1, 52.5], ...show },
    source: "fetched",
    says: /24 traffic incidents/,
  },
  {
    name: "dynamic-map",
    tool: "tomtom-dynamic-map",
    input: {
      markers: [
        { lat: 52.3676, lon: 4.9041, label: "Hotel", color: "#7c3aed" },
        { lat: 52.358, lon: 4.8811, label: "Museum", color: "#0f766e" },
      ],
      polygons: [{ type: "circle", center: { lat: 52.3676, lon: 4.9041 }, radius: 900, label: "15 minutes on foot", fillColor: "rgba(124,58,237,0.2)", strokeColor: "#7c3aed" }],
      routePlans: [{ origin: { lat: 52.3791, lon: 4.9003 }, destination: { lat: 52.358, lon: 4.8811 }, label: "To the museum", color: "#f97316" }],
      ...show,
    },
    says: /./,
  },
  {
    name: "data-viz-markers",
    tool: "tomtom-data-viz",
    input: {
      geojson: stores(),
      layers: [{ type: "markers", color_property: "sales", size_property: "sales", label_property: "name", color_scale: ["#2196F3", "#F44336"] }],
      title: "Sales by store",
      ...show,
    },
    says: /Sales by store/,
  },
  {
    name: "data-viz-heatmap",
    tool: "tomtom-data-viz",
    input: { geojson: stores(), layers: [{ type: "heatmap", heatmap_weight: "sales" }], title: "Where sales are made", ...show },
    says: /Where sales are made/,
  },
  {
    name: "data-viz-clusters",
    tool: "tomtom-data-viz",
    input: { geojson: stores(), layers: [{ type: "clusters", label_property: "name" }], title: "Stores", ...show },
    says: /Stores/,
  },
  {
    name: "data-viz-choropleth",
    tool: "tomtom-data-viz",
    input: { geojson: districts(), layers: [{ type: "choropleth", color_property: "people", label_property: "name" }], title: "People by district", ...show },
    says: /People by district/,
  },
  {
    name: "data-viz-lines",
    tool: "tomtom-data-viz",
    input: { geojson: lines(), layers: [{ type: "line", size_property: "riders", color_property: "riders" }], title: "Riders by line", ...show },
    says: /Riders by line/,
  },
];

/** one finds a call by name. */
export function one(name: string): Call {
  const found = calls.find((call) => call.name === name);
  if (found === undefined) throw new Error(`no call ${name}`);
  return found;
}
