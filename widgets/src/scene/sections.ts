// Parts of a route that a driver wants to see: delays, tolls, ferries, tunnels and borders.

import { asArray, asNumber, asText, at, type JsonObject } from "../json.ts";
import type { Brief } from "./brief.ts";
import type { LineRole, LineShape, Path, PointShape, Row, Shape } from "./scene.ts";

/** Drawn in this order, so that a delay is never hidden. */
const plainKinds: readonly { kind: string; role: LineRole }[] = [
  { kind: "tunnel", role: "tunnel" },
  { kind: "ferry", role: "ferry" },
  { kind: "toll", role: "toll" },
];

const delayRoles: Readonly<Record<string, LineRole>> = {
  minor: "delay-minor",
  moderate: "delay-moderate",
  major: "delay-major",
  indefinite: "delay-unknown",
};

export function sectionShapes(path: Path, properties: JsonObject, brief: Brief): Shape[] {
  const sections = properties["sections"];
  const shapes: Shape[] = plainKinds.flatMap(({ kind, role }) =>
    asArray(at(sections, kind)).flatMap((section) => {
      const part = slice(path, section);
      return part === undefined ? [] : [{ kind: "line", role, path: part, detail: { title: roleName(role, brief), lines: [] } }];
    }),
  );
  for (const section of asArray(at(sections, "traffic"))) {
    const part = slice(path, section);
    if (part !== undefined) shapes.push(delayShape(part, section, brief));
  }
  return [...shapes, ...borders(path, asArray(at(sections, "country")), brief)];
}

function delayShape(path: Path, section: unknown, { texts, format }: Brief): LineShape {
  const delayS = asNumber(at(section, "delayInSeconds"));
  const role = delayRoles[asText(at(section, "magnitudeOfDelay")) ?? ""] ?? "delay-unknown";
  const lines = delayS !== undefined && delayS > 0 ? [texts.delay(format.duration(delayS))] : [];
  return { kind: "line", role, path, detail: { title: texts.traffic, lines } };
}

/** slice is the section's part of the line, as a view of it. An end past the line is clamped: upstreams write one. */
export function slice(path: Path, section: unknown): Path | undefined {
  const start = asNumber(at(section, "startPointIndex"));
  const end = asNumber(at(section, "endPointIndex"));
  if (start === undefined || end === undefined) return undefined;
  const last = path.length / 2 - 1;
  const from = Math.max(0, Math.floor(start));
  const to = Math.min(last, Math.floor(end));
  return from < to ? path.subarray(2 * from, 2 * to + 2) : undefined;
}

/** borders stand where the next country begins. */
function borders(path: Path, countries: readonly unknown[], { texts }: Brief): PointShape[] {
  const shapes: PointShape[] = [];
  for (let i = 1; i < countries.length; i++) {
    const from = asText(at(countries[i - 1], "countryCodeISO3"));
    const to = asText(at(countries[i], "countryCodeISO3"));
    const start = asNumber(at(countries[i], "startPointIndex"));
    if (start === undefined || start < 0 || from === to) continue;
    const at2 = 2 * Math.min(Math.floor(start), path.length / 2 - 1);
    const title = from !== undefined && to !== undefined ? texts.border(from, to) : texts.borderPlain;
    shapes.push({ kind: "point", role: "border", lon: path[at2]!, lat: path[at2 + 1]!, detail: { title, lines: [] } });
  }
  return shapes;
}

export function roleName(role: LineRole, { texts }: Brief): string {
  const names: Partial<Record<LineRole, string>> = {
    "delay-minor": texts.delayMinor,
    "delay-moderate": texts.delayModerate,
    "delay-major": texts.delayMajor,
    "delay-unknown": texts.delayUnknown,
    toll: texts.toll,
    ferry: texts.ferry,
    tunnel: texts.tunnel,
  };
  return names[role] ?? "";
}

const legendOrder: readonly LineRole[] = [
  "delay-minor",
  "delay-moderate",
  "delay-major",
  "delay-unknown",
  "toll",
  "ferry",
  "tunnel",
];

/** sectionLegend names the kinds that are there. */
export function sectionLegend(shapes: readonly Shape[], brief: Brief): Row[] {
  const there = new Set(shapes.flatMap((shape) => (shape.kind === "line" ? [shape.role] : [])));
  return legendOrder.filter((role) => there.has(role)).map((role) => ({ title: roleName(role, brief), text: "", swatch: role }));
}
