// The host's limit as a slider over steps, what each of them has shown so far, and how the result fills it.

import type { Fit } from "../api/types.ts";
import { parts, stepsOf, type Part } from "../fit/share.ts";
import { button, el, freshId } from "./dom.ts";
import { bound, brief, count } from "./format.ts";

const names: Readonly<Record<Part["name"], string>> = { text: "text", data: "map data", picture: "picture", rest: "the rest", room: "room", over: "over the limit" };

export class LimitPanel {
  readonly element: HTMLElement;
  readonly #slider = el("input", { type: "range", min: 0, step: 1, id: freshId() });
  readonly #value = el("output", { class: "figure" });
  readonly #marks = el("div", { class: "marks" });
  readonly #bar = el("div", { class: "bar", role: "img" });
  readonly #legend = el("ul", { class: "legend" });
  readonly #problem = el("p", { class: "problem", role: "alert" });
  #steps: number[] = [];
  /** The error at the steps that were looked at. */
  readonly #seen = new Map<number, string>();

  constructor(
    readonly steps: readonly number[],
    own: number,
    readonly choose: (limit: number) => void,
  ) {
    const label = el("label", { for: this.#slider.id }, "Host's limit");
    const head = el("div", { class: "panel-head" }, el("h2", {}, label), el("p", {}, this.#value, el("span", { class: "unit" }, " characters")));
    this.element = el("section", { class: "panel limit" }, head, this.#slider, this.#marks, this.#bar, this.#legend, this.#problem);
    this.#slider.addEventListener("input", () => this.#say(this.limit));
    this.#slider.addEventListener("change", () => this.choose(this.limit));
    this.begin(own);
  }

  get limit(): number {
    return this.#steps[this.#slider.valueAsNumber] ?? this.#steps[0] ?? 0;
  }

  /** begin is a new call: its own limit is among the steps, and nothing is known of the others. */
  begin(own: number): void {
    this.#steps = stepsOf(this.steps, own);
    this.#seen.clear();
    this.#slider.max = String(this.#steps.length - 1);
    this.#marks.replaceChildren(...this.#steps.map((step) => this.#markFor(step)));
    this.#set(own);
  }

  /** fail goes back to what is shown, and says why. */
  fail(shown: Fit, sentence: string): void {
    this.show(shown);
    this.#problem.textContent = sentence;
  }

  show(fit: Fit): void {
    this.#problem.textContent = "";
    const error = fit.simplification?.max_error_m;
    this.#seen.set(fit.limit, error !== undefined ? bound(error) : fit.status === "inline" ? "exact" : "–");
    this.#set(fit.limit);
    const all = parts(fit);
    this.#bar.replaceChildren(...all.map(({ name, share }) => {
      const part = el("span", { class: `part ${name}` });
      part.style.flexGrow = String(share);
      return part;
    }));
    const texts = all.map(({ name, characters }) => `${count(characters)} ${names[name]}`);
    this.#bar.setAttribute("aria-label", `Of ${count(fit.limit)} characters: ${texts.join(", ")}`);
    this.#legend.replaceChildren(...all.map(({ name, characters }) => {
      return el("li", { class: name }, el("b", {}, count(characters)), ` ${names[name]}`);
    }));
  }

  #markFor(step: number): HTMLElement {
    const press = (): void => {
      this.#set(step);
      this.choose(step);
    };
    return button([el("b", {}, brief(step)), el("span")], press, { class: "mark", "aria-label": `${count(step)} characters` });
  }

  #set(limit: number): void {
    this.#slider.value = String(Math.max(0, this.#steps.indexOf(limit)));
    this.#say(limit);
  }

  #say(limit: number): void {
    this.#value.textContent = count(limit);
    this.#slider.setAttribute("aria-valuetext", `${count(limit)} characters`);
    for (const [i, step] of this.#steps.entries()) {
      const mark = this.#marks.children[i]!;
      mark.lastElementChild!.textContent = this.#seen.get(step) ?? "·";
      if (step === limit) mark.setAttribute("aria-current", "true");
      else mark.removeAttribute("aria-current");
    }
  }
}
