// What a map shows, without a word of how it is painted: shapes with roles, and the texts beside the map. The engine
// and the shell both read it; only colours that come from the data are fixed here.

/** Path is lon, lat, lon, lat, … in degrees. A line across the antimeridian goes on past 180. */
export type Path = Float64Array;

export type LineRole =
  | "route"
  | "alternative"
  | "delay-minor"
  | "delay-moderate"
  | "delay-major"
  | "delay-unknown"
  | "toll"
  | "ferry"
  | "tunnel"
  | "data";

/** A turn is seen only while it is chosen. */
export type PointRole = "start" | "via" | "end" | "charge" | "border" | "turn" | "place" | "incident" | "label" | "data";

export type AreaRole = "range" | "boundary" | "data";

export interface Field {
  readonly name: string;
  readonly text: string;
}

/** Detail is what a person sees of a shape that they pick. All of it is text. */
export interface Detail {
  readonly title: string;
  /** What kind of thing it is. */
  readonly kind?: string;
  readonly lines: readonly string[];
  readonly fields?: readonly Field[];
  /** An http or https address, opened through the host. */
  readonly link?: string;
}

export interface LineShape {
  readonly kind: "line";
  /** What a row of the card points at; shapes may share one. */
  readonly id?: string;
  readonly role: LineRole;
  readonly path: Path;
  /** A colour of the data's own; the role has one otherwise. */
  readonly colour?: string;
  readonly widthPx?: number;
  /** It lies on no route, and so needs an edge of its own to be seen by. */
  readonly alone?: boolean;
  readonly detail?: Detail;
}

export interface PointShape {
  readonly kind: "point";
  readonly id?: string;
  readonly role: PointRole;
  readonly lon: number;
  readonly lat: number;
  readonly label?: string;
  /** The number that a list beside the map uses for it. */
  readonly number?: number;
  readonly colour?: string;
  readonly radiusPx?: number;
  /** It is of the colour of a line's role. */
  readonly as?: LineRole;
  /** A sign inside the mark, one or two characters. */
  readonly sign?: string;
  /** Where labels crowd, the higher one stays. */
  readonly priority?: number;
  readonly detail?: Detail;
}

export interface AreaShape {
  readonly kind: "area";
  readonly id?: string;
  readonly role: AreaRole;
  /** Polygons of rings: the first is the outside, the others are holes. */
  readonly polygons: readonly (readonly Path[])[];
  /** Of nested areas, the place from the smallest (0) to the largest (1). */
  readonly rank?: number;
  readonly colour?: string;
  /** The outline's colour, where it is not the area's. */
  readonly strokeColour?: string;
  readonly strokePx?: number;
  readonly opacity?: number;
  readonly detail?: Detail;
}

/** Points that are drawn as numbers of points where they crowd. */
export interface ClusterShape {
  readonly kind: "cluster";
  readonly points: readonly PointShape[];
  readonly radiusPx: number;
  /** tell is what is said of points that lie too close together to be parted. */
  readonly tell?: (members: readonly PointShape[]) => Detail;
}

/** Points that are drawn as density. */
export interface HeatShape {
  readonly kind: "heat";
  /** lon, lat, weight (0 to 1), lon, lat, weight, … */
  readonly points: Float64Array;
  readonly intensity: number;
}

/** A shape that is one thing on the map. */
export type SingleShape = LineShape | PointShape | AreaShape;

export type Shape = SingleShape | ClusterShape | HeatShape;

/** singleShapes answers each thing on the map, those that may be drawn gathered too, in the scene's order. */
export function singleShapes(shapes: readonly Shape[]): SingleShape[] {
  return shapes.flatMap((shape): readonly SingleShape[] =>
    shape.kind === "cluster" ? shape.points : shape.kind === "heat" ? [] : [shape],
  );
}

/** Bounds in degrees. east may pass 180. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export type Swatch = LineRole | PointRole | AreaRole;

/** Row is a line of the card beside the map. */
export interface Row {
  /** The shapes that it tells about. With one, the row can be chosen. */
  readonly id?: string;
  readonly title: string;
  readonly text: string;
  readonly swatch?: Swatch;
  readonly colour?: string;
  readonly number?: number;
  /** As of the area that it explains. */
  readonly rank?: number;
  /** Colours from few to many, for a legend's bar with title and text at its ends. */
  readonly ramp?: readonly string[];
}

/** List is a part of the card that opens. */
export interface List {
  /** Which of the scene's lists it is, in any language. */
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
  /** How many there are where not all are listed. */
  readonly total?: number;
  /** It is unfolded from the start. */
  readonly open?: boolean;
  /** The title says how many rows there are. */
  readonly counted?: boolean;
}

export interface Scene {
  readonly title?: string;
  /** From the bottom up. */
  readonly shapes: readonly Shape[];
  readonly rows: readonly Row[];
  /** What there is to see on the way, folded. */
  readonly lists?: readonly List[];
  readonly legend: readonly Row[];
  /** The id that is on top from the start, of rows of which one always is. */
  readonly chosen?: string;
  /** choose answers the scene with another of its rows on top, undefined where the choice does not change the scene. */
  readonly choose?: (id: string) => Scene | undefined;
  /** A view that the data asks for; the shapes' own bounds otherwise. */
  readonly bounds?: Bounds;
}

export const emptyScene: Scene = { shapes: [], rows: [], legend: [] };

/** twins finds a shape of one scene in the same scene in other words: builders keep their order in every language. */
export function twins(before: readonly Shape[], now: readonly Shape[]): <Kind extends SingleShape>(shape: Kind | undefined) => Kind | undefined {
  const others = singleShapes(now);
  const places = new Map(singleShapes(before).map((shape, place) => [shape, place]));
  return <Kind extends SingleShape>(shape: Kind | undefined) => {
    const place = shape === undefined ? undefined : places.get(shape);
    const twin = place === undefined ? undefined : others[place];
    return twin?.kind === shape?.kind ? (twin as Kind) : undefined;
  };
}
