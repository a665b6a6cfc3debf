// A form made from a tool's input schema, or the same arguments as JSON: whichever the person likes.

import type { Tool } from "../api/types.ts";
import { asObject, type JsonObject } from "../json.ts";
import { button, el, freshId } from "../ui/dom.ts";
import { Group } from "./inputs.ts";
import { membersOf } from "./schema.ts";

export class Form {
  readonly element = el("form", { class: "form", novalidate: true });
  readonly #switch: HTMLButtonElement;
  readonly #place = el("div", { class: "form-place" });
  readonly #problem = el("p", { class: "problem", role: "alert" });
  readonly #json = el("textarea", { class: "json", spellcheck: "false", rows: 12, "aria-label": "Arguments as JSON" });
  #schema: JsonObject = {};
  #group: Group | undefined;
  #asJSON = false;

  /** run is called with the arguments once they are whole. */
  constructor(readonly run: (input: JsonObject) => void) {
    this.#switch = button("JSON", () => this.#turn(), { class: "quiet", "aria-pressed": "false", title: "Edit the arguments as JSON" });
    const go = el("button", { class: "primary", type: "submit" }, "Run");
    this.element.append(this.#place, this.#problem, el("div", { class: "form-foot" }, go, this.#switch));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      const input = this.read();
      if (input !== undefined) this.run(input);
    });
  }

  show(tool: Tool, input: JsonObject): void {
    this.#schema = asObject(tool.inputSchema) ?? {};
    this.fill(input);
  }

  /** fill puts other arguments into the form. */
  fill(input: JsonObject): void {
    this.#problem.textContent = "";
    if (this.#asJSON) {
      this.#json.value = JSON.stringify(input, null, 2);
      this.#place.replaceChildren(this.#json);
      return;
    }
    this.#group = new Group(membersOf(this.#schema), input, freshId());
    this.#place.replaceChildren(this.#group.element);
  }

  /** read answers the arguments, or undefined where something is missing or wrong, which the person is then told. */
  read(): JsonObject | undefined {
    this.#problem.textContent = "";
    if (this.#asJSON) return this.#readJSON();
    const controls = [...this.#place.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>("input, select, textarea")];
    const wrong = controls.find((control) => !control.checkValidity());
    if (wrong !== undefined) {
      for (let folded = wrong.closest("details"); folded !== null; folded = folded.parentElement?.closest("details") ?? null) folded.open = true;
      wrong.reportValidity();
      return undefined;
    }
    return asObject(this.#group?.read()) ?? {};
  }

  #readJSON(): JsonObject | undefined {
    try {
      const input = asObject(JSON.parse(this.#json.value));
      if (input !== undefined) return input;
      this.#problem.textContent = "The arguments have to be a JSON object.";
    } catch (error) {
      this.#problem.textContent = `This is no JSON: ${(error as Error).message}`;
    }
    this.#json.focus();
    return undefined;
  }

  #turn(): void {
    const input = this.#asJSON ? this.#readJSON() : (asObject(this.#group?.read()) ?? {});
    if (input === undefined) return;
    this.#asJSON = !this.#asJSON;
    this.#switch.textContent = this.#asJSON ? "Form" : "JSON";
    this.#switch.setAttribute("aria-pressed", String(this.#asJSON));
    this.fill(input);
  }
}
