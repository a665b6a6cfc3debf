// Elements in one line each. Texts are only ever text.

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Child = Node | string;

/** el makes an element. An attribute that is true is present, one that is false or undefined is not. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...children);
  return element;
}

/** svg makes an element of a drawing. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(element, attributes);
  element.append(...children);
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(attribute, value === true ? "" : String(value));
  }
}

/** button calls press when it is pressed. */
export function button(label: Child | readonly Child[], press: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el("button", { type: "button", ...attributes }, ...(Array.isArray(label) ? (label as Child[]) : [label as Child]));
  element.addEventListener("click", press);
  return element;
}

let ids = 0;

/** freshId is for a label and what it labels. */
export function freshId(): string {
  return `id-${++ids}`;
}
