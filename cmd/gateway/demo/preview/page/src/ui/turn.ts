// One turn of the conversation: what the person said, the call that an agent would make, the map, what came of it.

import type { Call, Fit } from "../api/types.ts";
import type { JsonObject } from "../json.ts";
import { button, el } from "./dom.ts";
import { brief, count, duration, metres, nameOf } from "./format.ts";
import { icon } from "./icons.ts";

export class Turn {
  readonly element = el("article", { class: "turn" });
  readonly #time = el("span", { class: "time" });
  readonly #body = el("div", { class: "turn-body" });
  readonly #caption = el("p", { class: "caption" });
  call: Call | undefined;

  constructor(
    sentence: string | undefined,
    readonly tool: string,
    readonly input: JsonObject,
    readonly again: (turn: Turn) => void,
  ) {
    if (sentence !== undefined) this.element.append(el("p", { class: "said" }, sentence));
    const summary = el("summary", {}, icon("tool"), el("code", {}, tool), this.#time);
    const details = el("details", { class: "toolcall" }, summary, el("pre", {}, JSON.stringify(input, null, 2)));
    this.#time.append(el("span", { class: "spinner", role: "img", "aria-label": "running" }));
    this.element.append(details, this.#body, this.#caption);
  }

  ran(call: Call): void {
    this.call = call;
    this.#time.textContent = duration(call.duration_ms);
  }

  failed(sentence: string): void {
    this.#time.textContent = "";
    this.#body.replaceChildren(el("p", { class: "problem", role: "alert" }, sentence));
  }

  /** hold puts the stage, or whatever stands for it, into this turn. */
  hold(...children: readonly Node[]): void {
    this.element.classList.add("current");
    this.#body.replaceChildren(...children);
  }

  /** rest leaves a button where the stage was. */
  rest(): void {
    this.element.classList.remove("current");
    if (this.call === undefined) return;
    this.#body.replaceChildren(button([icon("map"), "Show again"], () => this.again(this), { class: "show-again" }));
  }

  /** tell says in a line what the host got. */
  tell({ status, simplification, characters, tokens }: Fit): void {
    const parts = [`${brief(characters)} characters`, `≈ ${count(tokens)} tokens for the agent`];
    const { points, original_points, max_error_m } = simplification ?? {};
    if (points !== undefined && original_points !== undefined) parts.unshift(`${count(points)} of ${count(original_points)} vertices`);
    if (max_error_m !== undefined) parts.splice(1, 0, `within ${metres(max_error_m)}`);
    const pill = status === undefined ? [] : [el("span", { class: "pill", "data-status": status }, nameOf(status))];
    this.#caption.replaceChildren(...pill, parts.join(" · "));
  }
}

/** remark is something in the conversation that is no call, such as what the map says in the person's name. */
export function remark(text: string, from: string): HTMLElement {
  return el("article", { class: "turn" }, el("p", { class: "said" }, text, el("span", { class: "from" }, from)));
}
