// What the person has picked, on the map or in the card: one thing at a time, in both.

import type { Picked } from "./engine/engine.ts";
import { singleShapes, twins, type ClusterShape, type Detail, type PointShape, type Scene, type SingleShape } from "./scene/scene.ts";

export interface SelectionStage {
  /** choose makes shapes stand out and brings them into sight; undefined ends that. */
  choose(id: string | undefined): void;
  /** look brings shapes into sight without more ado. */
  look(id: string): void;
  /** showVariant draws the scene with another row on top. */
  showVariant(scene: Scene): void;
  /** reword draws the same scene in other words, with what is chosen still chosen. */
  reword(scene: Scene): void;
  showDetail(detail: Detail | undefined): void;
  markChosen(id: string | undefined): void;
  /** selected is told of every change. */
  selected(detail: Detail | undefined): void;
}

export class Selection {
  #scene: Scene | undefined;
  #id: string | undefined;
  /** What the box tells, and of which points, where it stands for several. */
  #detail: Detail | undefined;
  #members: readonly PointShape[] = [];

  constructor(readonly stage: SelectionStage) {}

  setScene(scene: Scene): void {
    this.#scene = scene;
    this.#id = undefined;
    this.#detail = undefined;
    this.#members = [];
  }

  /** reword takes the same scene in other words. What is on top stays on top, what is picked stays picked. */
  reword(scene: Scene): void {
    const before = this.#scene;
    const now = (before?.chosen === undefined ? undefined : scene.choose?.(before.chosen)) ?? scene;
    this.#scene = now;
    this.stage.reword(now);
    if (this.#detail === undefined || before === undefined) return;
    const twin = twins(before.shapes, now.shapes);
    this.#members = this.#members.flatMap((member) => twin(member) ?? []);
    const [first] = this.#members;
    const told = first === undefined ? twin(tellerOf(before, this.#detail))?.detail : clusterOf(now, first)?.tell?.(this.#members);
    if (told === undefined) {
      this.clear();
      return;
    }
    this.#detail = told;
    this.stage.showDetail(told);
    this.stage.markChosen(this.#id);
  }

  /** fromMap: the engine already shows what was picked. */
  fromMap(picked: Picked | undefined): void {
    this.#id = picked?.id;
    this.#members = picked?.members ?? [];
    if (picked?.id !== undefined) this.#vary(picked.id);
    this.#tell(picked?.detail);
  }

  /** fromCard: a row was pressed. Pressed again, it lets go, save one of which one is always on top. */
  fromCard(id: string): void {
    if (this.#vary(id) || id === this.#scene?.chosen) {
      const detail = this.#detailOf(id);
      this.clear();
      this.stage.look(id);
      this.stage.selected(detail);
      return;
    }
    if (id === this.#id) {
      this.clear();
      return;
    }
    this.#id = id;
    this.#members = [];
    this.stage.choose(id);
    this.#tell(this.#detailOf(id));
  }

  clear(): void {
    this.#id = undefined;
    this.#members = [];
    this.stage.choose(undefined);
    this.#tell(undefined);
  }

  /** vary answers whether the choice put another row on top. */
  #vary(id: string): boolean {
    const variant = this.#scene?.choose?.(id);
    if (variant === undefined) return false;
    this.#scene = variant;
    this.stage.showVariant(variant);
    return true;
  }

  #tell(detail: Detail | undefined): void {
    this.#detail = detail;
    this.stage.showDetail(detail);
    this.stage.markChosen(this.#id);
    this.stage.selected(detail);
  }

  #detailOf(id: string): Detail | undefined {
    if (this.#scene === undefined) return undefined;
    return singleShapes(this.#scene.shapes).find((shape) => shape.id === id && shape.detail !== undefined)?.detail;
  }
}

function tellerOf({ shapes }: Scene, detail: Detail): SingleShape | undefined {
  return singleShapes(shapes).find((shape) => shape.detail === detail);
}

function clusterOf({ shapes }: Scene, member: PointShape): ClusterShape | undefined {
  return shapes.find((shape) => shape.kind === "cluster" && shape.points.includes(member)) as ClusterShape | undefined;
}
