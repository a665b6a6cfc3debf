// What the person has picked, on the map or in the card: one thing at a time, in both.

import type { Picked } from "./engine/engine.ts";
import type { Detail, Scene, Shape } from "./scene/scene.ts";

export interface SelectionStage {
  /** choose makes shapes stand out and brings them into sight; undefined ends that. */
  choose(id: string | undefined): void;
  /** look brings shapes into sight without more ado. */
  look(id: string): void;
  /** showVariant draws the scene with another row on top. */
  showVariant(scene: Scene): void;
  showDetail(detail: Detail | undefined): void;
  markChosen(id: string | undefined): void;
  /** selected is told of every change. */
  selected(detail: Detail | undefined): void;
}

export class Selection {
  #scene: Scene | undefined;
  #id: string | undefined;

  constructor(readonly stage: SelectionStage) {}

  setScene(scene: Scene): void {
    this.#scene = scene;
    this.#id = undefined;
  }

  /** fromMap: the engine already shows what was picked. */
  fromMap(picked: Picked | undefined): void {
    this.#id = picked?.id;
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
    this.stage.choose(id);
    this.#tell(this.#detailOf(id));
  }

  clear(): void {
    this.#id = undefined;
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
    this.stage.showDetail(detail);
    this.stage.markChosen(this.#id);
    this.stage.selected(detail);
  }

  #detailOf(id: string): Detail | undefined {
    return this.#scene?.shapes.flatMap((shape) => detailsOf(shape, id))[0];
  }
}

function detailsOf(shape: Shape, id: string): Detail[] {
  if (shape.kind === "cluster") return shape.points.flatMap((point) => detailsOf(point, id));
  return shape.kind !== "heat" && shape.id === id && shape.detail !== undefined ? [shape.detail] : [];
}
