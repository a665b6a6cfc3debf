// Results as the gateway writes them, with data made here.

import { gzipSync } from "node:zlib";

type Position = [number, number];

/** road winds from a to b. Deterministic. */
export function road(a: Position, b: Position, vertices: number, sway = 0.12, phase = 0): Position[] {
  return Array.from({ length: vertices }, (_, i) => {
    const share = i / (vertices - 1);
    const fade = Math.sin(Math.PI * share);
    const lon = a[0] + (b[0] - a[0]) * share + fade * sway * Math.sin(11 * share + phase);
    const lat = a[1] + (b[1] - a[1]) * share + fade * sway * Math.sin(7 * share + 1 + phase);
    return [Number(lon.toFixed(5)), Number(lat.toFixed(5))];
  });
}

const amsterdam: Position = [4.897, 52.3779];
const berlin: Position = [13.405, 52.52];

export function routes(vertices = 4000): object {
  const part = (share: number): number => Math.floor(share * (vertices - 1));
  const section = (from: number, to: number, more: object = {}): object => ({
    startPointIndex: part(from),
    endPointIndex: part(to),
    ...more,
  });
  const summary = (lengthInMeters: number, travelTimeInSeconds: number, trafficDelayInSeconds: number): object => ({
    lengthInMeters,
    travelTimeInSeconds,
    trafficDelayInSeconds,
  });
  const feature = (index: number, line: Position[], about: object, sections: object): object => ({
    type: "Feature",
    geometry: { type: "LineString", coordinates: line },
    properties: { index, summary: about, sections },
  });
  return {
    type: "FeatureCollection",
    features: [
      feature(0, road(amsterdam, berlin, vertices), summary(655_000, 23_400, 1_260), {
        leg: [section(0, 0.45), section(0.45, 1)],
        country: [section(0, 0.25, { countryCodeISO3: "NLD" }), section(0.25, 1, { countryCodeISO3: "DEU" })],
        traffic: [
          section(0.1, 0.14, { delayInSeconds: 240, magnitudeOfDelay: "minor" }),
          section(0.35, 0.4, { delayInSeconds: 480, magnitudeOfDelay: "moderate" }),
          section(0.7, 0.78, { delayInSeconds: 540, magnitudeOfDelay: "major" }),
        ],
        toll: [section(0.5, 0.58)],
        tunnel: [section(0.2, 0.22)],
      }),
      feature(1, road(amsterdam, berlin, vertices, 0.5, 2), summary(691_000, 25_900, 600), {}),
    ],
  };
}

export function places(): object {
  const place = (name: string, lon: number, lat: number, address: string): object => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [lon, lat] },
    properties: {
      poi: { name, localizedCategories: ["restaurant"], phone: "+31 20 555 0100" },
      address: { freeformAddress: address },
    },
  });
  return {
    type: "FeatureCollection",
    features: [
      place("De Eerste", 4.8835, 52.36893, "Damrak 10, Amsterdam"),
      place("Zum goldenen <b>Hirsch</b>", 4.9051, 52.3752, "Rokin 31, Amsterdam"),
      place('<img src=x onerror="parent.postMessage(1)">', 4.8862, 52.38123, "Overtoom 17, Amsterdam"),
    ],
  };
}

function ring([lon, lat]: Position, radius: number): Position[] {
  return Array.from({ length: 121 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 120;
    const reach = radius * (1 + 0.18 * Math.sin(5 * angle) + 0.07 * Math.sin(13 * angle));
    return [lon + 1.6 * reach * Math.cos(angle), lat + reach * Math.sin(angle)];
  });
}

export function ranges(): object {
  return {
    type: "FeatureCollection",
    features: [60, 45, 30, 15].map((value) => ({
      type: "Feature",
      geometry: { type: "Polygon", coordinates: [ring(amsterdam, value / 180)] },
      properties: { origin: amsterdam, budget: { type: "timeMinutes", value } },
    })),
  };
}

export function heat(): object {
  const features = Array.from({ length: 300 }, (_, i) => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [4.7 + 0.02 * (i % 20), 52.25 + 0.015 * ((i * 7) % 23)] },
    properties: { name: `Store ${i}`, sales: (i * 137) % 5000 },
  }));
  return {
    geojson: { type: "FeatureCollection", features },
    layers: [{ type: "heatmap", heatmap_weight: "sales" }],
    title: "Stores",
  };
}

export const trafficBox = [4.7, 52.2, 5.1, 52.5];

export function incidents(): object {
  return incidentsIn(trafficBox);
}

/** incidentsIn answers as TomTom's service does for a box. */
export function incidentsIn(box: readonly number[]): object {
  const [west, south, east, north] = box as [number, number, number, number];
  const words = ["Closed", "Slow traffic", "Queuing traffic", "Stationary traffic", "Roadworks"];
  return {
    incidents: Array.from({ length: 24 }, (_, i) => {
      const start: Position = [west + ((east - west) * ((i * 7) % 24)) / 24, south + ((north - south) * i) / 24];
      const end: Position = [start[0] + (east - west) / 8, start[1] + (north - south) / 15];
      return {
        type: "Feature",
        properties: {
          iconCategory: 6,
          magnitudeOfDelay: i % 5,
          events: [{ description: words[i % 5] }],
          from: "Muiden",
          to: "Diemen",
          length: 900,
          delay: 120 * (1 + (i % 4)),
          roadNumbers: ["A1"],
          startTime: "2026-06-24T07:12:00Z",
        },
        geometry: { type: "LineString", coordinates: road(start, end, 20, (east - west) / 100, i) },
      };
    }),
  };
}

export function appData(document: object): string {
  return gzipSync(Buffer.from(JSON.stringify(document))).toString("base64");
}

/** result is a whole CallToolResult; text is what the agent reads beside it. */
export function result(tool: string, status: string, members: object = {}, text: object = {}): object {
  return {
    content: [{ type: "text", text: JSON.stringify({ ...text, show_ui: true, tool }) }],
    _meta: { "com.tomtom/app-data-status": status, show_ui: true, tool, ...members },
  };
}

export function inline(tool: string, document: object, members: object = {}): object {
  return result(tool, "inline", { "com.tomtom/app-data": appData(document), ...members });
}

export function fitted(tool: string, document: object, maxErrorM: number): object {
  return inline(tool, document, {
    "com.tomtom/app-data-status": "fitted",
    "com.tomtom/simplification": { original_points: 39414, points: 8000, max_error_m: maxErrorM, shed: [] },
  });
}
