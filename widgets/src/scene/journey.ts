// A route as a driver meets it: what comes after how many metres.

import { asArray, asNumber, asText, at, type JsonObject } from "../json.ts";
import type { Turn } from "../ui/texts.ts";
import type { Brief } from "./brief.ts";
import type { Path, Row } from "./scene.ts";

const earthM = 6371008.8;
const radians = Math.PI / 180;

/** Course knows how far along a line its vertices are. */
export class Course {
  #metres: Float64Array | undefined;

  /** wholeM is what the upstream says the whole line measures: a simplified line is shorter than the road. */
  constructor(
    readonly path: Path,
    readonly wholeM: number | undefined,
  ) {}

  /** metresAt takes a vertex index, clamped to the line. */
  metresAt(vertex: number): number {
    this.#metres ??= measured(this.path);
    const last = this.#metres.length - 1;
    const along = this.#metres[Math.max(0, Math.min(last, Math.floor(vertex)))] ?? 0;
    const whole = this.#metres[last] ?? 0;
    return this.wholeM === undefined || whole === 0 ? along : (along * this.wholeM) / whole;
  }
}

function measured(path: Path): Float64Array {
  const metres = new Float64Array(path.length / 2);
  for (let i = 2; i + 1 < path.length; i += 2) {
    const dy = (path[i + 1]! - path[i - 1]!) * radians;
    const dx = (path[i]! - path[i - 2]!) * radians * Math.cos(((path[i + 1]! + path[i - 1]!) / 2) * radians);
    metres[i / 2] = metres[i / 2 - 1]! + earthM * Math.hypot(dx, dy);
  }
  return metres;
}

/** Stage is a row with its place along the route. */
export interface Stage {
  readonly atM: number;
  readonly row: Row;
}

/** inOrder writes after how far each comes, before what else its row says. */
export function inOrder(stages: readonly Stage[], { texts, format }: Brief): Row[] {
  return [...stages]
    .sort((a, b) => a.atM - b.atM)
    .map(({ atM, row }) => {
      const after = atM > 0 ? texts.after(format.distance(atM)) : "";
      return { ...row, text: [after, row.text].filter((part) => part !== "").join(" · ") };
    });
}

/** What the upstream's words for manoeuvres begin with, the longer ones first. */
const turns: readonly (readonly [RegExp, Turn])[] = [
  [/^DEPART/, "depart"],
  [/^ARRIVE/, "arrive"],
  [/^WAYPOINT/, "waypoint"],
  [/U_?TURN|TURN_AROUND/, "uturn"],
  [/ROUNDABOUT/, "roundabout"],
  [/FERRY/, "ferry"],
  [/EXIT/, "exit"],
  [/^(ENTER_)?(MOTORWAY|FREEWAY|HIGHWAY)/, "motorway"],
  [/^(KEEP|BEAR|FORK|MERGE)_?LEFT/, "keepLeft"],
  [/^(KEEP|BEAR|FORK|MERGE)_?RIGHT/, "keepRight"],
  [/LEFT/, "left"],
  [/RIGHT/, "right"],
];

/** directions lists the turns of a route that came with guidance. Their rows share an id with the mark at the turn. */
export function directions(properties: JsonObject, course: Course, brief: Brief): (Stage & { readonly vertex: number })[] {
  return asArray(at(properties, "guidance", "instructions")).flatMap((instruction, place) => {
    const vertex = asNumber(at(instruction, "pathPointIndex"));
    if (vertex === undefined) return [];
    const name = asText(at(instruction, "maneuver")) ?? "";
    const turn = turns.find(([words]) => words.test(name))?.[1] ?? "straight";
    const title = asText(at(instruction, "message")) ?? brief.texts.turns[turn];
    const atM = asNumber(at(instruction, "routeOffsetInMeters")) ?? course.metresAt(vertex);
    return [{ vertex, atM, row: { id: `turn-${place}`, title, text: road(at(instruction, "nextRoadInfo")) } }];
  });
}

function road(info: unknown): string {
  const shields = asArray(at(info, "roadShields")).flatMap((shield) => asText(at(shield, "shieldContent")) ?? []);
  const street = asText(at(info, "streetName", "text")) ?? asText(at(info, "streetName"));
  return [...new Set([...shields, ...(street === undefined ? [] : [street])])].join(", ");
}
