// Tells the model, in a sentence, what the person looks at: after a pause, only the latest, and only what a person did.

import type { Sight } from "./engine/engine.ts";
import { nameOf } from "./naming.ts";
import type { Detail } from "./scene/scene.ts";

/** A person who pans does so in several strokes. */
export const pauseMs = 800;
const maxNameChars = 300;

/** Send hands the host a text that replaces the one before. It rejects where the host refuses. */
export type Send = (text: string) => Promise<void>;

/** sentenceFor is in English: it is the model's to read. Names of the data are quoted, short, and on one line. */
export function sentenceFor(tool: string, sight: Sight | undefined, detail: Detail | undefined): string {
  const parts: string[] = [];
  if (sight !== undefined) {
    const { west, south, east, north } = sight.bounds;
    const digits = sight.zoom < 8 ? 2 : sight.zoom < 13 ? 3 : 5;
    const box = [west, south, east, north].map((degrees) => Number(degrees.toFixed(digits))).join(", ");
    parts.push(`The person looks at the map of ${tool}: bbox [${box}] (west, south, east, north), zoom ${sight.zoom.toFixed(1)}.`);
  }
  parts.push(detail === undefined ? "Nothing on it is selected." : `Selected on it: "${nameOf(detail, maxNameChars)}".`);
  return parts.join(" ");
}

export class Feedback {
  #tool = "";
  #sight: Sight | undefined;
  #detail: Detail | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent = "";
  #sending = false;
  #off = false;

  /** refused tells of an error whether the host will never take such a text. */
  constructor(
    readonly send: Send,
    readonly refused: (error: unknown) => boolean,
  ) {}

  /** begin is a new map: what was selected on the one before is no more. */
  begin(tool: string): void {
    this.end();
    this.#tool = tool;
    this.#sight = undefined;
    this.#detail = undefined;
    this.#sent = "";
  }

  looked(sight: Sight): void {
    this.#sight = sight;
    if (sight.byPerson) this.#later();
  }

  selected(detail: Detail | undefined): void {
    if (detail === this.#detail) return;
    this.#detail = detail;
    this.#later();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #later(): void {
    if (this.#off || this.#tool === "") return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#now(), pauseMs);
  }

  async #now(): Promise<void> {
    this.#timer = undefined;
    const text = sentenceFor(this.#tool, this.#sight, this.#detail);
    if (text === this.#sent) return;
    if (this.#sending) {
      // One at a time: a host may answer out of order, and the last one has to win.
      this.#later();
      return;
    }
    this.#sending = true;
    this.#sent = text;
    try {
      await this.send(text);
    } catch (error) {
      this.#off = this.refused(error);
    } finally {
      this.#sending = false;
    }
  }
}
