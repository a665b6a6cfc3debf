// The geometry of the drawing that shows how far a fitted line is from its original: a window on the ground about the
// largest deviation, in metres, and what of both lines is in it.

import type { Largest, Position } from "../api/types.ts";
import type { Line } from "./document.ts";

export type Point = readonly [x: number, y: number];

const metresPerDegree = 111_195;

/** Window is a piece of the ground, seen from above: north is up, x and y are pixels. */
export interface Window {
  readonly centre: Position;
  readonly metresPerPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** How long the deviation is in the drawing at its closest, and at least before anybody zooms out. */
const deviationPx = 36;
const leastPx = 24;

/** windowOn has the deviation in its middle. out zooms out: each step shows twice as much ground. */
export function windowOn({ at, drawn, error_m }: Largest, widthPx: number, heightPx: number, out = 0): Window {
  const centre: Position = [(at[0] + drawn[0]) / 2, (at[1] + drawn[1]) / 2];
  const metresPerPx = (Math.max(error_m, 0.05) / deviationPx) * 2 ** out;
  return { centre, metresPerPx, widthPx, heightPx };
}

/** outFor is how far out to begin: until the drawn line has two vertices in sight, or the deviation would be lost. */
export function outFor(largest: Largest, drawn: readonly Line[], widthPx: number, heightPx: number): number {
  const most = Math.log2(deviationPx / leastPx);
  for (let out = 0; out < most; out += 0.25) {
    const pieces = piecesIn(windowOn(largest, widthPx, heightPx, out), drawn);
    if (pieces.reduce((sum, { vertices }) => sum + vertices.length, 0) >= 2) return out;
  }
  return most;
}

/** project answers where a position is in the window. */
export function project({ centre, metresPerPx, widthPx, heightPx }: Window, [lon, lat]: Position): Point {
  const eastM = shortWay(lon - centre[0]) * metresPerDegree * Math.cos((centre[1] * Math.PI) / 180);
  const northM = (lat - centre[1]) * metresPerDegree;
  return [widthPx / 2 + eastM / metresPerPx, heightPx / 2 - northM / metresPerPx];
}

function shortWay(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

/** Piece is a part of a line that is in the window. Its ends may be outside. */
export interface Piece {
  readonly points: readonly Point[];
  /** Those of the points that are vertices inside the window. */
  readonly vertices: readonly Point[];
}

/** piecesIn cuts lines down to the segments that touch the window. */
export function piecesIn(window: Window, lines: readonly Line[]): Piece[] {
  return lines.flatMap((line) => piecesOf(window, line));
}

function piecesOf(window: Window, line: Line): Piece[] {
  const pieces: Piece[] = [];
  let points: Point[] = [];
  const end = (): void => {
    if (points.length > 1) pieces.push({ points, vertices: points.filter((point) => isInside(window, point)) });
    points = [];
  };
  let before: Point | undefined;
  for (const position of line) {
    const point = project(window, position);
    if (before !== undefined && touches(window, before, point)) {
      const [from, to] = clipped(window, before, point);
      if (points.length === 0) points.push(from);
      points.push(to);
    } else {
      end();
    }
    before = point;
  }
  end();
  return pieces;
}

function isInside({ widthPx, heightPx }: Window, [x, y]: Point): boolean {
  return x >= 0 && x <= widthPx && y >= 0 && y <= heightPx;
}

/** touches is true for segments in the window; it may be for some just outside. */
function touches({ widthPx, heightPx }: Window, [ax, ay]: Point, [bx, by]: Point): boolean {
  return Math.max(ax, bx) >= 0 && Math.min(ax, bx) <= widthPx && Math.max(ay, by) >= 0 && Math.min(ay, by) <= heightPx;
}

/** Far outside, a drawing's own numbers lose their precision: such ends come nearer along their segment. */
const farPx = 2000;

function clipped({ widthPx, heightPx }: Window, a: Point, b: Point): [Point, Point] {
  const centre: Point = [widthPx / 2, heightPx / 2];
  return [nearer(a, b, centre), nearer(b, a, centre)];
}

/** nearer moves a point that is far away towards the segment's place that is nearest to the centre. */
function nearer(point: Point, other: Point, centre: Point): Point {
  if (Math.hypot(point[0] - centre[0], point[1] - centre[1]) <= farPx) return point;
  const [dx, dy] = [other[0] - point[0], other[1] - point[1]];
  const length = Math.hypot(dx, dy);
  if (length === 0) return point;
  const along = ((centre[0] - point[0]) * dx + (centre[1] - point[1]) * dy) / length;
  const move = Math.min(Math.max(along - farPx, 0), length);
  return [point[0] + (dx / length) * move, point[1] + (dy / length) * move];
}

/** overview answers lines as a small picture of their whole, and where in it a position is. */
export function overview(lines: readonly Line[], at: Position, sidePx: number): { lines: Point[][]; at: Point } {
  const all = lines.flat();
  const [west, east] = extent(all.map(([lon]) => lon));
  const [south, north] = extent(all.map(([, lat]) => lat));
  const narrow = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const span = Math.max((east - west) * narrow, north - south, 1e-6);
  const place = ([lon, lat]: Position): Point => [
    sidePx / 2 + (((lon - (west + east) / 2) * narrow) / span) * (sidePx - 12),
    sidePx / 2 - ((lat - (south + north) / 2) / span) * (sidePx - 12),
  ];
  return { lines: lines.map((line) => thinned(line.map(place))), at: place(at) };
}

function extent(values: readonly number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return [low, high];
}

/** thinned leaves out what a pixel would hide. */
function thinned(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const [i, point] of points.entries()) {
    const last = kept.at(-1);
    const isEnd = i === 0 || i === points.length - 1;
    if (isEnd || last === undefined || Math.hypot(point[0] - last[0], point[1] - last[1]) >= 1) kept.push(point);
  }
  return kept;
}

/** scaleM is a round number of metres that is at most a number of pixels long. */
export function scaleM({ metresPerPx }: Window, mostPx: number): number {
  const most = metresPerPx * mostPx;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((digit) => digit * power).find((metres) => metres <= most) ?? power;
}
