// The map: OpenLayers on a canvas, which needs no worker, no WebGL and no network, behind a few plain verbs.

import OLMap from "ol/Map.js";
import type MapBrowserEvent from "ol/MapBrowserEvent.js";
import View from "ol/View.js";
import MouseWheelZoom from "ol/interaction/MouseWheelZoom.js";
import { defaults as defaultInteractions } from "ol/interaction/defaults.js";
import type BaseLayer from "ol/layer/Base.js";
import { boundsOf } from "../scene/bounds.ts";
import { emptyScene, singleShapes, twins, type Detail, type PointShape, type Scene, type Shape, type SingleShape } from "../scene/scene.ts";
import { Basemap, type TileState } from "./basemap.ts";
import { Camera, wholeWorld, type Padding, type Sight } from "./camera.ts";
import { Chosen } from "./chosen.ts";
import { anchorOf } from "./features.ts";
import { hitAt, overMark } from "./hits.ts";
import { layersOf } from "./layers.ts";
import { latOf, lonOf } from "./mercator.ts";
import { paletteFor, type Palette, type Theme } from "./palette.ts";
import { World } from "./world.ts";

export type { Padding, Sight } from "./camera.ts";

/** What a person picked on the map. */
export interface Picked {
  readonly id?: string;
  readonly detail: Detail;
  /** The points that it stands for, where they lie too close together to be parted. */
  readonly members?: readonly PointShape[];
}

export interface EngineEvents {
  /** picked: a shape that has something to say was clicked, or nothing was. */
  picked(picked: Picked | undefined): void;
  tiles(state: TileState): void;
  /** moved: the map stands still again. */
  moved(sight: Sight): void;
  /** pointed: where what is chosen now lies, in CSS pixels of the map; undefined where it is out of sight. */
  pointed(at: { x: number; y: number } | undefined): void;
}

export class Engine {
  readonly #map: OLMap;
  readonly #camera: Camera;
  readonly #world: World;
  readonly #basemap: Basemap;
  readonly #chosen: Chosen;
  #drawn: BaseLayer[] = [];
  #shapes: readonly Shape[] = [];
  #palette: Palette;

  constructor(
    readonly target: HTMLElement,
    readonly events: EngineEvents,
    theme: Theme,
  ) {
    this.#palette = paletteFor(theme);
    this.#chosen = new Chosen(() => this.#palette);
    this.#world = new World(this.#palette);
    this.#basemap = new Basemap((state) => events.tiles(state));
    this.#map = new OLMap({
      target,
      layers: [...this.#world.layers, this.#basemap.layer, this.#chosen.layer],
      controls: [],
      interactions: defaultInteractions({ altShiftDragRotate: false, pinchRotate: false, mouseWheelZoom: false }),
      view: new View({ center: [0, 0], zoom: 1, maxZoom: 20, enableRotation: false, constrainResolution: false }),
    });
    this.#camera = new Camera(this.#map);
    this.#listen();
    this.setTheme(theme);
  }

  /** draw shows a scene in place of the one before. It resolves once it is on the canvas, which has to have a size. */
  async draw(scene: Scene, padding: Padding): Promise<void> {
    this.choose(undefined);
    try {
      this.redraw(scene);
      await this.#camera.frame(scene.bounds ?? boundsOf(scene.shapes) ?? wholeWorld, padding);
      this.#map.renderSync();
    } catch (error) {
      // What cannot be painted now would fail at every frame from now on.
      this.redraw(emptyScene);
      throw error;
    }
  }

  /** pad is told of boxes over the map that have grown or shrunk. */
  pad(padding: Padding): void {
    this.#camera.pad(padding);
  }

  /** redraw shows a variant of the scene and leaves the map where it is, and what is chosen chosen. */
  redraw(scene: Scene): void {
    for (const layer of this.#drawn) this.#map.removeLayer(layer);
    this.#shapes = scene.shapes;
    this.#drawn = layersOf(scene, () => this.#palette);
    for (const layer of this.#drawn) this.#map.addLayer(layer);
  }

  /** reword shows the same scene in other words; the map stays where it is, and what is chosen stays chosen. */
  reword(scene: Scene): void {
    this.#chosen.replace(twins(this.#shapes, scene.shapes));
    this.redraw(scene);
  }

  /** choose makes a row's shapes stand out and brings them into sight; undefined ends that. */
  choose(id: string | undefined): void {
    const shapes = id === undefined ? [] : singleShapes(this.#shapes).filter((shape) => shape.id === id);
    const [first] = shapes;
    this.#chosen.set(shapes, first === undefined ? undefined : anchorOf(first));
    if (first !== undefined) this.#camera.reveal(shapes);
    this.events.pointed(this.#chosen.pixel(this.#map));
  }

  /** look brings a row's shapes into sight. */
  look(id: string): void {
    const shapes = singleShapes(this.#shapes).filter((shape) => shape.id === id);
    if (shapes.length > 0) this.#camera.reveal(shapes);
  }

  useTiles(template: string, key: string): void {
    this.#basemap.use(template, key);
  }

  setTheme(theme: Theme): void {
    this.#palette = paletteFor(theme);
    this.target.style.backgroundColor = this.#palette.water;
    this.#world.paint(this.#palette);
    this.#basemap.setTheme(theme);
    for (const layer of [...this.#drawn, this.#chosen.layer]) layer.changed();
  }

  /** nameCountries names them on the embedded world; tiles have names of their own. */
  nameCountries(named: boolean): void {
    this.#world.showNames(named);
  }

  /** setLocale is the language that the embedded world's countries are named in. */
  setLocale(locale: string | undefined): void {
    this.#world.setLocale(locale);
  }

  zoomBy(levels: number): void {
    this.#camera.zoomBy(levels);
  }

  resize(): void {
    this.#map.updateSize();
  }

  destroy(): void {
    this.#map.setTarget(undefined);
    this.#map.dispose();
  }

  #listen(): void {
    const { target, events } = this;
    const map = this.#map;
    // A wheel over a map in a conversation is meant for the conversation, until the map was clicked.
    map.addInteraction(new MouseWheelZoom({ condition: () => target.contains(document.activeElement) }));
    map.on("singleclick", (event) => this.#click(event));
    map.on("pointermove", (event) => {
      if (!event.dragging) target.style.cursor = overMark(map, event.pixel) ? "pointer" : "";
    });
    map.on("moveend", () => {
      const sight = this.#camera.sight();
      if (sight !== undefined) events.moved(sight);
    });
    map.on("postrender", () => events.pointed(this.#chosen.pixel(map)));
    for (const moved of ["pointerdown", "wheel", "keydown"]) target.addEventListener(moved, () => this.#camera.take());
  }

  #click(event: MapBrowserEvent): void {
    const byFinger = (event.originalEvent as Partial<PointerEvent>).pointerType === "touch";
    const hit = hitAt(this.#map, event.pixel, byFinger);
    if (hit === undefined) {
      this.choose(undefined);
      this.events.picked(undefined);
      return;
    }
    if (hit.kind === "cluster") {
      const [first] = hit.members;
      if (first !== undefined && !this.#camera.closer(boundsOf(hit.members)!)) {
        this.#pick([], anchorOf(first), hit.detail === undefined ? undefined : { detail: hit.detail, members: hit.members });
      }
      return;
    }
    const [x = 0, y = 0] = event.coordinate;
    const { shape, detail } = hit;
    this.#pick([shape], shape.kind === "point" ? anchorOf(shape) : [lonOf(x), latOf(y)], {
      detail,
      ...(shape.id !== undefined ? { id: shape.id } : {}),
    });
  }

  #pick(shapes: readonly SingleShape[], anchor: readonly [number, number], picked: Picked | undefined): void {
    this.#chosen.set(shapes, anchor);
    this.events.picked(picked);
    this.events.pointed(this.#chosen.pixel(this.#map));
  }
}
