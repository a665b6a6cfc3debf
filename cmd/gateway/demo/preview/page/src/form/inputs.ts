// The fields of a form as elements. Each can say its value; undefined where it was left empty.

import { asArray, asObject, type JsonObject } from "../json.ts";
import { button, el } from "../ui/dom.ts";
import type { Field, Member } from "./schema.ts";

export interface Input {
  readonly element: HTMLElement;
  read(): unknown;
}

/** inputFor makes the input of a field. id is free to use, and stands for its first control. */
export function inputFor(field: Field, value: unknown, id: string, required: boolean): Input {
  switch (field.kind) {
    case "text":
      return textInput(value, id, required);
    case "number":
      return numberInput(field, value, id, required);
    case "flag":
      return flagInput(field, value, id);
    case "choice":
      return choiceInput(field, value, id, required);
    case "numbers":
      return new Numbers(field.labels, value, id, required);
    case "list":
      return new List(field, value, id);
    case "group":
      return groupInput(field.members, value, id, required);
    case "json":
      return jsonInput(value, id, required);
  }
}

function textInput(value: unknown, id: string, required: boolean): Input {
  const text = typeof value === "string" ? value : "";
  const element = text.length > 80 ? el("textarea", { id, required, rows: 4 }) : el("input", { id, required, type: "text" });
  element.value = text;
  return { element, read: () => (element.value === "" ? undefined : element.value) };
}

function numberInput({ least, most, whole }: Field & { kind: "number" }, value: unknown, id: string, required: boolean): Input {
  const element = el("input", { id, required, type: "number", step: whole ? "1" : "any", min: least, max: most });
  element.value = typeof value === "number" ? String(value) : "";
  return { element, read: () => (element.value === "" ? undefined : element.valueAsNumber) };
}

/** flagInput says nothing where the tool's own default is meant. */
function flagInput({ otherwise }: Field, value: unknown, id: string): Input {
  const element = el("input", { id, type: "checkbox" });
  const wasGiven = typeof value === "boolean";
  const start = wasGiven ? value : otherwise === true;
  element.checked = start;
  return { element, read: () => (wasGiven || element.checked !== start ? element.checked : undefined) };
}

function choiceInput({ values, otherwise }: Field & { kind: "choice" }, value: unknown, id: string, required: boolean): Input {
  const element = el("select", { id, required });
  const empty = typeof otherwise === "string" ? `${otherwise} (default)` : "";
  element.append(el("option", { value: "" }, empty), ...values.map((name) => el("option", { value: name }, name)));
  element.value = typeof value === "string" && values.includes(value) ? value : "";
  return { element, read: () => (element.value === "" ? undefined : element.value) };
}

function jsonInput(value: unknown, id: string, required: boolean): Input {
  const element = el("textarea", { id, required, class: "json", rows: 3, spellcheck: "false" });
  element.value = value === undefined ? "" : JSON.stringify(value);
  const parsed = (): unknown => (element.value.trim() === "" ? undefined : JSON.parse(element.value));
  element.addEventListener("input", () => {
    try {
      parsed();
      element.setCustomValidity("");
    } catch {
      element.setCustomValidity("This is no JSON.");
    }
  });
  return {
    element,
    read() {
      try {
        return parsed();
      } catch {
        return undefined;
      }
    },
  };
}

/** Numbers are a few in a row, such as a position: all of them or none. */
class Numbers implements Input {
  readonly element = el("div", { class: "numbers" });
  readonly #inputs: HTMLInputElement[];

  constructor(labels: readonly string[], value: unknown, id: string, required: boolean) {
    const given = asArray(value);
    this.#inputs = labels.map((label, i) => {
      const input = el("input", { id: i === 0 ? id : undefined, type: "number", step: "any", required, placeholder: label, title: label, "aria-label": label });
      input.value = typeof given[i] === "number" ? String(given[i]) : "";
      input.addEventListener("input", () => this.#require(required));
      return input;
    });
    this.element.append(...this.#inputs);
    this.#require(required);
  }

  read(): number[] | undefined {
    return this.#inputs.some((input) => input.value === "") ? undefined : this.#inputs.map((input) => input.valueAsNumber);
  }

  #require(always: boolean): void {
    const started = this.#inputs.some((input) => input.value !== "");
    for (const input of this.#inputs) input.required = always || started;
  }
}

/** List is as many of one field as the person wants. */
class List implements Input {
  readonly element = el("div", { class: "list" });
  readonly #rows: Input[] = [];
  readonly #add: HTMLButtonElement;

  constructor(
    readonly field: Field & { kind: "list" },
    value: unknown,
    readonly id: string,
  ) {
    this.#add = button("+ Add", () => this.#append(undefined).focus(), { class: "quiet" });
    this.element.append(this.#add);
    for (const item of asArray(value)) this.#append(item);
  }

  /** read leaves out empty rows. An empty list is not said at all. */
  read(): unknown[] | undefined {
    const values = this.#rows.map((row) => row.read()).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : values;
  }

  #append(value: unknown): HTMLElement {
    const id = `${this.id}-${this.#rows.length}-${Math.random().toString(36).slice(2, 7)}`;
    const input = inputFor(this.field.item, value, id, false);
    const remove = button("×", () => this.#remove(input, row), { class: "quiet remove", "aria-label": "Remove" });
    const row = el("div", { class: "list-row" }, input.element, remove);
    this.#rows.push(input);
    this.#add.before(row);
    this.#add.hidden = this.#rows.length >= this.field.most;
    return row.querySelector<HTMLElement>("input, select, textarea") ?? remove;
  }

  #remove(input: Input, row: HTMLElement): void {
    this.#rows.splice(this.#rows.indexOf(input), 1);
    row.remove();
    this.#add.hidden = this.#rows.length >= this.field.most;
    this.#add.focus();
  }
}

/** groupInput says nothing of an object that may be left out and has no member; none of its members has to be there then. */
function groupInput(members: readonly Member[], value: unknown, id: string, required: boolean): Input {
  const group = new Group(required ? members : members.map((member) => ({ ...member, required: false })), asObject(value) ?? {}, id);
  const read = (): JsonObject | undefined => {
    const object = group.read();
    return required || Object.keys(object).length > 0 ? object : undefined;
  };
  return { element: group.element, read };
}

/** Group is an object's members; those that are neither required nor given are folded away. */
export class Group implements Input {
  readonly element = el("div", { class: "group" });
  readonly #inputs: { name: string; input: Input }[] = [];
  /** Members that the schema does not know. They stay as they are. */
  readonly #rest: JsonObject;

  constructor(members: readonly Member[], value: JsonObject, id: string) {
    const known = new Set(members.map(({ name }) => name));
    this.#rest = Object.fromEntries(Object.entries(value).filter(([name]) => !known.has(name)));
    const isFolded = ({ name, required }: Member): boolean => !required && value[name] === undefined && name !== "show_ui";
    const row = (member: Member): HTMLElement => this.#row(member, value[member.name], `${id}-${member.name}`);
    this.element.append(...members.filter((member) => !isFolded(member)).map(row));
    const folded = members.filter(isFolded).map(row);
    if (folded.length > 0) {
      const count = el("span", { class: "count" }, String(folded.length));
      this.element.append(el("details", { class: "more" }, el("summary", {}, "More ", count), ...folded));
    }
  }

  read(): JsonObject {
    const values = this.#inputs.map(({ name, input }) => [name, input.read()] as const);
    return { ...Object.fromEntries(values.filter(([, value]) => value !== undefined)), ...this.#rest };
  }

  #row({ name, required, field }: Member, value: unknown, id: string): HTMLElement {
    const input = inputFor(field, value, id, required);
    this.#inputs.push({ name, input });
    const label = el("label", { for: id }, name, ...(required ? [el("span", { class: "must", title: "required" }, " *")] : []));
    const note = field.description === "" ? [] : [el("p", { class: "note" }, field.description)];
    const kind = field.kind === "flag" ? "field flag" : "field";
    return el("div", { class: kind }, label, input.element, ...note);
  }
}
