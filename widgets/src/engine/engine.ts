// The map: OpenLayers on a canvas, which needs no worker, no WebGL and no network, behind a few plain verbs.

import Feature from "ol/Feature.js";
import OLMap from "ol/Map.js";
import type MapBrowserEvent from "ol/MapBrowserEvent.js";
import View from "ol/View.js";
import MouseWheelZoom from "ol/interaction/MouseWheelZoom.js";
import { defaults as defaultInteractions } from "ol/interaction/defaults.js";
import type BaseLayer from "ol/layer/Base.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorImageLayer from "ol/layer/VectorImage.js";
import Cluster from "ol/source/Cluster.js";
import VectorSource from "ol/source/Vector.js";
import { boundsOf } from "../scene/bounds.ts";
import type { Bounds, ClusterShape, Detail, Scene } from "../scene/scene.ts";
import { Basemap, type TileState } from "./basemap.ts";
import { featureOf, shapeOf, type DrawnShape } from "./features.ts";
import { heatLayer } from "./heat.ts";
import { projectBounds } from "./mercator.ts";
import { paletteFor, type Palette, type Theme } from "./palette.ts";
import { clusterStyle, styleOf } from "./style.ts";
import { paintWorld, worldLayer } from "./world.ts";

export interface EngineEvents {
  /** picked: a shape that has something to say was clicked, or nothing was. */
  picked(detail: Detail | undefined): void;
  tiles(state: TileState): void;
}

/** What the shell's own boxes cover of the map, in CSS pixels. */
export interface Padding {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

const wholeWorld: Bounds = { west: -170, south: -56, east: 180, north: 74 };
const pickTolerancePx = 6;
/** A lone place is shown with its neighbourhood. */
const maxFitZoom = 15.5;
const zoomMs = 200;

export class Engine {
  readonly #map: OLMap;
  readonly #world = worldLayer();
  readonly #basemap: Basemap;
  #drawn: BaseLayer[] = [];
  #palette: Palette;
  #bounds: Bounds = wholeWorld;
  #padding: Padding = { top: 0, right: 0, bottom: 0, left: 0 };
  /** The person has taken over: a new size no longer brings the whole scene back. */
  #moved = false;

  constructor(
    readonly target: HTMLElement,
    readonly events: EngineEvents,
    theme: Theme,
  ) {
    this.#palette = paletteFor(theme);
    this.#basemap = new Basemap(events.tiles);
    this.#map = new OLMap({
      target,
      layers: [this.#world, this.#basemap.layer],
      controls: [],
      interactions: defaultInteractions({ altShiftDragRotate: false, pinchRotate: false, mouseWheelZoom: false }),
      view: new View({ center: [0, 0], zoom: 1, maxZoom: 20, enableRotation: false, constrainResolution: false }),
    });
    // A wheel over a map in a conversation is meant for the conversation, until the map was clicked.
    this.#map.addInteraction(new MouseWheelZoom({ condition: () => target.contains(document.activeElement) }));
    this.#map.on("singleclick", (event) => events.picked(this.#detailAt(event)));
    this.#map.on("change:size", () => this.#fit());
    for (const moved of ["pointerdown", "wheel", "keydown"]) target.addEventListener(moved, () => (this.#moved = true));
    this.setTheme(theme);
  }

  /** draw shows a scene in place of the one before. It resolves once it is on the canvas, which has to have a size. */
  async draw(scene: Scene, padding: Padding): Promise<void> {
    for (const layer of this.#drawn) this.#map.removeLayer(layer);
    this.#drawn = this.#layersOf(scene);
    for (const layer of this.#drawn) this.#map.addLayer(layer);
    this.#bounds = scene.bounds ?? boundsOf(scene.shapes) ?? wholeWorld;
    this.#padding = padding;
    this.#moved = false;
    await this.#sized();
    this.#fit();
    this.#map.renderSync();
  }

  useTiles(template: string, key: string): void {
    this.#basemap.use(template, key);
  }

  setTheme(theme: Theme): void {
    this.#palette = paletteFor(theme);
    this.target.style.backgroundColor = this.#palette.water;
    paintWorld(this.#world, this.#palette);
    this.#basemap.setTheme(theme);
    for (const layer of this.#drawn) layer.changed();
  }

  zoomBy(levels: number): void {
    this.#moved = true;
    const view = this.#map.getView();
    view.cancelAnimations();
    view.animate({ zoom: (view.getZoom() ?? 1) + levels, duration: calm() ? 0 : zoomMs });
  }

  resize(): void {
    this.#map.updateSize();
  }

  destroy(): void {
    this.#map.setTarget(undefined);
    this.#map.dispose();
  }

  #hasSize(): boolean {
    const [width = 0, height = 0] = this.#map.getSize() ?? [];
    return width > 0 && height > 0;
  }

  #sized(): Promise<void> {
    this.#map.updateSize();
    if (this.#hasSize()) return Promise.resolve();
    return new Promise((resolve) => {
      const listener = (): void => {
        if (!this.#hasSize()) return;
        this.#map.un("change:size", listener);
        resolve();
      };
      this.#map.on("change:size", listener);
    });
  }

  #fit(): void {
    if (!this.#hasSize() || this.#moved) return;
    const [width = 0, height = 0] = this.#map.getSize() ?? [];
    const { top, right, bottom, left } = this.#padding;
    // Padding that leaves no map is of no use: a small frame shows the whole scene under the boxes.
    const roomy = width - left - right > 80 && height - top - bottom > 80;
    this.#map.getView().fit(projectBounds(this.#bounds), {
      padding: roomy ? [top, right, bottom, left] : [8, 8, 8, 8],
      maxZoom: maxFitZoom,
    });
  }

  #layersOf(scene: Scene): BaseLayer[] {
    const features: Record<DrawnShape["kind"], Feature[]> = { area: [], line: [], point: [] };
    const others: BaseLayer[] = [];
    for (const shape of scene.shapes) {
      if (shape.kind === "heat") others.push(heatLayer(shape));
      else if (shape.kind === "cluster") others.push(this.#clusterLayer(shape));
      else features[shape.kind].push(featureOf(shape));
    }
    const style = (feature: { get(key: string): unknown }): ReturnType<typeof styleOf> => styleOf(shapeOf(feature)!, this.#palette);
    const flat = (list: Feature[]): BaseLayer =>
      new VectorImageLayer({ source: new VectorSource({ features: list }), style, imageRatio: 1.5 });
    const points = new VectorLayer({ source: new VectorSource({ features: features.point }), style, declutter: true });
    return [flat(features.area), flat(features.line), ...others, points];
  }

  #clusterLayer(shape: ClusterShape): BaseLayer {
    const source = new VectorSource({ features: shape.points.map(featureOf) });
    return new VectorLayer({
      source: new Cluster({ source, distance: shape.radiusPx }),
      style: (feature) => {
        const members = membersOf(feature);
        const only = members.length === 1 ? shapeOf(members[0]!) : undefined;
        return only === undefined ? clusterStyle(members.length, this.#palette) : styleOf(only, this.#palette);
      },
    });
  }

  #detailAt(event: MapBrowserEvent): Detail | undefined {
    return this.#map.forEachFeatureAtPixel(
      event.pixel,
      (feature) => {
        const members = membersOf(feature);
        return shapeOf(members.length === 1 ? members[0]! : feature)?.detail;
      },
      { hitTolerance: pickTolerancePx, layerFilter: (layer) => this.#drawn.includes(layer) },
    );
  }
}

function membersOf(feature: { get(key: string): unknown }): readonly Feature[] {
  const members = feature.get("features");
  return Array.isArray(members) ? (members as Feature[]) : [];
}

/** calm: the person asked for less motion. */
function calm(): boolean {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
