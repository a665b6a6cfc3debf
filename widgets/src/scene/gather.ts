// Marks that lie so close that they hide each other are drawn as one, with their number.

import type { Brief } from "./brief.ts";
import type { Detail, PointShape, Shape } from "./scene.ts";

/** So many places overlap in most views. */
const crowd = 12;
/** Marks nearer than this hide each other's number. */
const gatherPx = 20;
const maxTold = 10;

/** gathered answers shapes from the bottom up: the first point lies on top. */
export function gathered(points: readonly PointShape[], brief: Brief): Shape[] {
  if (points.length <= crowd) return [...points].reverse();
  return [{ kind: "cluster", points, radiusPx: gatherPx, tell: tellIn(brief) }];
}

/** tellIn names the members of a cluster that cannot be parted. */
export function tellIn({ texts, format }: Brief): (members: readonly PointShape[]) => Detail {
  return (members) => ({
    title: texts.placesHere(format.number(members.length)),
    lines: members
      .slice(0, maxTold)
      .map(({ number, detail }) => `${number ?? ""} ${detail?.title ?? ""}`.trim())
      .filter((line) => line !== ""),
  });
}
