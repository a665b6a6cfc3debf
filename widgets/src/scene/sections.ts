// Parts of a route that a driver wants to see: delays, tolls, ferries, tunnels and borders.

import { asArray, asNumber, asText, at, type JsonObject } from "../json.ts";
import type { IncidentKind } from "../ui/texts.ts";
import type { Brief } from "./brief.ts";
import type { Course, Stage } from "./journey.ts";
import type { Detail, LineRole, Path, PointShape, Row, Shape } from "./scene.ts";

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

export interface Sections {
  readonly shapes: readonly Shape[];
  readonly stages: readonly Stage[];
}

export function sectionsOf(course: Course, properties: JsonObject, brief: Brief): Sections {
  const sections = properties["sections"];
  const shapes: Shape[] = [];
  const stages: Stage[] = [];
  const { path } = course;
  const add = (section: unknown, role: LineRole, id: string, detail: Detail, text: string): void => {
    const part = slice(path, section);
    if (part === undefined) return;
    shapes.push({ kind: "line", id, role, path: part, detail });
    stages.push({ atM: course.metresAt(asNumber(at(section, "startPointIndex")) ?? 0), row: { id, title: detail.title, text, swatch: role } });
  };
  const lengthOf = (section: unknown): string => {
    const [from, to] = ["startPointIndex", "endPointIndex"].map((end) => course.metresAt(asNumber(at(section, end)) ?? 0));
    return brief.format.distance(to! - from!);
  };
  for (const { kind, role } of plainKinds) {
    for (const [place, section] of asArray(at(sections, kind)).entries()) {
      const length = lengthOf(section);
      add(section, role, `${kind}-${place}`, { title: roleName(role, brief), lines: [length] }, length);
    }
  }
  for (const [place, section] of asArray(at(sections, "traffic")).entries()) {
    const { role, detail, text } = delay(section, brief);
    add(section, role, `traffic-${place}`, detail, text);
  }
  const crossed = borders(course, asArray(at(sections, "country")), brief);
  return { shapes: [...shapes, ...crossed.shapes], stages: [...stages, ...crossed.stages] };
}

function delay(section: unknown, brief: Brief): { role: LineRole; detail: Detail; text: string } {
  const { texts, format } = brief;
  const delayS = asNumber(at(section, "delayInSeconds"));
  const speedKmh = asNumber(at(section, "effectiveSpeedInKmh"));
  const role = delayRoles[asText(at(section, "magnitudeOfDelay")) ?? ""] ?? "delay-unknown";
  const kinds = asArray(at(section, "categories")).flatMap((word) => kindOf(word) ?? []);
  const kind = [...new Set(kinds)].map((name) => texts.incidentKinds[name]).join(", ");
  const lost = delayS !== undefined && delayS > 0 ? format.duration(delayS) : "";
  const detail: Detail = {
    title: roleName(role, brief),
    ...(kind === "" ? {} : { kind }),
    lines: lost === "" ? [] : [texts.delay(lost)],
    ...(speedKmh === undefined ? {} : { fields: [{ name: texts.averageSpeed, text: format.speed(speedKmh) }] }),
  };
  return { role, detail, text: [lost === "" ? "" : `+${lost}`, kind].filter((part) => part !== "").join(" · ") };
}

/** kindOf reads the words of route sections, such as "lane-closed". */
export function kindOf(word: unknown): IncidentKind | undefined {
  const text = asText(word)?.toLowerCase().replaceAll("_", "-") ?? "";
  if (text === "") return undefined;
  if (text.includes("lane")) return "laneClosed";
  if (text.includes("clos")) return "closed";
  if (text.includes("work")) return "roadworks";
  if (text.includes("accident")) return "accident";
  if (text.includes("jam")) return "jam";
  if (text.includes("flood")) return "flooding";
  if (text.includes("broken")) return "breakdown";
  return /fog|rain|ice|wind|weather|danger/.test(text) ? "weather" : "other";
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
function borders(course: Course, countries: readonly unknown[], { texts }: Brief): { shapes: PointShape[]; stages: Stage[] } {
  const shapes: PointShape[] = [];
  const stages: Stage[] = [];
  const { path } = course;
  for (let i = 1; i < countries.length; i++) {
    const from = asText(at(countries[i - 1], "countryCodeISO3"));
    const to = asText(at(countries[i], "countryCodeISO3"));
    const start = asNumber(at(countries[i], "startPointIndex"));
    if (start === undefined || start < 0 || from === to) continue;
    const at2 = 2 * Math.min(Math.floor(start), path.length / 2 - 1);
    const title = from !== undefined && to !== undefined ? texts.border(from, to) : texts.borderPlain;
    const id = `border-${i}`;
    shapes.push({ kind: "point", id, role: "border", lon: path[at2]!, lat: path[at2 + 1]!, detail: { title, lines: [] } });
    stages.push({ atM: course.metresAt(start), row: { id, title, text: "", swatch: "border" } });
  }
  return { shapes, stages };
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
