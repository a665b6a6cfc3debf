// Small drawings, in the colour of the text beside them.

import { svg } from "./dom.ts";

const paths = {
  tool: "M14.5 4.5a4 4 0 0 0-5 5L4 15v4h4l5.500-5.500a4 4 0 0 0 5-5L16 11l-3-3z",
  map: "M9 4 3 6.500v13L9 17l6 2.500 6-2.500v-13L15 6.500zM9 4v13M15 6.500v13",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  fault: "M12 3 2.500 20h19zM12 10v4M12 17v.5",
  log: "M4 6h16M4 12h16M4 18h10",
  again: "M4 12a8 8 0 1 1 2.500 5.800M4 12V7M4 12h5",
  ask: "M4 5h16v11H9l-5 4z",
  shield: "M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z",
} as const;

export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGElement {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: paths[name] }));
}
