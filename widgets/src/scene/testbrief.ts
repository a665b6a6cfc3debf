// A brief for tests: English texts and metric lengths.

import { formatFor } from "../ui/format.ts";
import { textsFor } from "../ui/texts.ts";
import type { JsonObject } from "../json.ts";
import type { Brief } from "./brief.ts";
import type { LineShape, PointShape, Scene, Shape } from "./scene.ts";

export function testBrief(input?: JsonObject): Brief {
  return { texts: textsFor("en"), format: formatFor("en"), input };
}

export function lines({ shapes }: Scene): LineShape[] {
  return shapes.filter((shape): shape is LineShape => shape.kind === "line");
}

export function points({ shapes }: Scene): PointShape[] {
  return shapes.filter((shape): shape is PointShape => shape.kind === "point");
}

/** rolesOf writes kind and role of each shape, from the bottom up. */
export function rolesOf(shapes: readonly Shape[]): string[] {
  return shapes.map((shape) => ("role" in shape ? `${shape.kind}:${shape.role}` : shape.kind));
}
