// What the widget gets: the state of its data, what of the lines is left, and where that is seen most.

import type { Fit } from "../api/types.ts";
import type { Line } from "../fit/document.ts";
import { el } from "./dom.ts";
import { Drawing } from "./drawing.ts";
import { count, metres, nameOf } from "./format.ts";

/** What each state of the data means. */
const meanings: Readonly<Record<string, string>> = {
  inline: "Everything, exactly as the server has it.",
  fitted: "Fewer vertices, so that it fits. Every section is still at its place.",
  text: "What it draws from is the text itself.",
  fetch: "It does not fit, and the widget fetches it.",
  too_large: "It does not fit: there is no map at this limit.",
  unavailable: "The server no longer had it.",
  none: "No map data goes with this result: the widget draws from the text, or asks a map service.",
};

export class WidgetPanel {
  readonly element: HTMLElement;
  readonly #pill = el("span", { class: "pill" }, "–");
  readonly #meaning = el("p", { class: "note" });
  readonly #figures = el("dl", { class: "figures" });
  readonly #kept = el("div", { class: "kept", "aria-hidden": "true" }, el("span"));
  readonly #drawing = new Drawing();
  #before: Fit | undefined;

  constructor() {
    const head = el("div", { class: "panel-head" }, el("h2", {}, "The widget gets"), this.#pill);
    this.#kept.hidden = true;
    this.element = el("section", { class: "panel widget-gets" }, head, this.#meaning, this.#figures, this.#kept, this.#drawing.element);
  }

  /** begin forgets what the figures are compared with. */
  begin(): void {
    this.#before = undefined;
  }

  show(fit: Fit, drawn: readonly Line[], original: readonly Line[]): void {
    const { status = "none" } = fit;
    this.#pill.textContent = nameOf(status);
    this.#pill.dataset["status"] = status;
    this.#meaning.textContent = meanings[status] ?? "";
    this.#figures.replaceChildren(...this.#rows(fit));
    const { points, original_points } = fit.simplification ?? {};
    this.#kept.hidden = points === undefined || original_points === undefined;
    (this.#kept.firstElementChild as HTMLElement).style.width = `${(100 * (points ?? 0)) / (original_points || 1)}%`;
    this.#drawing.show(fit, drawn, original);
    this.#before = fit;
  }

  #rows(fit: Fit): HTMLElement[] {
    const { points, original_points, max_error_m, shed = [] } = fit.simplification ?? {};
    const before = this.#before?.simplification;
    const rows: HTMLElement[] = [];
    if (points !== undefined && original_points !== undefined) {
      rows.push(...row("vertices", count(points), ` of ${count(original_points)}`, before?.points !== undefined && before.points !== points ? count(before.points) : ""));
    }
    if (max_error_m !== undefined) {
      rows.push(...row("drawn within", metres(max_error_m), "", before?.max_error_m !== undefined && before.max_error_m !== max_error_m ? metres(before.max_error_m) : ""));
    }
    if (fit.data_characters > 0) rows.push(...row("map data", count(fit.data_characters), " characters", ""));
    if (shed.length > 0) rows.push(...row("left out", "", shed.join(", "), ""));
    return rows;
  }
}

function row(name: string, value: string, rest: string, before: string): HTMLElement[] {
  const was = before === "" ? [] : [el("s", { title: "before" }, before), " → "];
  return [el("dt", {}, name), el("dd", {}, ...was, el("b", {}, value), rest)];
}
