// Signs drawn as lines, 24 by 24, in the colour of the words beside them.

export type Icon =
  | "wait"
  | "write"
  | "draw"
  | "empty"
  | "error"
  | "stop"
  | "missing"
  | "large"
  | "lost"
  | "damaged"
  | "offline"
  | "late"
  | "plus"
  | "minus"
  | "expand"
  | "shrink"
  | "info";

const paths: Readonly<Record<Icon, string>> = {
  wait: "M12 3a9 9 0 1 1-9 9",
  write: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  draw: "M4 18c4 0 3-6 8-6s4-6 8-6M4 18h.01M20 6h.01",
  empty: "M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l5 5M8.5 11h5",
  error: "M12 3l10 18H2zM12 10v5M12 18h.01",
  stop: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M9 9l6 6M15 9l-6 6",
  missing: "M9 4L3 6.5v13L9 17M15 7l6-2.5v13L15 20M9 4v4M9 12v5M15 7v3M15 15v5M10 10l4 4M14 10l-4 4",
  large: "M3 9V3h6M21 9V3h-6M3 15v6h6M21 15v6h-6M8 8l8 8M16 8l-8 8",
  lost: "M5 6c0-4 14-4 14 0v12c0 4-14 4-14 0zM5 6c0 4 14 4 14 0M5 12c0 1.500 2 2.500 4.500 2.900M19 12c0 1.500-2 2.500-4.500 2.900",
  damaged: "M6 3h8l4 4v6l-3-2-3 3-3-3-3 2zM6 21h12v-4l-3-2-3 3-3-3-3 2z",
  offline: "M4 4l16 16M8.500 15.500a5 5 0 0 1 5-1M5 12a10 10 0 0 1 4-2.500M19 12a10 10 0 0 0-7-3M12 19h.01",
  late: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M12 7v5l4 2",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  expand: "M14 4h6v6M10 20H4v-6M20 4l-7 7M4 20l7-7",
  shrink: "M20 10h-6V4M4 14h6v6M14 10l7-7M10 14l-7 7",
  info: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M12 11v6M12 7.500h.01",
};

const namespace = "http://www.w3.org/2000/svg";

/** icon says nothing to a screen reader: words stand beside it, or the button that holds it has a label. */
export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}
