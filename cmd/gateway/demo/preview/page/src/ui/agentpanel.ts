// What the agent reads: the text of the result, to the character, and what the map adds to its context.

import type { Fit } from "../api/types.ts";
import { textsOf } from "../host/content.ts";
import type { JsonObject } from "../json.ts";
import { el } from "./dom.ts";
import { count } from "./format.ts";

/** More than this of a text is not coloured. */
const mostColoured = 6000;

export class AgentPanel {
  readonly element: HTMLElement;
  readonly #characters = el("b", {}, "–");
  readonly #tokens = el("b", {}, "–");
  readonly #texts = el("div", { class: "texts" });
  readonly #context = el("div", { class: "context", hidden: true });

  constructor() {
    const figures = el("p", { class: "agent-figures" }, this.#characters, " characters · ≈ ", this.#tokens, el("span", { title: "An estimate: models split text each in their own way." }, " tokens"));
    this.element = el("section", { class: "panel agent" }, el("h2", {}, "The agent reads"), figures, this.#texts, this.#context);
  }

  show({ agent, tokens }: Fit): void {
    this.#characters.textContent = count(agent.reduce((sum, text) => sum + text.length, 0));
    this.#tokens.textContent = count(tokens);
    this.#texts.replaceChildren(...agent.map((text) => el("pre", { tabindex: 0, "aria-label": "Text of the result" }, ...coloured(text))));
  }

  /** showContext is what the widget told the agent last; it replaces what it told before. */
  showContext(params: JsonObject | undefined): void {
    const texts = textsOf(params?.["content"]);
    this.#context.hidden = texts.length === 0;
    this.#context.replaceChildren(el("h3", {}, "From the map, with the next message"), ...texts.map((text) => el("p", {}, text)));
  }
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** coloured marks names, texts and numbers of JSON; the characters stay as they are. */
function coloured(text: string): (Node | string)[] {
  const marked: (Node | string)[] = [];
  const end = Math.min(text.length, mostColoured);
  let done = 0;
  for (const match of text.slice(0, end).matchAll(token)) {
    const [whole, quoted, colon] = match;
    const kind = quoted === undefined ? "number" : colon === undefined ? "string" : "name";
    marked.push(text.slice(done, match.index), el("span", { class: `json-${kind}` }, quoted ?? whole), colon ?? "");
    done = match.index + whole.length;
  }
  marked.push(text.slice(done));
  return marked;
}
