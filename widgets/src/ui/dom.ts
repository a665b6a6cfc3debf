// Elements whose content is text: nothing in this document is ever parsed as HTML.

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

export function button(className: string, sign: string, label: string, pressed: () => void): HTMLButtonElement {
  const made = element("button", className, sign);
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.title = label;
  made.addEventListener("click", pressed);
  return made;
}
