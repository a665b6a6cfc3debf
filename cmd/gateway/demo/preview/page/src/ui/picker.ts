// Any tool with any arguments: the choice, what it does, examples, the form.

import type { Example, Session, Tool } from "../api/types.ts";
import { Form } from "../form/form.ts";
import { visibleTo } from "../host/rules.ts";
import type { JsonObject } from "../json.ts";
import { button, el, freshId } from "./dom.ts";
import { titleOf } from "./format.ts";

export class Picker {
  readonly element = el("div", { class: "picker" });
  readonly #choice = el("select", { id: freshId() });
  readonly #about = el("p", { class: "note about" });
  readonly #examples = el("div", { class: "examples", role: "group", "aria-label": "Examples" });
  readonly #form: Form;
  readonly #tools: readonly Tool[];

  constructor(
    readonly session: Session,
    run: (tool: Tool, input: JsonObject) => void,
  ) {
    this.#tools = session.tools.filter((tool) => visibleTo(tool, "model"));
    this.#form = new Form((input) => run(this.#tool, input));
    this.#choice.append(...this.#tools.map((tool) => el("option", { value: tool.name }, titleOf(tool))));
    this.#choice.addEventListener("change", () => this.#show(this.#examplesOf(this.#tool)[0]?.arguments ?? {}));
    const label = el("label", { for: this.#choice.id, class: "spoken" }, "Tool");
    this.element.append(label, this.#choice, this.#about, this.#examples, this.#form.element);
    const usual = this.#tools.find(({ name }) => name === "tomtom-routing") ?? this.#tools[0];
    if (usual !== undefined) this.choose(usual.name);
  }

  /** choose shows a tool with arguments, or with its first example. */
  choose(name: string, input?: JsonObject): void {
    if (!this.#tools.some((tool) => tool.name === name)) return;
    this.#choice.value = name;
    this.#show(input ?? this.#examplesOf(this.#tool)[0]?.arguments ?? {});
  }

  get #tool(): Tool {
    return this.#tools.find(({ name }) => name === this.#choice.value)!;
  }

  #examplesOf(tool: Tool): readonly Example[] {
    return this.session.examples[tool.name] ?? [];
  }

  #show(input: JsonObject): void {
    const tool = this.#tool;
    this.#about.textContent = tool.description ?? "";
    const examples = this.#examplesOf(tool).map((example) => button(example.title, () => this.#form.fill(example.arguments), { class: "chip" }));
    this.#examples.replaceChildren(...examples);
    this.#form.show(tool, input);
  }
}
